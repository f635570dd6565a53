import { Op, type WhereOptions } from 'sequelize';
import type { Lease } from '../../db/lease.js';
import type { AuditText } from '../../db/models/audit-text.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import { usedPrecisionMs } from '../audit-texts.js';
import type { Core } from '../core.js';
import { assertStillHeld } from './retention.js';

/** Texts per query and transaction. */
const batchRows = 500;

/** How long ago the last use of a text must be, at least: clocks of machines differ, and transactions take time. */
const marginMs = 86_400_000;

/**
 * Deletes long texts that no audit entry and no enrollment refers to. An entry is at most an hour younger than the recorded
 * use of its texts, so texts that were last used before the oldest entry have none. Enrollments are looked up.
 * @param before the time before which entries were deleted
 * @returns how many
 */
export async function removeUnusedTexts(core: Core, lease: Lease, before: Date, signal: AbortSignal): Promise<number> {
  const { models } = core.database;
  await dateTexts(core, signal);
  const oldest = await core.database.read(() => models.AuditEntry.findOne({ attributes: ['at'], order: ['at', 'id'] }));
  const latest = core.now().getTime() - marginMs;
  const limit = Math.min(before.getTime(), latest, oldest?.at.getTime() ?? latest) - usedPrecisionMs;
  const usedAt = { [Op.lt]: new Date(limit) };
  let removed = 0;
  for (let last: AuditText | undefined; !signal.aborted; ) {
    const found = await textsAfter(core, new Date(limit), last);
    if (found.length === 0) break;
    last = found.at(-1);
    removed += await core.database.inTransaction(async (transaction) => {
      await assertStillHeld(lease, transaction);
      const ids = found.map(({ id }) => id);
      // Not a listing of enrollments, which would read their notes.
      const shared = await models.Enrollment.aggregate<{ DISTINCT: string }[], Enrollment>('notesTextId', 'DISTINCT', {
        plain: false,
        where: { notesTextId: ids },
        transaction,
      });
      const kept = new Set(shared.map(({ DISTINCT: id }) => id));
      // A transaction that refers to a text at this moment has changed its time, and this one waits for it.
      return models.AuditText.destroy({ where: { id: ids.filter((id) => !kept.has(id)), usedAt }, transaction });
    });
  }
  return removed;
}

/** The next texts that were last used before a moment, in the order of that use. */
function textsAfter({ database }: Core, moment: Date, last: AuditText | undefined): Promise<AuditText[]> {
  const { AuditText } = database.models;
  const where: WhereOptions<AuditText> = last?.usedAt
    ? {
        usedAt: { [Op.gte]: last.usedAt, [Op.lt]: moment },
        [Op.or]: [{ usedAt: { [Op.gt]: last.usedAt } }, { id: { [Op.gt]: last.id } }],
      }
    : { usedAt: { [Op.lt]: moment } };
  return database.read(() =>
    AuditText.findAll({ attributes: ['id', 'usedAt'], where, order: ['usedAt', 'id'], limit: batchRows }),
  );
}

/** Texts of unknown use count as used now: earlier versions of the program have stored them. */
async function dateTexts({ database, now }: Core, signal: AbortSignal): Promise<void> {
  const { AuditText } = database.models;
  while (!signal.aborted) {
    const found = await database.read(() =>
      AuditText.findAll({ attributes: ['id'], where: { usedAt: null }, limit: batchRows }),
    );
    if (found.length === 0) return;
    const id = found.map((text) => text.id);
    await database.inTransaction((transaction) =>
      AuditText.update({ usedAt: now() }, { where: { id, usedAt: null }, transaction }),
    );
  }
}
