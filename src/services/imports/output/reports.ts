import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { restoreCell } from '../../../csv/cells.js';
import {
  credentialsFormat,
  isEncodable,
  type ReportFormat,
  rejectsFormat,
  withEncodableLetters,
} from '../../../csv/format.js';
import type { Import } from '../../../db/models/import.js';
import { type ImportRow, undoNoteOf } from '../../../db/models/import-row.js';
import type { User } from '../../../db/models/user.js';
import { AppError, systemErrorCode, whyUnwritable } from '../../../errors.js';
import type { Core } from '../../core.js';
import type { Decision } from '../plan/outcomes.js';
import type { ColumnMapping } from '../read/columns.js';
import { rejectColumns } from '../read/headings.js';
import type { ImportFile } from '../read/import-file.js';
import { rejectLine } from '../read/row-fields.js';
import { ownFile } from '../store/spool.js';
import { tryFolderOf } from './open-files.js';
import { ReportFile } from './report-file.js';

/** The files that an import writes. */
export interface Reports {
  credentials: ReportFile;
  rejects: ReportFile;
}

/** The columns of an import that describe its files. */
export function reportsOf({ credentials, rejects }: Reports) {
  return {
    credentialsFile: credentials.path,
    credentialsBytes: credentials.length,
    rejectsFile: rejects.path,
    rejectsBytes: rejects.length,
  };
}

/** Closes the files, and removes those without rows. A spooled file's folder can be removed only after that. */
export async function closeReports({ credentials, rejects }: Reports): Promise<void> {
  await credentials.close();
  await rejects.close();
}

/** Where the operator wants the files. */
export interface ReportPaths {
  /** The path for generated passwords, which must not exist; when absent, beside the imported file. */
  credentialsFile?: string;
  /** The path for rejected rows, which must not exist; when absent, beside the imported file. */
  rejectsFile?: string;
  /** Replaces the imported file where paths beside it are chosen. */
  beside?: string;
}

const credentialsHeader = ['line', 'firstName', 'lastName', 'email', 'phone', 'password'];

/** The files that an import may write, as their names say. */
type ReportKind = 'credentials' | 'rejected';

/** A name beside the imported file: `people.credentials.csv`, `people.credentials-2.csv`, ... */
function nameBeside(file: string, kind: ReportKind, number: number): string {
  const { dir, name } = path.parse(path.resolve(file));
  return path.join(dir, `${name}.${kind}${number === 1 ? '' : `-${number}`}.csv`);
}

interface Wanted {
  kind: ReportKind;
  header: readonly string[];
  format: ReportFormat;
  /** The path that the operator named. */
  given: string | undefined;
  /** The imported file. */
  file: string;
}

/** A file that an interrupted run has written. */
interface Written {
  path: string | null;
  bytes: number;
  /** Its passwords were fetched: it is removed, and later passwords go to a new file. */
  isFetched: boolean;
  isOurs(lastLine: string): Promise<boolean>;
}

/** The file of the interrupted run, or a new one whose name is claimed. */
async function openReport(wanted: Wanted, written: Written | null): Promise<ReportFile> {
  let replaced: string | undefined;
  if (written?.path) {
    const report = new ReportFile(written.path, wanted.header, wanted.format);
    if (written.isFetched || written.bytes === 0)
      replaced = (await report.isLeftover(written.bytes)) ? written.path : undefined;
    else if (await report.resume(written.bytes, written.isOurs)) return report;
  }
  return wanted.given === undefined ? claimBeside(wanted, replaced) : claimGiven(wanted, wanted.given, replaced);
}

/**
 * The first free name beside the imported file.
 * @param replaced a file that will be removed, so that its name can be used
 */
async function claimBeside({ kind, header, format, file }: Wanted, replaced: string | undefined): Promise<ReportFile> {
  for (let number = 1; ; number += 1) {
    const report = new ReportFile(nameBeside(file, kind, number), header, format, replaced);
    if (report.path === replaced) return report;
    const problem = await report.claim();
    // Any other fault shows when rows are written.
    if (systemErrorCode(problem) !== 'EEXIST') return report;
  }
}

/** The file that the operator has named. @throws AppError `USAGE` when it exists, or can't be created */
async function claimGiven(
  { header, format }: Wanted,
  given: string,
  replaced: string | undefined,
): Promise<ReportFile> {
  const report = new ReportFile(path.resolve(given), header, format, replaced);
  const problem = report.path === replaced ? undefined : await report.claim();
  if (problem === undefined) return report;
  if (systemErrorCode(problem) !== 'EEXIST') throw folderUnusable(report.path, problem, 'name another file');
  throw new AppError('USAGE', `The file ${report.path} exists already and is never overwritten. Name another one.`, {
    cause: problem,
  });
}

/** An error of the file system as `USAGE`; other errors unchanged. @param otherwise see {@link whyUnwritable} */
function folderUnusable(file: string, cause: unknown, otherwise: string): unknown {
  const code = systemErrorCode(cause);
  return code === undefined
    ? cause
    : new AppError('USAGE', `The file ${file} ${whyUnwritable(code, otherwise)}.`, { cause });
}

/**
 * Checks that an import at a terminal can make its files, before the imported file is read and a person confirms the plan.
 * @throws AppError `USAGE`
 */
export async function assertReportFolders({
  credentialsFile,
  rejectsFile,
  beside,
}: Required<Pick<ReportPaths, 'beside'>> & ReportPaths): Promise<void> {
  for (const [kind, given] of [
    ['credentials', credentialsFile],
    ['rejected', rejectsFile],
  ] as const) {
    const file = given ?? nameBeside(beside, kind, 1);
    const problem = await tryFolderOf(file);
    if (problem === undefined) continue;
    const otherwise =
      given === undefined ? 'name other files with --credentials <file> and --rejects <file>' : 'name another file';
    throw folderUnusable(file, problem, otherwise);
  }
}

/** Whether an account has changed since the import. */
function hasChangedSince({ outcome, undoJson }: ImportRow, { createdAt, updatedAt }: User): boolean {
  const left = outcome === 'created' ? createdAt : new Date(undoNoteOf(undoJson)?.updatedAt ?? Number.NaN);
  return updatedAt.getTime() !== left.getTime();
}

/**
 * Whether a line of a credentials file is about an account that the import gave a password. An account that was edited or
 * deleted since may have another email: then only the number of the line is checked.
 */
async function isCredentialOf(core: Core, record: Import, text: string, delimiter: string): Promise<boolean> {
  const [line, , , email] = cellsOf(text, delimiter).map(restoreCell);
  if (!line || !/^\d{1,9}$/.test(line)) return false;
  const { ImportRow, User } = core.database.models;
  return core.database.read(async () => {
    const row = await ImportRow.findOne({
      where: { importId: record.id, line: Number(line), outcome: ['created', 'updated'] },
    });
    if (!row?.userId) return false;
    const user = await User.findByPk(row.userId);
    return !user || hasChangedSince(row, user) || user.email === email;
  });
}

function cellsOf(line: string, delimiter: string): string[] {
  try {
    // Without the option `columns`, csv-parse gives lists of text.
    return (parse(line, { delimiter }) as string[][])[0] ?? [];
  } catch {
    // Not a line of CSV.
    return [];
  }
}

/** The header of the file of rejected rows. */
const rejectsHeader = ({ own }: ColumnMapping) => [...own.map(({ heading }) => heading), ...rejectColumns];

/**
 * A new file for the rejected rows of a plan.
 * @throws AppError `USAGE` when it exists, or can't be created
 */
export function planRejects({ mapping, format }: Pick<ImportFile, 'mapping' | 'format'>, given: string) {
  const header = rejectsHeader(mapping);
  return claimGiven({ kind: 'rejected', header, format: rejectsFormat(format), given, file: given }, given, undefined);
}

/**
 * The lines of the file of rejected rows for decisions.
 * @param encoding of the file
 */
export function rejectLines(
  mapping: ColumnMapping,
  decisions: readonly Decision[],
  encoding: ReportFormat['encoding'],
): string[][] {
  return decisions.flatMap(({ outcome, row }) =>
    outcome === 'rejected' ? [rejectLine(mapping, row, [row.code, encodableReason(row.reason, encoding)])] : [],
  );
}

/**
 * A reason that the encoding can write. The cells of the row come from a file with that encoding, but the accounts that a reason
 * names may have any letters: they lose their marks, and names of other scripts become "account", before the email.
 */
function encodableReason(reason: string, encoding: ReportFormat['encoding']): string {
  const lettered = withEncodableLetters(reason, encoding);
  if (isEncodable(lettered, encoding)) return lettered;
  const words = lettered.split(' ').map((word) => (isEncodable(word, encoding) ? word : 'account'));
  return words.filter((word, index) => word !== 'account' || words[index - 1] !== 'account').join(' ');
}

/** The path of a file of an interrupted run; nothing for one that is in no folder where such an import writes. */
async function writtenPath(core: Core, record: Import, file: string | null): Promise<string | null> {
  if (file === null || record.origin !== 'http') return file;
  return (await ownFile(core, record, file)) ?? null;
}

/**
 * Opens the files of an import: those of the interrupted run, or new ones.
 * @throws AppError `USAGE` for a path that can't be used, `FILE_UNUSABLE`
 */
export async function openReports(
  core: Core,
  unfinished: Import | null,
  { mapping, format }: Pick<ImportFile, 'mapping' | 'format'>,
  file: string,
  { credentialsFile, rejectsFile, beside = file }: ReportPaths,
): Promise<Reports> {
  const credentials = await openReport(
    {
      kind: 'credentials',
      header: credentialsHeader,
      format: credentialsFormat(format),
      given: credentialsFile,
      file: beside,
    },
    unfinished && {
      path: await writtenPath(core, unfinished, unfinished.credentialsFile),
      bytes: Number(unfinished.credentialsBytes),
      isFetched: unfinished.credentialsFetchedAt !== null,
      isOurs: (line) => isCredentialOf(core, unfinished, line, format.delimiter),
    },
  );
  try {
    if (rejectsFile !== undefined && path.resolve(rejectsFile) === credentials.path)
      throw new AppError('USAGE', 'Passwords and rejected rows need a file each: name two.');
    const rejects = await openReport(
      {
        kind: 'rejected',
        header: rejectsHeader(mapping),
        format: rejectsFormat(format),
        given: rejectsFile,
        file: beside,
      },
      unfinished && {
        path: await writtenPath(core, unfinished, unfinished.rejectsFile),
        bytes: Number(unfinished.rejectsBytes),
        isFetched: false,
        isOurs: async () => true,
      },
    );
    return { credentials, rejects };
  } catch (error) {
    await credentials.close();
    throw error;
  }
}
