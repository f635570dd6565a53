import type { Import, ImportCounts } from '../../../db/models/import.js';
import type { IdentityChange, PlannedColumn, PlanReason, PlanWarning } from '../../../db/models/import-plan.js';
import { AppError, isAppError } from '../../../errors.js';
import { cancellationError } from '../../../fair-queue.js';
import {
  type ImportableRole,
  type ImportOptions,
  serializeImportOptions,
  storedOptionsSchema,
} from '../../../schemas/import.js';
import type { PhoneKeys } from '../../../schemas/phone-keys.js';
import { validate } from '../../../schemas/validate.js';
import { FileProblem, readFileIdentity } from '../../../tables/encoding/source-file.js';
import type { SourceFormat } from '../../../tables/table/table.js';
import { passwordPolicy } from '../../auth/password-policy.js';
import type { Core } from '../../core.js';
import { readPhoneKeys } from '../../phone-country.js';
import { rowsPerWarning, WarningGroups } from '../read/fields/warnings.js';
import { type ImportFile, type ReadOptions, readPeople } from '../read/import-file.js';
import type { KeyIndex } from '../read/rows/key-index.js';
import { LostZeroFinder } from '../read/rows/phone-warnings.js';
import type { Repetitions } from '../read/rows/repetitions.js';
import { type FileRow, isRejected, remainingRows } from '../read/rows/rows.js';
import { inspectFile, openPeople } from '../read/thread/read-file.js';
import { withPossibleAccess } from './access.js';
import { Capacity } from './course-index.js';
import { Decider } from './decider.js';
import type { Decision } from './outcomes.js';
import { PlannedColumns } from './planned-columns.js';
import { ReasonGroups } from './reasons.js';
import { planRoster, type RosterPeople, type RosterPlan, readRosterPeople } from './roster.js';
import { type PlanSample, PlanSummary } from './summary.js';
import { findUnfinished, reuseUnfinishedOptions } from './unfinished.js';

/** The effects of importing a file. Planning writes nothing. */
export interface ImportPlan {
  /** Digest of the file, the options and the matching accounts: plans with the same id have the same effect. */
  id: string;
  file: string;
  fileSha256: string;
  /** Device, inode, size and modification time of the file when it was read. */
  fileIdentity: string;
  options: ImportOptions;
  format: SourceFormat;
  /** Normalizes phones to compare rows. */
  phones: PhoneKeys;
  columns: readonly PlannedColumn[];
  /** The first few names with non-ASCII letters. They show people whether the encoding is right. */
  names: readonly string[];
  /** Words of the file that were read as roles, except the roles' own names. */
  roleWords: Readonly<Record<string, ImportableRole>>;
  counts: ImportCounts;
  /** Number of created accounts by role, without the accounts that an unfinished import has created. */
  createdByRole: Readonly<Record<ImportableRole, number>>;
  /** Number of lines of the file; null if it was not read to its end. */
  lines: number | null;
  samples: readonly PlanSample[];
  /** Reasons why rows are skipped or rejected, including rows that an unfinished import has done. */
  reasons: readonly PlanReason[];
  /** Warnings about columns, and about rows that are not rejected. */
  warnings: readonly PlanWarning[];
  /** Updates that change names, emails or roles, and the number of further ones. */
  identityChanges: readonly IdentityChange[];
  identityChangesLeftOut: number;
  /** Names of the groups that the import creates. */
  newGroups: readonly string[];
  /** Numbers of new memberships, and of enrollments of other rosters that the roster assigns to itself. */
  memberships: number;
  claims: number;
  /** Effects on the members of the roster; null if the import is no sync. */
  roster: RosterPlan | null;
  /** Digest of the rejected rows, without their lines; null if there are none. */
  rejects: string | null;
  /** Number of accounts that get a generated password. */
  generatedPasswords: number;
  invitations: number;
  /** Number of mails about enrollments. */
  news: number;
  /** Line of the bad row at which the import will stop, with `onError: stop`. */
  stopsAtLine: number | null;
  /** Reason why the plan must not be applied: more bad rows than the options allow. */
  refusal: string | null;
  /**
   * An interrupted import of this file, which applying the plan resumes. `planId` is the plan that it began with. With the
   * status `undoing`, the import was refused and its rows are not all undone: applying the plan resumes the undo.
   */
  unfinished: Pick<Import, 'id' | 'status' | 'rowsDone' | 'leftCount' | 'planId'> | null;
  /** Rows that repeat keys of other rows; undefined unless the whole file was read. */
  repetitions: Repetitions | undefined;
  /** Accounts that rows match by phone only, by `line account`. */
  phoneMatches: KeyIndex;
  /** Duration of planning, in seconds. */
  seconds: number;
}

/** Completes the sentence of {@link describeRefusal}: what becomes of the rows that an interrupted run has imported. */
function describeRowsDone(onError: ImportOptions['onError'], rowsDone: number): string {
  if (rowsDone === 0) return 'nothing was written.';
  return onError === 'abort'
    ? `the ${rowsDone} rows that were imported before the interruption must be undone.`
    : `nothing more was written. The effects of the ${rowsDone} rows before stay, unless the import is undone.`;
}

function describeRefusal(
  { onError, maxErrors }: ImportOptions,
  { rejected }: ImportCounts,
  samples: readonly PlanSample[],
  rowsDone: number,
): string | null {
  const limit = onError === 'abort' ? 0 : maxErrors;
  if (limit === undefined || rejected <= limit) return null;
  const first = samples.find(({ outcome }) => outcome === 'rejected');
  const bad = rejected === 1 ? '1 row is bad' : `${rejected} rows are bad`;
  const allowed = onError === 'abort' ? 'none may be' : `no more than ${limit} may be`;
  return `${bad}, and ${allowed}: ${describeRowsDone(onError, rowsDone)}${first ? ` The first is line ${first.line}: ${first.reason}` : ''}`;
}

/** Returns the decisions to apply: with `stop`, none after the first bad row. */
export function decisionsToApply({ onError }: ImportOptions, decisions: readonly Decision[]): readonly Decision[] {
  if (onError !== 'stop') return decisions;
  const bad = decisions.findIndex(({ outcome }) => outcome === 'rejected');
  return bad < 0 ? decisions : decisions.slice(0, bad + 1);
}

const shownNames = 5;

/** Collects up to five names with non-ASCII letters. */
function collectNames(names: string[], rows: readonly FileRow[]): void {
  for (const row of rows) {
    if (names.length >= shownNames) return;
    if (isRejected(row)) continue;
    const name = `${row.person.firstName} ${row.person.lastName}`;
    if (/[^\0-\x7f]/.test(name) && !names.includes(name)) names.push(name);
  }
}

export interface PlanRequest {
  file: string;
  /** Raw options of the import. */
  options: object;
  signal: AbortSignal;
  /** Maximum rows: a file with more is refused. */
  maxRows?: number;
  /** The import to resume. If absent, an unfinished import of the same file and options is resumed. */
  record?: Import;
  /** Called with the number of rows read so far. */
  onProgress?(rows: number): void;
  /** Called before the first decisions with the effects on the members of a roster; undefined if the import is no sync. */
  onRoster?(roster: RosterPlan | undefined): Promise<void>;
  /** Called with the decisions of each batch, in the order of the file. */
  onDecisions?(decisions: readonly Decision[], file: Pick<ImportFile, 'format' | 'mapping'>): Promise<void>;
}

/**
 * Reads a whole file and plans its import.
 * @throws AppError `IMPORT_FILE_INVALID`, `VALIDATION` for the options, `MAIL_NOT_SET_UP` for mails, `PASSWORD_LOGIN_OFF` for
 *   generated passwords, `INTERRUPTED`
 */
export async function planImport(core: Core, request: PlanRequest): Promise<ImportPlan> {
  try {
    return await planFile(core, request);
  } catch (error) {
    throw isAppError(error, 'INTERRUPTED')
      ? new AppError('INTERRUPTED', 'Interrupted; nothing was written.', { cause: error })
      : error;
  }
}

async function planFile(core: Core, request: PlanRequest): Promise<ImportPlan> {
  const startedAt = performance.now();
  const { file, signal } = request;
  const wanted = withPossibleAccess(core, validate(storedOptionsSchema, request.options));
  const identity = await readFileIdentity(file);
  const { sha256: fileSha256, ...inspected } = await inspectFile(file, wanted.encoding, signal);
  const phones = await readPhoneKeys(core);
  const reading: ReadOptions = {
    options: wanted,
    policy: await passwordPolicy(core.config),
    phones,
  };
  const { imports: limits } = core.config;
  const source = { ...inspected, delimiter: wanted.delimiter ?? 'auto' } as const;
  const open = async () =>
    readPeople(await openPeople({ file, source, options: wanted, limits }, signal), reading, limits.batchRows);
  const people = wanted.roster === undefined ? undefined : await readPeopleOf(await open(), phones);
  const opened = await open();
  try {
    const plan = await planRows(core, request, { wanted, fileSha256, opened, people });
    // The file was read twice, for its encoding and for its rows: it must be the same file.
    if ((await readFileIdentity(file)) !== identity)
      throw new AppError('IMPORT_CONFLICT', `The file ${file} was changed while it was read. Import it again.`);
    return { ...plan, phones, fileIdentity: identity, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    await opened.close();
  }
}

async function readPeopleOf(file: ImportFile, phones: PhoneKeys): Promise<RosterPeople> {
  try {
    return await readRosterPeople(file.batches, phones);
  } finally {
    await file.close();
  }
}

interface OpenedFile {
  wanted: ImportOptions;
  fileSha256: string;
  opened: ImportFile;
  /** The people of the file, if it is a roster. */
  people: RosterPeople | undefined;
}

/** Returns the warning about rows that postpone the leaving of members. */
const postponedWarning = (rows: readonly number[]): PlanWarning => ({
  code: 'LEAVING_POSTPONED',
  field: 'email',
  message:
    'These rows have names and no readable email, so they may be about any member: nobody leaves. Correct them, and synchronise again.',
  count: rows.length,
  rows: rows.slice(0, rowsPerWarning),
  examples: [],
});

const mergedCells = {
  code: 'CELLS_MERGED',
  field: null,
  message: 'Cells are merged with those of rows above: only the first row has their value.',
} as const;

async function planRows(
  core: Core,
  request: PlanRequest,
  { wanted, fileSha256, opened, people }: OpenedFile,
): Promise<Omit<ImportPlan, 'phones' | 'fileIdentity' | 'seconds'>> {
  const { file, signal } = request;
  const { format, header, mapping, batches, roleWords } = opened;
  const options = request.record
    ? wanted
    : await reuseUnfinishedOptions(core, { fileSha256, options: wanted }, { header, encoding: format.encoding });
  const unfinished = request.record ?? (await findUnfinished(core, { fileSha256, options }));
  const rowsDone = unfinished?.rowsDone ?? 0;
  const roster =
    people && options.roster !== undefined
      ? await planRoster(core, options.roster, options, people, unfinished)
      : undefined;
  const decider = await Decider.open(core, options, unfinished, { roster });
  const capacity = new Capacity(core, roster?.freed);
  const summary = new PlanSummary(options, unfinished?.counts);
  if (roster) summary.addLeaving(roster.leaving);
  await request.onRoster?.(roster);
  const reasons = new ReasonGroups();
  const columns = new PlannedColumns(options, mapping);
  const warnings = new WarningGroups();
  warnings.add(null, opened.warnings);
  const zeros = new LostZeroFinder(mapping.columns.get('phone'));
  let stopsAtLine: number | null = null;
  const names: string[] = [];
  let read = 0;
  for await (const batch of batches) {
    if (signal.aborted) throw cancellationError(signal);
    read += batch.length;
    collectNames(names, batch);
    if (request.maxRows !== undefined && read > request.maxRows)
      throw new AppError(
        'IMPORT_FILE_INVALID',
        `The file has more than ${request.maxRows} rows. Split it, or import it with coursectl users import.`,
      );
    const rows = remainingRows(batch, read - batch.length, rowsDone);
    const done = batch.slice(0, batch.length - rows.length);
    decider.addDone(done);
    if (unfinished) await reasons.addDone(core, unfinished, done);
    if (rows.length === 0) continue;
    const decisions = await decider.decide(rows, capacity);
    const planned = decisionsToApply(options, decisions);
    summary.add(planned);
    reasons.add(planned);
    columns.add(planned);
    for (const { outcome, row } of planned) {
      if (outcome === 'rejected') continue;
      warnings.add(row.line, row.warnings);
      const { phone } = row.person;
      if (phone !== undefined) zeros.add(row, phone);
    }
    await request.onDecisions?.(planned, { format, mapping });
    request.onProgress?.(summary.counts.rows);
    const last = planned.at(-1);
    if (options.onError === 'stop' && last?.outcome === 'rejected') {
      stopsAtLine = last.row.line;
      break;
    }
  }
  for (const line of opened.mergedLines()) warnings.add(line, [mergedCells]);
  if (summary.counts.rows === 0)
    throw new FileProblem('NO_ROWS', `The file ${file} has a header and no rows below it.`);
  const { counts, createdByRole, samples, generatedPasswords, invitations, news } = summary;
  const { identityChanges, identityChangesLeftOut } = summary;
  const listed = columns.list();
  // A hidden column that is blank or has no effect needs no warning.
  const isNeedless = ({ code, field, examples }: PlanWarning) =>
    code === 'COLUMN_HIDDEN' &&
    !listed.some((column) => column.field === field && column.people > 0 && examples.includes(column.heading));
  return {
    id: summary.id(fileSha256 + serializeImportOptions(options)),
    file,
    fileSha256,
    options,
    format,
    columns: listed,
    names,
    roleWords: Object.fromEntries(roleWords),
    counts,
    createdByRole,
    lines: stopsAtLine === null ? opened.lines() : null,
    samples,
    reasons: reasons.list(),
    warnings: [
      ...(roster && roster.unsure.length > 0 ? [postponedWarning(roster.unsure)] : []),
      ...warnings.list().filter((warning) => !isNeedless(warning)),
      ...opened.emptyRows(),
      ...zeros.list(),
    ],
    identityChanges,
    identityChangesLeftOut,
    newGroups: decider.newGroups,
    memberships: summary.memberships,
    claims: summary.claims,
    roster: roster ?? null,
    rejects: summary.rejectsDigest(),
    generatedPasswords,
    invitations,
    news,
    stopsAtLine,
    // An import whose rows are being undone stays refused, even if no row is bad any more.
    refusal:
      unfinished?.status === 'undoing' ? unfinished.errorMessage : describeRefusal(options, counts, samples, rowsDone),
    unfinished,
    repetitions: stopsAtLine === null ? opened.repetitions() : undefined,
    phoneMatches: decider.phoneMatches,
  };
}
