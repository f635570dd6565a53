import { createHash } from 'node:crypto';
import type { Import } from '../../db/models/import.js';
import { AppError } from '../../errors.js';
import { type ImportOptions, importOptionsSchema, optionsText } from '../../schemas/import.js';
import { validate } from '../../schemas/validate.js';
import type { Core } from '../core.js';
import { passwordPolicy } from '../password-policy.js';
import type { ColumnMapping } from './columns.js';
import { Seats } from './course-book.js';
import type { CsvFormat } from './csv-source.js';
import { Decider } from './decider.js';
import { inspectFile } from './inspect.js';
import type { Decision, Outcome } from './outcomes.js';
import { openImportFile, type Repetitions, type RowCode } from './rows.js';
import { fileBytes, fileIdentity } from './source-file.js';

/** What became, or would become, of the rows of a file. */
export interface ImportCounts {
  rows: number;
  created: number;
  updated: number;
  skipped: number;
  rejected: number;
  enrolled: number;
}

/** A row shown as an example of what will happen; holds no password. */
export interface PlanSample {
  line: number;
  outcome: Outcome;
  code?: RowCode;
  reason?: string;
  /** Name and email, of rows that are valid. */
  person?: string;
  /** The fields that an update changes. */
  changes?: string[];
}

/** What importing a file would do. Making it writes nothing. */
export interface ImportPlan {
  /** Stands for the file, the options and the accounts it meets: a plan of the same id has the same effect. */
  id: string;
  file: string;
  fileSha256: string;
  /** What the file was when it was read. */
  fileIdentity: string;
  options: ImportOptions;
  /** How the file is read. */
  format: CsvFormat;
  /** The heading of the file that each field was found under. */
  columns: Readonly<Record<string, string>>;
  ignoredColumns: readonly string[];
  counts: ImportCounts;
  samples: readonly PlanSample[];
  /** How many accounts get a generated password. */
  generatedPasswords: number;
  /** The line of the bad row at which the import will stop, as `onError: stop` says. */
  stopsAtLine: number | null;
  /** Why nothing of it may be written: more bad rows than the options allow. */
  refusal: string | null;
  /** An import of this file that broke off: applying the plan takes it up. `planId` is the plan with which it began. */
  unfinished: { id: string; rowsDone: number; planId: string | null } | null;
  /** What reading the file showed of repeated keys, when all of it was read. */
  repetitions: Repetitions | undefined;
  /** How long it took to make, in seconds. */
  seconds: number;
}

/** How many examples of each outcome a plan keeps. */
const samplesPerOutcome: Record<Outcome, number> = { created: 3, updated: 3, skipped: 3, rejected: 10 };

const noCounts: ImportCounts = { rows: 0, created: 0, updated: 0, skipped: 0, rejected: 0, enrolled: 0 };

export function countsOf(record: Import): ImportCounts {
  return {
    rows: record.rowsDone,
    created: record.createdCount,
    updated: record.updatedCount,
    skipped: record.skippedCount,
    rejected: record.rejectedCount,
    enrolled: record.enrolledCount,
  };
}

/** A run at a terminal of the same file with the same options that broke off. */
export async function findUnfinished(
  core: Core,
  { fileSha256, options }: Pick<ImportPlan, 'fileSha256' | 'options'>,
): Promise<Import | null> {
  return core.database.read(() =>
    core.database.models.Import.findOne({
      where: {
        fileSha256,
        optionsJson: optionsText(options),
        origin: 'cli',
        status: ['running', 'interrupted', 'failed', 'cancelled'],
      },
      order: [['id', 'DESC']],
    }),
  );
}

/** Collects what a plan says while the rows go by. */
class PlanBuilder {
  readonly counts: ImportCounts;
  readonly samples: PlanSample[] = [];
  readonly fingerprint = createHash('sha256');
  generatedPasswords = 0;

  constructor(done: ImportCounts) {
    this.counts = { ...done };
  }

  add(decisions: readonly Decision[]): void {
    let text = '';
    for (const decision of decisions) {
      this.#count(decision);
      text += fingerprintOf(decision);
      const shown = this.#shown[decision.outcome];
      if (shown >= samplesPerOutcome[decision.outcome]) continue;
      this.#shown[decision.outcome] = shown + 1;
      this.samples.push(sampleOf(decision));
    }
    this.fingerprint.update(text);
  }

  readonly #shown: Record<Outcome, number> = { created: 0, updated: 0, skipped: 0, rejected: 0 };

  #count(decision: Decision): void {
    this.counts.rows += 1;
    this.counts[decision.outcome] += 1;
    if (decision.outcome === 'rejected') return;
    this.counts.enrolled += decision.enrollments.length;
    const { password, passwordHash } = decision.row.person;
    const given = password !== undefined || passwordHash !== undefined;
    if (!given && (decision.outcome === 'created' || (decision.outcome === 'updated' && decision.resetPassword)))
      this.generatedPasswords += 1;
  }
}

/** What makes a difference for the effect of a row. */
function fingerprintOf(decision: Decision): string {
  const { outcome, row } = decision;
  if (outcome === 'rejected') return `${row.line} ${decision.row.code}\n`;
  const courses = decision.enrollments.map(({ course }) => ` ${course.id}`).join('');
  if (outcome === 'created') return `${row.line} +${courses}\n`;
  const { id, updatedAt } = decision.account;
  return outcome === 'skipped'
    ? `${row.line} ${decision.code} ${id}${courses}\n`
    : `${row.line} ${id} ${updatedAt.toISOString()}${courses}\n`;
}

function sampleOf(decision: Decision): PlanSample {
  const { outcome, row } = decision;
  if (outcome === 'rejected') return { line: row.line, outcome, code: decision.row.code, reason: decision.row.reason };
  const { firstName, lastName, email } = decision.row.person;
  const person = `${firstName} ${lastName} <${email}>`;
  if (outcome === 'created') return { line: row.line, outcome, person };
  if (outcome === 'skipped') return { line: row.line, outcome, code: decision.code, person };
  const changes = [...Object.keys(decision.changes), ...(decision.resetPassword ? ['password'] : [])];
  return { line: row.line, outcome, person, changes };
}

function refusalOf({ onError, maxErrors }: ImportOptions, { rejected }: ImportCounts, samples: readonly PlanSample[]) {
  const limit = onError === 'abort' ? 0 : maxErrors;
  if (limit === undefined || rejected <= limit) return null;
  const first = samples.find(({ outcome }) => outcome === 'rejected');
  const allowed = onError === 'abort' ? 'none may be' : `no more than ${limit} may be`;
  return `${rejected} rows are bad, and ${allowed}: nothing was written.${first ? ` The first is line ${first.line}: ${first.reason}` : ''}`;
}

function columnsOf({ own, fields, fullName }: ColumnMapping): Record<string, string> {
  const headings = new Map(own.map(({ heading, index }) => [index, heading.trim()]));
  const found: [string, number][] = [
    ...fields,
    ...(fullName === undefined ? [] : [['fullName', fullName] as const]),
  ].map(([field, index]) => [field, index]);
  return Object.fromEntries(found.map(([field, index]) => [field, headings.get(index) ?? '']));
}

/** The decisions up to the first bad row. */
export function upToFirstRejected(decisions: readonly Decision[]): Decision[] {
  const bad = decisions.findIndex(({ outcome }) => outcome === 'rejected');
  return bad < 0 ? [...decisions] : decisions.slice(0, bad + 1);
}

export interface PlanRequest {
  /** Path of the file. */
  file: string;
  /** Raw options. */
  options: object;
  signal: AbortSignal;
  /** With more rows than this the file is refused. */
  maxRows?: number;
  /** The import to go on with; when absent, a run of the same file and options that broke off is looked for. */
  record?: Import;
  /** Called with the number of rows read so far. */
  onProgress?(rows: number): void;
}

/**
 * Reads a whole file and tells what importing it would do.
 * @throws AppError `IMPORT_FILE_INVALID`, `VALIDATION` for the options, `INTERRUPTED`
 */
export async function planImport(core: Core, request: PlanRequest): Promise<ImportPlan> {
  const startedAt = performance.now();
  const { file, signal } = request;
  const options = validate(importOptionsSchema, request.options);
  const identity = await fileIdentity(file);
  const { sha256: fileSha256, encoding } = await inspectFile(fileBytes(file), options.encoding);
  const begun = request.record ?? (await findUnfinished(core, { fileSha256, options }));
  const decider = await Decider.open(core, options, begun);
  const { format, mapping, batches, repetitions, close } = await openImportFile(
    fileBytes(file),
    {
      options,
      format: { encoding, delimiter: options.delimiter ?? 'auto' },
      policy: await passwordPolicy(core.config),
    },
    core.config.imports,
  );
  const seats = new Seats(core);
  const plan = new PlanBuilder(begun ? countsOf(begun) : noCounts);
  let stopsAtLine: number | null = null;
  let read = 0;
  try {
    for await (const batch of batches) {
      if (signal.aborted) throw new AppError('INTERRUPTED', 'Interrupted; nothing was written.');
      read += batch.length;
      if (request.maxRows !== undefined && read > request.maxRows)
        throw new AppError(
          'IMPORT_FILE_INVALID',
          `The file has more than ${request.maxRows} rows. Split it, or import it with coursectl users import.`,
        );
      const rows = batch.slice(Math.max(0, batch.length - (read - (begun?.rowsDone ?? 0))));
      if (rows.length === 0) continue;
      const decisions = await decider.decide(rows, seats);
      const wanted = options.onError === 'stop' ? upToFirstRejected(decisions) : decisions;
      plan.add(wanted);
      request.onProgress?.(plan.counts.rows);
      const last = wanted.at(-1);
      if (options.onError === 'stop' && last?.outcome === 'rejected') {
        stopsAtLine = last.row.line;
        break;
      }
    }
  } finally {
    await close();
  }
  if (plan.counts.rows === 0)
    throw new AppError('IMPORT_FILE_INVALID', `The file ${file} has a header and no rows below it.`);
  // It was read twice.
  if ((await fileIdentity(file)) !== identity)
    throw new AppError('IMPORT_CONFLICT', `The file ${file} was changed while it was read. Import it again.`);
  const { counts, samples, generatedPasswords } = plan;
  return {
    id: createHash('sha256')
      .update(fileSha256)
      .update(optionsText(options))
      .update(plan.fingerprint.digest())
      .digest('hex')
      .slice(0, 16),
    file,
    fileSha256,
    fileIdentity: identity,
    options,
    format,
    columns: columnsOf(mapping),
    ignoredColumns: mapping.ignored,
    counts,
    samples,
    generatedPasswords,
    stopsAtLine,
    refusal: refusalOf(options, counts, samples),
    unfinished: begun && { id: begun.id, rowsDone: begun.rowsDone, planId: begun.planId },
    repetitions: stopsAtLine === null ? repetitions() : undefined,
    seconds: (performance.now() - startedAt) / 1000,
  };
}
