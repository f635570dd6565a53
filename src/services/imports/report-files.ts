import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Import } from '../../db/models/import.js';
import type { ImportRow } from '../../db/models/import-row.js';
import type { User } from '../../db/models/user.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';
import { restoreCell } from './cells.js';
import { type ColumnMapping, rejectColumns } from './columns.js';
import { ReportFile } from './report.js';
import { undoNoteOf } from './undo-note.js';

/** The files that an import writes. */
export interface Reports {
  credentials: ReportFile;
  rejects: ReportFile;
}

/** Where an operator wants them. */
export interface ReportPaths {
  /** Where generated passwords go; must not exist. Beside the imported file when absent. */
  credentialsFile?: string;
  /** Where rejected rows go; must not exist. Beside the imported file when absent. */
  rejectsFile?: string;
  /** Stands for the imported file when paths beside it are chosen. */
  beside?: string;
}

const credentialsHeader = ['line', 'firstName', 'lastName', 'email', 'phone', 'password'];

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    // Whatever else is wrong with the path shows when it is written.
    return false;
  }
}

/**
 * A path beside the imported file that is free: `people.credentials.csv`, else `people.credentials-2.csv`, ...
 * @param replaced a file that will be gone
 */
async function freePathBeside(file: string, kind: 'credentials' | 'rejected', replaced?: string): Promise<string> {
  const { dir, name } = path.parse(path.resolve(file));
  for (let number = 1; ; number += 1) {
    const candidate = path.join(dir, `${name}.${kind}${number === 1 ? '' : `-${number}`}.csv`);
    if (candidate === replaced || !(await exists(candidate))) return candidate;
  }
}

async function assertCreatable(file: string, replaced?: string): Promise<void> {
  if (file !== replaced && (await exists(file)))
    throw new AppError('USAGE', `The file ${file} exists already and is never overwritten. Name another one.`);
  try {
    await access(`${path.dirname(file)}/`, constants.W_OK);
  } catch (error) {
    throw new AppError('USAGE', `The file ${file} can't be made: its folder doesn't exist or can't be written.`, {
      cause: error,
    });
  }
}

interface Wanted {
  kind: 'credentials' | 'rejected';
  header: readonly string[];
  /** The path that the operator named. */
  given: string | undefined;
  /** The imported file. */
  file: string;
}

/** What a run that broke off has written. */
interface Written {
  path: string | null;
  bytes: number;
  /** Its passwords were handed out: it is to be gone, and those that follow begin a new one. */
  isSpent: boolean;
  isOurs(lastLine: string): Promise<boolean>;
}

/** The file of the run that broke off, or one that is yet to be begun. */
async function openReport({ kind, header, given, file }: Wanted, written: Written | null): Promise<ReportFile> {
  let replaced: string | undefined;
  if (written?.path) {
    const report = new ReportFile(written.path, header);
    if (written.isSpent) replaced = (await report.isIntact(written.bytes)) ? written.path : undefined;
    else if (written.bytes === 0) replaced = (await report.isLeftover()) ? written.path : undefined;
    else if (await report.resume(written.bytes, written.isOurs)) return report;
  }
  if (given === undefined) return new ReportFile(await freePathBeside(file, kind, replaced), header, replaced);
  await assertCreatable(path.resolve(given), replaced);
  return new ReportFile(path.resolve(given), header, replaced);
}

/** Whether an account is no longer as the import left it. */
function hasChangedSince({ outcome, undoJson }: ImportRow, { createdAt, updatedAt }: User): boolean {
  const left = outcome === 'created' ? createdAt : new Date(undoNoteOf(undoJson)?.updatedAt ?? Number.NaN);
  return updatedAt.getTime() !== left.getTime();
}

/**
 * Whether a line of a credentials file is about an account that the import gave a password. One that was edited since may
 * have another email, or be gone: then the number of the line has to do.
 */
async function isCredentialOf(core: Core, record: Import, text: string): Promise<boolean> {
  const [line, , , email] = cellsOf(text).map(restoreCell);
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

function cellsOf(line: string): string[] {
  try {
    return (parse(line) as string[][])[0] ?? [];
  } catch {
    // Not a line of CSV.
    return [];
  }
}

/**
 * Opens the files of an import: those of the run that broke off, if there was one; else nothing is made yet.
 * @throws AppError `USAGE` for a path that can't be used, `FILE_UNUSABLE`
 */
export async function openReports(
  core: Core,
  unfinished: Import | null,
  mapping: ColumnMapping,
  file: string,
  { credentialsFile, rejectsFile, beside = file }: ReportPaths,
): Promise<Reports> {
  const rejectsHeader = [...mapping.own.map(({ heading }) => heading), ...rejectColumns];
  const credentials = await openReport(
    { kind: 'credentials', header: credentialsHeader, given: credentialsFile, file: beside },
    unfinished && {
      path: unfinished.credentialsFile,
      bytes: Number(unfinished.credentialsBytes),
      isSpent: unfinished.credentialsFetchedAt !== null,
      isOurs: (line) => isCredentialOf(core, unfinished, line),
    },
  );
  try {
    const rejects = await openReport(
      { kind: 'rejected', header: rejectsHeader, given: rejectsFile, file: beside },
      unfinished && {
        path: unfinished.rejectsFile,
        bytes: Number(unfinished.rejectsBytes),
        isSpent: false,
        isOurs: async () => true,
      },
    );
    if (rejects.path === credentials.path)
      throw new AppError('USAGE', 'Passwords and rejected rows need a file each: name two.');
    return { credentials, rejects };
  } catch (error) {
    await credentials.close();
    throw error;
  }
}
