import { createHash } from 'node:crypto';
import type { Import } from '../../db/models/import.js';
import { AppError } from '../../errors.js';
import { type ImportOptions, importOptionsSchema } from '../../schemas/import.js';
import { validate } from '../../schemas/validate.js';
import type { Core } from '../core.js';
import { type CsvFormat, fileBytes, fileIdentity } from './csv-source.js';
import { type Decision, decide } from './existing.js';
import { inspectFile } from './inspect.js';
import { openImportFile, type RowCode } from './rows.js';

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
  outcome: 'created' | 'skipped' | 'rejected';
  code?: RowCode;
  reason?: string;
  /** Name and email, of rows that are valid. */
  person?: string;
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
  ignoredColumns: readonly string[];
  counts: ImportCounts;
  samples: readonly PlanSample[];
  /** How many of the accounts to be created get a generated password. */
  generatedPasswords: number;
  /** An import of this file that broke off: applying the plan takes it up. */
  unfinished: { id: string; rowsDone: number } | null;
}

/** How many examples of each outcome a plan keeps. */
const samplesPerOutcome = { created: 3, skipped: 3, rejected: 10 };

/** A run of the same file with the same options that broke off. */
export async function findUnfinished(
  core: Core,
  plan: Pick<ImportPlan, 'fileSha256' | 'options'>,
): Promise<Import | null> {
  return core.database.read(() =>
    core.database.models.Import.findOne({
      where: {
        fileSha256: plan.fileSha256,
        optionsJson: JSON.stringify(plan.options),
        status: ['running', 'interrupted'],
      },
      order: [['id', 'DESC']],
    }),
  );
}

/** Collects what a plan says while the rows go by. */
class PlanBuilder {
  readonly counts: ImportCounts = { rows: 0, created: 0, updated: 0, skipped: 0, rejected: 0, enrolled: 0 };
  readonly samples: PlanSample[] = [];
  readonly fingerprint = createHash('sha256');
  generatedPasswords = 0;

  add(decision: Decision): void {
    const { outcome, row } = decision;
    this.counts.rows += 1;
    this.counts[outcome] += 1;
    const account = outcome === 'skipped' ? decision.userId : '';
    const sample = sampleOf(decision);
    this.fingerprint.update(`${row.line} ${outcome} ${sample.code ?? ''} ${account}\n`);
    if (outcome === 'created' && decision.row.person.password === undefined) this.generatedPasswords += 1;
    const shown = this.samples.filter((other) => other.outcome === outcome).length;
    if (shown < samplesPerOutcome[outcome]) this.samples.push(sample);
  }
}

function sampleOf(decision: Decision): PlanSample {
  const { outcome, row } = decision;
  if (outcome === 'rejected') return { line: row.line, outcome, code: decision.row.code, reason: decision.row.reason };
  const { firstName, lastName, email } = decision.row.person;
  const person = `${firstName} ${lastName} <${email}>`;
  return { line: row.line, outcome, ...(outcome === 'skipped' && { code: decision.code }), person };
}

/**
 * Reads a whole file and tells what importing it would do.
 * @param onProgress called with the number of rows read so far
 * @throws AppError `IMPORT_FILE_INVALID`, `VALIDATION` for the options, `INTERRUPTED`
 */
export async function planImport(
  core: Core,
  file: string,
  optionsInput: object,
  signal: AbortSignal,
  onProgress: (rows: number) => void = () => undefined,
): Promise<ImportPlan> {
  const options = validate(importOptionsSchema, optionsInput);
  const identity = await fileIdentity(file);
  const { sha256: fileSha256, encoding } = await inspectFile(fileBytes(file), options.encoding);
  const { format, mapping, batches } = await openImportFile(
    fileBytes(file),
    options,
    { encoding, delimiter: options.delimiter ?? 'auto' },
    core.config.imports,
  );
  const plan = new PlanBuilder();
  for await (const batch of batches) {
    if (signal.aborted) throw new AppError('INTERRUPTED', 'Interrupted; nothing was written.');
    for (const decision of await decide(core, batch)) plan.add(decision);
    onProgress(plan.counts.rows);
  }
  if (plan.counts.rows === 0)
    throw new AppError('IMPORT_FILE_INVALID', `The file ${file} has a header and no rows below it.`);
  // It was read twice.
  if ((await fileIdentity(file)) !== identity)
    throw new AppError('IMPORT_CONFLICT', `The file ${file} was changed while it was read. Import it again.`);
  const id = createHash('sha256')
    .update(fileSha256)
    .update(JSON.stringify(options))
    .update(plan.fingerprint.digest())
    .digest('hex')
    .slice(0, 16);
  const { counts, samples, generatedPasswords } = plan;
  const started = await findUnfinished(core, { fileSha256, options });
  const unfinished = started && { id: started.id, rowsDone: started.rowsDone };
  return {
    id,
    file,
    fileSha256,
    fileIdentity: identity,
    options,
    format,
    ignoredColumns: mapping.ignored,
    counts,
    samples,
    generatedPasswords,
    unfinished,
  };
}
