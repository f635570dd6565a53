import { Op } from 'sequelize';
import type { AuditEntry } from '../db/models/audit-entry.js';
import type { Import } from '../db/models/import.js';
import type { ImportRow } from '../db/models/import-row.js';
import type { AuditListing } from '../schemas/audit.js';
import type { Core } from './core.js';
import type { Page } from './paging.js';

/** UUIDv7 (RFC 9562, section 5.7): the first 48 bits are the milliseconds since 1970. */
const idShape = /^([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;

/** How far the clocks of machines may differ. */
const clockToleranceMs = 86_400_000;

/** The creation time in an id; nothing for a text that isn't a UUIDv7. */
function createdAt(id: string): Date | undefined {
  const [, high, low] = idShape.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : new Date(Number.parseInt(high + low, 16));
}

/** The account whose creation by an import a listing may show; none for most. */
function importedAccountOf({
  action = 'user.import',
  targetType = 'user',
  targetId,
}: AuditListing): string | undefined {
  return action === 'user.import' && targetType === 'user' ? targetId : undefined;
}

function matches({ actorId, from, to }: AuditListing, entry: AuditEntry): boolean {
  return (
    (actorId === undefined || actorId === entry.actorId) &&
    (from === undefined || entry.at >= from) &&
    (to === undefined || entry.at < to)
  );
}

/** Whether the log itself says that something else than an import has made a target. */
async function isMadeOtherwise({ database }: Core, targetId: string): Promise<boolean> {
  const { AuditEntry } = database.models;
  const made = [{ targetType: { [Op.ne]: 'user' } }, { action: ['setup.complete', 'user.register'] }];
  return (await AuditEntry.findOne({ attributes: ['id'], where: { targetId, [Op.or]: made }, raw: true })) !== null;
}

/** The row of an account that one of some imports has created. */
async function createdBy({ database }: Core, imports: readonly Import[], userId: string): Promise<ImportRow | null> {
  if (imports.length === 0) return null;
  const importId = imports.map(({ id }) => id);
  return database.models.ImportRow.findOne({ where: { importId, userId, outcome: 'created' }, raw: true });
}

/** How many starts and resumptions of an import are read: most have one. */
const maxBegins = 100;

/** Who ran an import at a time: the one who started or resumed it last. The service runs those over HTTP for their creator. */
async function actorOf(
  { database }: Core,
  { id, createdBy: creator, origin }: Import,
  at: Date,
): Promise<Pick<AuditEntry, 'actorId' | 'origin' | 'osUser'>> {
  const begins = await database.models.AuditEntry.findAll({
    attributes: ['at', 'actorId', 'origin', 'osUser'],
    where: { targetId: id, action: ['import.start', 'import.resume'] },
    order: [['id', 'DESC']],
    limit: maxBegins,
  });
  // Clocks may differ: then it is the first one.
  const begin = begins.find((entry) => entry.at <= at) ?? begins.at(-1);
  if (begin?.origin === 'cli') return { actorId: begin.actorId, origin: 'cli', osUser: begin.osUser };
  return { actorId: creator, origin, osUser: null };
}

/**
 * The creation of an account by an import, as an audit entry built from the import's ledger. Writing audit entries too
 * would be slow: see docs/DECISIONS.md.
 */
async function creationOf(core: Core, accountId: string): Promise<AuditEntry | undefined> {
  const at = createdAt(accountId);
  if (!at || (await isMadeOtherwise(core, accountId))) return undefined;
  const { AuditEntry, Import } = core.database.models;
  const near = (milliseconds: number) => new Date(at.getTime() + milliseconds);
  // Ledgers are long and have no index on accounts, so only imports of that time are searched.
  const imports = await Import.findAll({
    attributes: ['id', 'createdBy', 'origin', 'fileName', 'createdAt', 'finishedAt'],
    where: {
      createdAt: { [Op.lte]: near(clockToleranceMs) },
      [Op.or]: [{ finishedAt: null }, { finishedAt: { [Op.gte]: near(-clockToleranceMs) } }],
    },
    order: ['id'],
  });
  // Where the clocks of machines are the same, it is one of few.
  const ranThen = (one: Import) => one.createdAt <= at && (one.finishedAt === null || one.finishedAt >= at);
  const others = imports.filter((one) => !ranThen(one));
  const row = (await createdBy(core, imports.filter(ranThen), accountId)) ?? (await createdBy(core, others, accountId));
  const source = imports.find(({ id }) => id === row?.importId);
  if (!row || !source) return undefined;
  return AuditEntry.build({
    id: accountId,
    at,
    ...(await actorOf(core, source, at)),
    ip: null,
    action: 'user.import',
    targetType: 'user',
    targetId: accountId,
    beforeJson: null,
    afterJson: JSON.stringify({ importId: source.id, line: row.line, file: source.fileName }),
  });
}

/** Adds the creation by an import to the audit entries of an account: the oldest entry, so it comes last. */
export async function withCreation(
  core: Core,
  listing: AuditListing,
  { items, pagination }: Page<AuditEntry>,
): Promise<Page<AuditEntry>> {
  const { page, limit } = listing;
  const accountId = importedAccountOf(listing);
  const creation = accountId === undefined ? undefined : await core.database.read(() => creationOf(core, accountId));
  // Of more entries than are counted, the oldest isn't on this page.
  if (!creation || pagination.totalItemsCapped || !matches(listing, creation)) return { items, pagination };
  const totalItems = pagination.totalItems + 1;
  const totalPages = Math.ceil(totalItems / limit);
  return {
    items: page === totalPages ? [...items, creation] : items,
    pagination: { ...pagination, totalItems, totalPages },
  };
}
