import { Op } from 'sequelize';
import type { Import } from '../../../db/models/import.js';
import type { ImportPlanRow } from '../../../db/models/import-plan-row.js';
import type { ImportRow } from '../../../db/models/import-row.js';
import type { User } from '../../../db/models/user.js';
import { readInParallel } from '../../../db/read-in-parallel.js';
import { contains, refersToRowByLookup } from '../../../db/sql/conditions.js';
import { keyHasWords } from '../../../db/sql/search-words.js';
import { type ImportRowListing, importRowListingSchema } from '../../../schemas/import.js';
import { searchKey } from '../../../schemas/keys.js';
import { searchedWords } from '../../../schemas/search-words.js';
import { validate } from '../../../schemas/validate.js';
import { scanForAccounts } from '../../accounts/search.js';
import type { Core, Identity } from '../../core.js';
import type { Page } from '../../paging.js';
import { fieldOfCode } from '../plan/reasons.js';
import type { PlannedChange } from '../plan/stored-plan.js';
import { findImport } from './find-import.js';
import { assertLedgerReadable, type KeptCode, shownLine } from './ledger.js';
import { shownKeptCode, visibleAccounts } from './trainer-imports.js';

/** Actual or planned outcome of a row of a file. */
export interface RowOutcome {
  /** Null for a member who leaves a roster, who has no row. */
  line: number | null;
  outcome: ImportRow['outcome'];
  code: string | null;
  field: string | null;
  message: string | null;
  /** Current account; null if the row has no account, or the account was deleted. */
  account: Pick<User, 'id' | 'firstName' | 'lastName' | 'email'> | null;
  /** Changes of a planned update; null after the plan was applied. */
  changes: PlannedChange[] | null;
  /** Cells in the order of the plan's columns, without passwords; null after the plan was applied. */
  cells: string[] | null;
  /** Effect of an undo on the account; null if the row was not undone. */
  undo: { outcome: string; code: KeptCode | null } | null;
}

type Row = Omit<RowOutcome, 'account'> & { userId: string | null };

/** Returns the conditions of a listing. @param matches returns the conditions of a search text */
function filterOf(
  { sequelize }: Core['database'],
  importId: string,
  { outcome, code, search }: ImportRowListing,
  matches: (text: string) => object[],
) {
  const line = /^\d{1,9}$/.test(search ?? '') ? [{ line: Number(search) }] : [];
  // The code may belong to a further fault of the row.
  const coded = code === undefined ? [] : [{ [Op.or]: [{ code }, contains(sequelize, 'other_codes', ` ${code} `)] }];
  const found = search ? [{ [Op.or]: [...matches(search), ...line] }] : [];
  return { importId, ...(outcome !== undefined && { outcome }), [Op.and]: [...coded, ...found] };
}

/** Matches rows whose own texts match a search. Scans the rows of the import. */
const hasText = ({ sequelize }: Core['database'], search: string) => [
  contains(sequelize, 'search_key', searchKey(search)),
  keyHasWords(sequelize, 'search_key', searchedWords(search)),
];

type Rows = Promise<{ totalItems: number; rows: Row[] }>;
type Window = { limit: number; offset: number; order: ['line'] };

async function plannedRows({ database }: Core, { id }: Import, listing: ImportRowListing, window: Window): Rows {
  const { ImportPlanRow } = database.models;
  const where = filterOf(database, id, listing, (text) => hasText(database, text));
  const [totalItems, rows] = await readInParallel(
    database,
    () => ImportPlanRow.count({ where }),
    () => ImportPlanRow.findAll({ where, ...window }),
  );
  const shown = ({ line, outcome, code, field, reason, userId, changesJson, cellsJson }: ImportPlanRow): Row => {
    // Only this program writes the column.
    const changes = changesJson === null ? [] : (JSON.parse(changesJson) as PlannedChange[]);
    const cells = JSON.parse(cellsJson) as string[];
    return { line: shownLine(line), outcome, code, field, message: reason, userId, changes, cells, undo: null };
  };
  return { totalItems, rows: rows.map(shown) };
}

async function doneRows(core: Core, record: Import, listing: ImportRowListing, window: Window): Rows {
  const { database } = core;
  const { ImportRow, User } = database.models;
  // A search matches the account of the row, or the row itself if it was rejected. In an import of a trainer it matches only
  // the cells of the file: a match of the account would tell the account's phone.
  const where = filterOf(database, record.id, listing, (text) => [
    ...(record.trainerId === null ? [refersToRowByLookup('ImportRow.user_id', User, scanForAccounts(core, text))] : []),
    ...hasText(database, text),
  ]);
  const [totalItems, rows] = await readInParallel(
    database,
    () => ImportRow.count({ where }),
    () => ImportRow.findAll({ where, ...window }),
  );
  const shown = ({ line, outcome, code, reason, userId, undoOutcome, undoCode }: ImportRow): Row => {
    const field = outcome === 'rejected' ? fieldOfCode(code) : null;
    // Only kept accounts and deleted ones have a code.
    const undo = undoOutcome === null ? null : { outcome: undoOutcome, code: undoCode as KeptCode | null };
    const at = shownLine(line);
    return { line: at, outcome, code, field, message: reason, userId, changes: null, cells: null, undo };
  };
  return { totalItems, rows: rows.map(shown) };
}

/** Whether an import has rows of a plan only, and none of a ledger. */
const isOnlyPlanned = ({ status }: Import): boolean => status === 'planning' || status === 'planned';

/**
 * Returns one page of the rows of an import, in the order of the file. The rows come from the plan until it is applied, then
 * from the ledger.
 * @throws AppError `NOT_FOUND`, `VALIDATION`, `IMPORT_ROWS_DELETED` if the ledger was deleted
 */
export async function listImportRows(
  core: Core,
  reader: Identity,
  id: string,
  query: unknown,
): Promise<Page<RowOutcome>> {
  const listing = validate(importRowListingSchema, query);
  const record = await findImport(core, reader, id);
  assertLedgerReadable(record);
  const { page, limit } = listing;
  const window: Window = { limit, offset: (page - 1) * limit, order: ['line'] };
  return core.database.read(async () => {
    const find = isOnlyPlanned(record) ? plannedRows : doneRows;
    const { totalItems, rows } = await find(core, record, listing, window);
    const ids = await visibleAccounts(
      core,
      reader,
      rows.flatMap(({ userId }) => userId ?? []),
    );
    const users = await core.database.models.User.findAll({
      attributes: ['id', 'firstName', 'lastName', 'email'],
      where: { id: [...ids] },
    });
    const byId = new Map(users.map((user) => [user.id, user]));
    return {
      items: rows.map(({ userId, undo, ...row }) => ({
        ...row,
        account: byId.get(userId ?? '') ?? null,
        undo: undo && { ...undo, code: undo.code && shownKeptCode(reader, undo.code) },
      })),
      pagination: { currentPage: page, totalPages: Math.ceil(totalItems / limit), totalItems, itemsPerPage: limit },
    };
  });
}
