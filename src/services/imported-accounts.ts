import { Op } from 'sequelize';
import type { AuditEntry } from '../db/models/audit-entry.js';
import type { AuditListing } from '../schemas/audit.js';
import type { Core } from './core.js';
import type { Page } from './paging.js';

/** UUIDv7 (RFC 9562, section 5.7): the first 48 bits are the milliseconds since 1970. */
const idShape = /^([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;

/** How far the clocks of machines may differ, in milliseconds. */
const clockTolerance = 86_400_000;

/** The creation time in an id; nothing for a text that isn't a UUIDv7. */
function createdAt(id: string): Date | undefined {
  const [, high, low] = idShape.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : new Date(Number.parseInt(high + low, 16));
}

function matches({ action, actorId, targetType, from, to }: AuditListing, entry: AuditEntry): boolean {
  return (
    (action === undefined || action === entry.action) &&
    (actorId === undefined || actorId === entry.actorId) &&
    (targetType === undefined || targetType === entry.targetType) &&
    (from === undefined || entry.at >= from) &&
    (to === undefined || entry.at < to)
  );
}

/**
 * The creation of an account by an import, as an audit entry built from the import's ledger. Writing audit entries too
 * would be slow: see docs/DECISIONS.md.
 */
async function creationOf({ database }: Core, accountId: string): Promise<AuditEntry | undefined> {
  const at = createdAt(accountId);
  if (!at) return undefined;
  const { AuditEntry, Import, ImportRow } = database.models;
  const near = (milliseconds: number) => new Date(at.getTime() + milliseconds);
  // Ledgers are long and have no index on accounts, so only imports of that time are searched.
  const imports = await Import.findAll({
    where: {
      createdAt: { [Op.lte]: near(clockTolerance) },
      [Op.or]: [{ finishedAt: null }, { finishedAt: { [Op.gte]: near(-clockTolerance) } }],
    },
    order: ['id'],
  });
  for (const { id: importId, createdBy, origin, fileName } of imports) {
    const row = await ImportRow.findOne({ where: { importId, userId: accountId, outcome: 'created' }, raw: true });
    if (!row) continue;
    return AuditEntry.build({
      id: accountId,
      at,
      actorId: createdBy,
      origin,
      ip: null,
      osUser: null,
      action: 'user.import',
      targetType: 'user',
      targetId: accountId,
      beforeJson: null,
      afterJson: JSON.stringify({ importId, line: row.line, file: fileName }),
    });
  }
  return undefined;
}

/** Adds the creation by an import to the audit entries of an account: the oldest entry, so it comes last. */
export async function withCreation(
  core: Core,
  listing: AuditListing,
  { items, pagination }: Page<AuditEntry>,
): Promise<Page<AuditEntry>> {
  const { targetId, page, limit } = listing;
  const creation = targetId === undefined ? undefined : await core.database.read(() => creationOf(core, targetId));
  // Of more entries than are counted, the oldest isn't on this page.
  if (!creation || pagination.totalItemsCapped || !matches(listing, creation)) return { items, pagination };
  const totalItems = pagination.totalItems + 1;
  const totalPages = Math.ceil(totalItems / limit);
  return {
    items: page === totalPages ? [...items, creation] : items,
    pagination: { ...pagination, totalItems, totalPages },
  };
}
