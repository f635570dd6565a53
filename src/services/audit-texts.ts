import { createHash } from 'node:crypto';
import { Op, type Transaction } from 'sequelize';
import type { AuditEntry } from '../db/models/audit-entry.js';
import type { Core } from './core.js';

/** Texts of more bytes than this are stored apart. A reference has 55. */
const maxBytes = 64;

/** How precise the time is at which a text was last used, in milliseconds: a write for each use would cost more than it tells. */
export const usedPrecisionMs = 3_600_000;

/** What stands in the values of an entry for a text that is stored apart. */
const referenceKey = '$text';

type Values = Readonly<Record<string, unknown>>;

/** The id of the text that a value refers to; undefined for any other value. */
function referenceIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !(referenceKey in value)) return undefined;
  const { [referenceKey]: id } = value;
  return typeof id === 'string' ? id : undefined;
}

/**
 * Long texts of the values of audit entries, each stored once however many entries have it: enrolling and removing hundreds
 * of trainees with the same notes again and again writes them a single time.
 */
export class AuditTexts {
  readonly #texts = new Map<string, string>();

  /** The values of an entry as JSON, with references in place of long texts. */
  toJson(values: object | undefined): string | null {
    if (values === undefined) return null;
    const stored: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(values)) stored[field] = this.stored(value);
    return JSON.stringify(stored);
  }

  /** A value as it stands in JSON: a reference in the place of a long text. */
  stored(value: unknown): unknown {
    if (typeof value !== 'string' || Buffer.byteLength(value) <= maxBytes) return value;
    const id = createHash('sha256').update(value).digest('base64url');
    this.#texts.set(id, value);
    return { [referenceKey]: id };
  }

  /**
   * Stores the texts of all that became JSON, unless they are stored already. The cleanup removes no text that was used in the
   * last day, so one that is stored and was used in the last hour needs no write and no lock. Any other is written, which
   * makes a cleanup that is removing it at the same moment wait, or keep it.
   */
  async save({ database, now }: Core, transaction: Transaction): Promise<void> {
    if (this.#texts.size === 0) return;
    const { AuditText } = database.models;
    const usedAt = now();
    const recently = new Date(usedAt.getTime() - usedPrecisionMs);
    const stored = await AuditText.findAll({
      attributes: ['id'],
      where: { id: [...this.#texts.keys()], usedAt: { [Op.gt]: recently } },
      transaction,
    });
    const recent = new Set(stored.map(({ id }) => id));
    const rows = [...this.#texts].flatMap(([id, content]) => (recent.has(id) ? [] : { id, content, usedAt }));
    if (rows.length === 0) return;
    // In key order to avoid deadlocks.
    rows.sort((a, b) => (a.id < b.id ? -1 : 1));
    await AuditText.bulkCreate(rows, { updateOnDuplicate: ['usedAt'], transaction });
  }
}

/**
 * Stores a long text that rows of other tables share, too.
 * @returns its id; null for a text that is short enough to be copied
 */
export async function storeShared(core: Core, text: string, transaction: Transaction): Promise<string | null> {
  const texts = new AuditTexts();
  const id = referenceIn(texts.stored(text));
  if (id === undefined) return null;
  await texts.save(core, transaction);
  return id;
}

/** The values of a column, as `toJson()` wrote them. */
const parsed = (json: string | null) => (json === null ? null : (JSON.parse(json) as Values));

/** An audit entry as it is stored: its values, with references in the place of long texts, and the ids of those. */
export function storedValues({ beforeJson, afterJson }: AuditEntry) {
  const [before, after] = [parsed(beforeJson), parsed(afterJson)];
  return { before, after, textIds: referencesIn(before, after) };
}

/** The ids of the texts that values refer to. */
const referencesIn = (...all: (Values | null)[]): string[] =>
  all.flatMap((values) => Object.values(values ?? {}).flatMap((value) => referenceIn(value) ?? []));

/** Adds to audit entries the values before and after the change, with their long texts: with one query, or none. */
export async function addValues({ database }: Core, entries: readonly AuditEntry[]): Promise<void> {
  const all = entries.map(({ beforeJson, afterJson }) => [parsed(beforeJson), parsed(afterJson)] as const);
  const wanted = [...new Set(referencesIn(...all.flat()))];
  const texts = new Map<string, string>();
  if (wanted.length > 0) {
    const found = await database.read(() => database.models.AuditText.findAll({ where: { id: wanted }, raw: true }));
    for (const { id, content } of found) texts.set(id, content);
  }
  const whole = (values: Values | null): Values | null =>
    values &&
    Object.fromEntries(
      Object.entries(values).map(([field, value]) => [field, texts.get(referenceIn(value) ?? '') ?? value]),
    );
  for (const [index, entry] of entries.entries()) {
    const [before = null, after = null] = all[index] ?? [];
    entry.before = whole(before);
    entry.after = whole(after);
  }
}
