import { presentImport, presentImportRow } from '../../../presenters/import.js';
import { presentImportWithPlan } from '../../../presenters/import-plan.js';
import { pick } from '../../../presenters/pick.js';
import { type ImportOptions, importListingSchema, importRowListingSchema } from '../../../schemas/import.js';
import type { TableFormat } from '../../../schemas/table-format.js';
import type { Context } from '../../../services/context.js';
import { operator } from '../../../services/core.js';
import { cancelImport, previewUndo, resumeImport, undoImport } from '../../../services/imports/commands.js';
import { ledgerTable } from '../../../services/imports/output/ledger-export.js';
import { rejectedRows } from '../../../services/imports/output/report-downloads.js';
import type { ImportPlan } from '../../../services/imports/plan/plan.js';
import { findImport, importIdOf, listImports } from '../../../services/imports/store/find-import.js';
import { countKept, type KeptAccount, keptAccounts } from '../../../services/imports/store/ledger.js';
import { findPlan } from '../../../services/imports/store/plan-store.js';
import { optionsOf, resultOf } from '../../../services/imports/store/repository.js';
import { listImportRows } from '../../../services/imports/store/row-listing.js';
import { availablePath } from '../../../services/imports/store/spool.js';
import { extentOf, type UndoResult } from '../../../services/imports/undo/undo.js';
import { tablePieces } from '../../../tables/write/table.js';
import { assertCanAsk, confirm } from '../../core/bulk/confirm.js';
import { whenMailsLeave } from '../../core/bulk/mail-hint.js';
import { createProgress } from '../../core/bulk/progress.js';
import type { tableOutputOption } from '../../core/command/declaration.js';
import { exitCodes } from '../../core/command/exit-codes.js';
import type { Result, Run } from '../../core/command/run.js';
import { assertTableDestination, tableTarget, writeData } from '../../core/listing/file-output.js';
import { checkListing, listing, presented } from '../../core/listing/listing.js';
import { fieldsText } from '../../core/listing/table.js';
import { asTyped, counted, type Io } from '../../core/output/output.js';
import { correctionHint, givenOptions } from './command-lines.js';
import {
  importColumns,
  type importListOptions,
  importRowColumns,
  type importRowOptions,
  type rejectsOptions,
  type resumeOptions,
  trainerName,
  type undoOptions,
} from './options.js';
import { anotherRun, confirmPlan, effectsText, report, stderrOf, withResumeHint } from './outcome.js';

export { assertTableDestination };

type ImportRecord = Awaited<ReturnType<typeof findImport>>;

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkList(run: Run<'', typeof importListOptions>): void {
  const { status, rejectedWithin } = run.options;
  checkListing(run, importColumns, importListingSchema, { status, rejectedWithin });
}

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkRows(run: Run<'<import>', typeof importRowOptions>): void {
  const { outcome, code, search } = run.options;
  checkListing(run, importRowColumns, importRowListingSchema, { outcome, code, search });
}

/** Finds the import that the command line names. @throws AppError `NOT_FOUND`, `VALIDATION` */
const namedImport = async (run: Run<'<import>'>, context: Context): Promise<ImportRecord> =>
  findImport(context, operator, await importIdOf(context, run.arguments.import));

/**
 * Returns an import for `--json`: the response of the API, `rowsTotal`, which the API has only in `progress`, and the paths
 * of files on this machine.
 */
function importJson(context: Context, record: ImportRecord) {
  const { credentialsFile, rejectsFile } = resultOf(record);
  const { rowsTotal, credentialsFetchedAt } = record;
  const filePath = availablePath(context, record);
  return { ...presentImport(record), filePath, rowsTotal, credentialsFile, credentialsFetchedAt, rejectsFile };
}

/** Lists imports, newest first. @throws AppError `VALIDATION` */
export async function list(run: Run<'', typeof importListOptions>): Promise<Result> {
  const { status, rejectedWithin } = run.options;
  return listing(run, { key: 'imports', singular: 'import', columns: importColumns }, async () => {
    const context = await run.context();
    return async (page) =>
      presented(await listImports(context, operator, { status, rejectedWithin, ...page }), (record) =>
        importJson(context, record),
      );
  });
}

/** Lists the rows of an import. @throws AppError `NOT_FOUND`, `VALIDATION` */
export async function rows(run: Run<'<import>', typeof importRowOptions>): Promise<Result> {
  const { outcome, code, search } = run.options;
  return listing(run, { key: 'rows', singular: 'row', columns: importRowColumns }, async () => {
    const context = await run.context();
    const id = await importIdOf(context, run.arguments.import);
    return async (page) =>
      presented(await listImportRows(context, operator, id, { outcome, code, search, ...page }), presentImportRow);
  });
}

/** Shows one import, and the accounts that an undo kept while its rows exist. @throws AppError `NOT_FOUND` */
export async function show(run: Run<'<import>'>): Promise<Result> {
  const context = await run.context();
  const record = await namedImport(run, context);
  // The list would be incomplete while the rows are being deleted.
  const kept = record.ledgerClosedAt === null ? await keptOf(run, context, record.id) : { count: 0, accounts: [] };
  const { plan } = presentImportWithPlan(record, await findPlan(context, record));
  const { counts, credentialsFile, rejectsFile } = resultOf(record);
  const keptFile = availablePath(context, record);
  const fields: [string, string | null][] = [
    ['number', String(record.number)],
    ['id', record.id],
    ['status', record.status],
    ['trainer', trainerName(record.trainer ?? null)],
    ['problem', record.errorMessage ?? plan?.problem?.message ?? null],
    ['plan', plan?.id ?? null],
    ['expires', plan?.expiresAt.toISOString() ?? null],
    ['file', record.origin === 'http' ? record.fileName : (keptFile ?? record.fileName)],
    ['kept as', record.origin === 'http' ? keptFile : null],
    ['options', optionsText(optionsOf(record))],
    ['rows', `${counts.rows}${record.rowsTotal === null ? '' : ` of ${record.rowsTotal}`}`],
    ['created', String(counts.created)],
    ['updated', String(counts.updated)],
    ['skipped', String(counts.skipped)],
    ['rejected', String(counts.rejected)],
    ['enrolled', String(counts.enrolled)],
    ['waiting', counts.waiting > 0 ? String(counts.waiting) : null],
    ['left out', counts.leftOut > 0 ? String(counts.leftOut) : null],
    ['left the group', counts.left > 0 ? String(counts.left) : null],
    [
      'passwords',
      record.credentialsFetchedAt ? `fetched ${record.credentialsFetchedAt.toISOString()}` : credentialsFile,
    ],
    ['rejects', rejectsFile],
    ['begun', record.createdAt.toISOString()],
    ['ended', record.finishedAt?.toISOString() ?? null],
    ['undone', record.undoneAt?.toISOString() ?? null],
    [counts.rows > 0 ? 'rows deleted' : 'closed', record.ledgerClosedAt?.toISOString() ?? null],
  ];
  return {
    json: { import: { ...importJson(context, record), plan }, kept: kept.accounts },
    text: [fieldsText(fields, run.display), ...keptText(kept.accounts, kept.count)].join('\n'),
  };
}

/** Returns the options of an import that differ from the defaults, one per line: "on existing: update". */
function optionsText(options: ImportOptions): string {
  const words = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const given = Object.entries(givenOptions(options)).map(
    ([name, value]: [string, unknown]) => `${words(name)}: ${value === true ? 'yes' : [value].flat().join(', ')}`,
  );
  return given.join('\n');
}

/** Returns the accounts that an undo kept and their number: all accounts for `--json`, otherwise the first ones. */
async function keptOf(
  run: Run<'<import>'>,
  context: Context,
  id: string,
): Promise<{ count: number; accounts: KeptAccount[] }> {
  const accounts: KeptAccount[] = [];
  for await (const piece of keptAccounts(context, id)) {
    accounts.push(...piece);
    if (!run.options.json) return { count: await countKept(context, id), accounts };
  }
  return { count: accounts.length, accounts };
}

/** Exports the outcome of each row. @throws AppError `NOT_FOUND`, `FILE_UNUSABLE` */
export async function exportLedger(run: Run<'<import>', typeof tableOutputOption>): Promise<Result> {
  const context = await run.context();
  const record = await namedImport(run, context);
  const { format, file } = tableTarget(run.options.output);
  await writeData(run.io, file, tablePieces(ledgerTable(context, operator, record), format));
  const exported = record.rowsDone;
  return file === undefined
    ? {}
    : { json: { exported, file }, text: `${counted(exported, 'row')} written to ${file}.` };
}

/** Returns the format of `--output`; by default CSV for a terminal, otherwise undefined: the format of the imported file. */
const rejectsFormat = ({ io, options: { output } }: Run<'', typeof rejectsOptions>): TableFormat | undefined =>
  output !== undefined || io.stdout.isTTY ? tableTarget(output).format : undefined;

/**
 * Writes the rejected rows with reasons, as a file that can be corrected and imported.
 * @throws AppError `NOT_FOUND`, `FILE_UNUSABLE`
 */
export async function rejects(run: Run<'<import>', typeof rejectsOptions>): Promise<Result> {
  const context = await run.context();
  const record = await namedImport(run, context);
  const { file } = tableTarget(run.options.output);
  await writeData(run.io, file, rejectedRows(record, rejectsFormat(run)));
  const rejected = record.rejectedCount;
  return file === undefined
    ? {}
    : {
        json: { rejected, file },
        text: [
          `${counted(rejected, 'row')} written to ${file}.`,
          ...correctionHint(run.io, file, optionsOf(record)),
        ].join('\n'),
      };
}

/** Resumes an interrupted import after a confirmation. @throws the errors of {@link resumeImport} */
export async function resume(run: Run<'<import>', typeof resumeOptions>): Promise<Result> {
  const context = await run.context();
  const record = await namedImport(run, context);
  assertCanAsk(run, 'resume');
  const startedAt = performance.now();
  const shown = { progress: createProgress(run, 'Reading', undefined), total: 0 };
  let seen: Pick<ImportPlan, 'columns' | 'warnings'> = { columns: [], warnings: [] };
  try {
    const result = await withResumeHint(run, shown, (options) =>
      resumeImport(context, operator, record.id, options, async (plan) => {
        shown.progress.stop();
        if (run.options.yes) run.say(effectsText(plan, stderrOf(run.io)).join('\n'), { painted: true });
        else if (plan.refusal === null) await confirmPlan(run, plan);
        shown.total = plan.counts.rows;
        seen = pick(plan, ['columns', 'warnings']);
        shown.progress = createProgress(run, 'Importing', shown.total);
      }),
    );
    return report(
      { ...result, options: optionsOf(record), ...seen },
      (performance.now() - startedAt) / 1000,
      run,
      await whenMailsLeave(run.io, context),
    );
  } finally {
    shown.progress.stop();
  }
}

/** Cancels an import after the current batch of rows. @throws AppError `NOT_FOUND`, `IMPORT_CONFLICT` */
export async function cancel(run: Run<'<import>'>): Promise<Result> {
  const context = await run.context();
  const record = await cancelImport(context, operator, await importIdOf(context, run.arguments.import));
  const texts = new Map([
    ['cancelled', 'Cancelled'],
    ['discarded', 'Plan discarded'],
  ]);
  return {
    json: { import: importJson(context, record) },
    text: `${texts.get(record.status) ?? 'It will end after the current batch of rows'}: import ${record.number}`,
  };
}

const shownKept = 20;

const keptReasons: Record<KeptAccount['code'], string> = {
  LOGGED_IN: 'has signed in',
  INVITE_ACCEPTED: 'has accepted an invitation',
  EDITED: 'was edited since',
  ENROLLED: 'has other enrollments, or its enrollment was changed since',
  HAS_COURSES: 'has courses as their trainer',
  KEY_TAKEN: 'another account has its old email or phone now',
  COURSE_FULL: 'left the group, and another person has the seat now',
  GONE: 'was deleted',
  IN_USE: 'was used or changed since',
};

/** @param count number of all kept accounts, if `kept` has only the first ones */
function keptText(kept: readonly KeptAccount[], count = kept.length): string[] {
  if (count === 0) return [];
  const lines = kept
    .slice(0, shownKept)
    .map(
      ({ line, userId, email, code }) =>
        `  ${line === null ? 'member' : `line ${line}`}  ${email ?? userId}  ${keptReasons[code]}`,
    );
  const more = count > shownKept ? [`  and ${count - shownKept} more (--json has all)`] : [];
  return [`Kept: ${counted(count, 'account')}`, ...lines, ...more];
}

function undoText({ removed, restored, kept, mailsSent }: UndoResult, heading: string): string {
  const meaning = restored === 0 ? [] : ['Restored: these accounts and their enrollments are as before the import.'];
  const figures = `${counted(removed, 'account')} removed, ${restored} restored, ${kept.length} kept`;
  const sent =
    mailsSent === 0 ? [] : [`${counted(mailsSent, 'mail')} had been sent already; links in sent mails no longer work.`];
  return [`${heading}: ${figures}`, ...meaning, ...sent, ...keptText(kept)].join('\n');
}

const previewText = (undo: UndoResult): string => undoText(undo, 'Undo would result in');

/** Returns the command that performs the undo of a dry run, if the undo would change anything. */
const undoCommandText = (io: Io, { removed, restored }: UndoResult, number: number): string[] =>
  removed + restored === 0 ? [] : ['To do this:', `  ${asTyped(io, `imports undo ${number}`)}`];

/** Returns the result of an undo, and its exit code. */
function undoOutcome({ io }: Pick<Run, 'io'>, undo: UndoResult, number: number): Pick<Result, 'text' | 'exitCode'> {
  const extent = extentOf(undo);
  const text = undoText(undo, extent === 'nothing' ? 'Nothing was undone' : 'Undone');
  if (extent === 'all') return { text };
  return {
    text: `${text}\nOnce these reasons no longer apply, undo it again: ${asTyped(io, `imports undo ${number}`)}`,
    exitCode: extent === 'part' ? exitCodes.partial : exitCodes.failure,
  };
}

/**
 * Undoes an import after a preview and a confirmation. The exit code is 3 if some accounts are kept.
 * @throws AppError `USAGE`, `DECLINED`, `INTERRUPTED`, and the errors of {@link undoImport}
 */
export async function undo(run: Run<'<import>', typeof undoOptions>): Promise<Result> {
  const { dryRun, yes } = run.options;
  const context = await run.context();
  const { id, number } = await namedImport(run, context);
  if (!dryRun) assertCanAsk(run, 'undo', { hasDryRun: true });
  if (dryRun) {
    const preview = await previewUndo(context, operator, id, run.io.signal);
    return {
      json: { dryRun: true, undo: preview },
      text: [previewText(preview), 'Nothing was written.', ...undoCommandText(run.io, preview, number)].join('\n'),
    };
  }
  if (!yes)
    await confirm(run, {
      about: previewText(await previewUndo(context, operator, id, run.io.signal)),
      question: 'Undo this import?',
      otherwise: 'Nothing was undone.',
    });
  const progress = createProgress(run, 'Undoing', undefined);
  try {
    const result = await undoImport(context, operator, id, {
      signal: run.io.signal,
      onWait: () => progress.say(anotherRun),
      onProgress: (rows) => progress.update(rows),
    });
    const record = await findImport(context, operator, id);
    return { json: { import: importJson(context, record), undo: result }, ...undoOutcome(run, result, record.number) };
  } finally {
    progress.stop();
  }
}
