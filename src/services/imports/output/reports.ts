import path from 'node:path';
import type { Import } from '../../../db/models/import.js';
import { AppError } from '../../../errors.js';
import { isWorkbookName } from '../../../schemas/table-format.js';
import {
  type CsvFormat,
  isEncodable,
  type ReportFormat,
  replaceUnencodableLetters,
} from '../../../tables/write/csv.js';
import type { Core } from '../../core.js';
import type { Decision } from '../plan/outcomes.js';
import { type ImportPlan, type PlanRequest, planImport } from '../plan/plan.js';
import type { ColumnMapping } from '../read/columns/columns.js';
import { rejectColumns } from '../read/fields/headings.js';
import type { ImportFile } from '../read/import-file.js';
import { rejectLine } from '../read/rows/row-fields.js';
import { ownFile } from '../store/spool.js';
import { makeWorkbook } from './report-downloads.js';
import { type CommittedBytes, ReportFile, type ReportOptions } from './report-file.js';
import { numberedPaths, reportFormat, workbookPath } from './report-workbook.js';

export interface Reports {
  credentials: ReportFile;
  rejects: ReportFile;
}

/** Returns the database columns of an import that describe its report files. */
export function reportColumns({ credentials, rejects }: Reports) {
  return {
    credentialsFile: credentials.path,
    credentialsBytes: credentials.length,
    credentialsDigest: credentials.digest,
    rejectsFile: rejects.path,
    rejectsBytes: rejects.length,
    rejectsDigest: rejects.digest,
  };
}

/** Call this after the database committed the appended rows, or the paths of new files. */
export function commitReports({ credentials, rejects }: Reports): void {
  credentials.commit();
  rejects.commit();
}

/** Closes the files, and removes files without rows. The folder of a spooled file can be removed only afterwards. */
export async function closeReports({ credentials, rejects }: Reports): Promise<void> {
  await credentials.close();
  await rejects.close();
}

export interface ReportPaths {
  /** New path for generated passwords; by default next to the imported file. */
  credentialsFile?: string;
  /** New path for rejected rows; by default next to the imported file. */
  rejectsFile?: string;
  /** File next to which the default paths are; by default the imported file. */
  beside?: string;
}

const credentialsHeader = ['line', 'firstName', 'lastName', 'email', 'phone', 'password'];

const rejectsHeader = ({ fileColumns }: ColumnMapping) => [
  ...fileColumns.map(({ heading }) => heading),
  ...rejectColumns,
];

/** Yields paths next to the imported file: `people.credentials.csv`, `people.credentials-2.csv`, ... */
function pathsBeside(file: string, ending: 'credentials.csv' | 'rejected.csv' | 'rejected.xlsx'): Iterable<string> {
  const { dir, name } = path.parse(path.resolve(file));
  return numberedPaths(path.join(dir, `${name}.${ending}`));
}

/** Returns the lines of the rejects file for decisions. @param encoding encoding of the rejects file */
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
 * Makes a reason encodable. The cells of the row come from a file in this encoding, but the reason may name accounts with
 * other letters. Removes accents, and replaces names in other scripts by "account": the email follows the name.
 */
function encodableReason(reason: string, encoding: ReportFormat['encoding']): string {
  const lettered = replaceUnencodableLetters(reason, encoding);
  if (isEncodable(lettered, encoding)) return lettered;
  const words = lettered.split(' ').map((word) => (isEncodable(word, encoding) ? word : 'account'));
  return words.filter((word, index) => word !== 'account' || words[index - 1] !== 'account').join(' ');
}

interface EarlierFile extends CommittedBytes {
  path: string | null;
  /** Whether the passwords in the file were fetched. If so, the file is removed, and later passwords go to a new file. */
  isFetched?: boolean;
}

/** Contents of a report, and the input whose layout its CSV gets. */
interface ReportContent extends Pick<ReportOptions, 'kind' | 'header'> {
  /** Format of the imported file; unused for a report that becomes a workbook, which can contain all letters. */
  input: CsvFormat;
}

const toReportOptions = ({ input, ...content }: ReportContent, isWorkbook: boolean) => ({
  ...content,
  format: reportFormat(content.kind, isWorkbook ? undefined : input),
});

/** Opens the file of the interrupted run, or a new one. @param namedPath path that the operator named */
async function openReport(
  content: ReportContent,
  namedPath: string | undefined,
  beside: Iterable<string>,
  earlier: EarlierFile | null,
): Promise<ReportFile> {
  const file = earlier && earlier.length > 0 ? earlier.path : null;
  if (earlier && file !== null && !earlier.isFetched) {
    const resumed = new ReportFile({ ...toReportOptions(content, workbookPath(file) !== undefined), paths: [] });
    if (await resumed.resume(file, earlier)) return resumed;
  }
  const paths = namedPath === undefined ? beside : [path.resolve(namedPath)];
  const [first = ''] = paths;
  const report = new ReportFile({
    ...toReportOptions(content, isWorkbookName(first)),
    paths,
    mayReplaceLeftover: earlier !== null,
    fetchedFile: earlier?.isFetched ? file : null,
  });
  await report.assertCreatable(
    namedPath === undefined ? 'name other files with --credentials <file> and --rejects <file>' : 'name another file',
  );
  return report;
}

/**
 * Opens the files of an import: those of the interrupted run, or new files, which are created with their first rows.
 * @throws AppError `USAGE` for an unusable path, `FILE_UNUSABLE`
 */
export async function openReports(
  core: Core,
  unfinished: Import | null,
  { mapping, format }: Pick<ImportFile, 'mapping' | 'format'>,
  file: string,
  { credentialsFile, rejectsFile, beside = file }: ReportPaths,
): Promise<Reports> {
  if (rejectsFile !== undefined && rejectsFile === credentialsFile)
    throw new AppError('USAGE', 'Passwords and rejected rows need separate files. Name two.');
  /** Returns null for a path outside of the import's folder. */
  const ownPath = async (named: string | null) =>
    named !== null && unfinished?.origin === 'http' ? ((await ownFile(core, unfinished, named)) ?? null) : named;
  // Over HTTP, reports stay CSV: workbooks are made when they are downloaded.
  const isWorkbook = format.workbook !== null && unfinished?.origin !== 'http';
  const credentials = await openReport(
    { kind: 'credentials', header: credentialsHeader, input: format },
    credentialsFile,
    pathsBeside(beside, 'credentials.csv'),
    unfinished && {
      path: await ownPath(unfinished.credentialsFile),
      length: Number(unfinished.credentialsBytes),
      digest: unfinished.credentialsDigest,
      isFetched: unfinished.credentialsFetchedAt !== null,
    },
  );
  try {
    const rejects = await openReport(
      { kind: 'rejects', header: rejectsHeader(mapping), input: format },
      rejectsFile,
      pathsBeside(beside, isWorkbook ? 'rejected.xlsx' : 'rejected.csv'),
      unfinished && {
        path: await ownPath(unfinished.rejectsFile),
        length: Number(unfinished.rejectsBytes),
        digest: unfinished.rejectsDigest,
      },
    );
    return { credentials, rejects };
  } catch (error) {
    await credentials.close();
    throw error;
  }
}

/**
 * Plans an import, and writes the rows that it would reject to a new file, as the import would. Writes no file if no row
 * would be rejected, or after a failure.
 * @param rejectsFile path of the new file
 * @throws AppError `USAGE` for an unusable path, `FILE_UNUSABLE`, and the errors of {@link planImport}
 */
export async function planWithRejects(
  core: Core,
  request: Omit<PlanRequest, 'onDecisions'>,
  rejectsFile: string,
): Promise<ImportPlan> {
  let file: ReportFile | undefined;
  try {
    const plan = await planImport(core, {
      ...request,
      async onDecisions(decisions, { mapping, format }) {
        const content = { kind: 'rejects', header: rejectsHeader(mapping), input: format } as const;
        file ??= await openReport(content, rejectsFile, [], null);
        const lines = rejectLines(mapping, decisions, file.encoding);
        if (lines.length === 0) return;
        if (file.length === 0) await file.begin();
        await file.append(lines);
        file.commit();
      },
    });
    if (file?.path) {
      const csv = { kind: 'rejects', file: file.path, bytes: file.length } as const;
      await ((await makeWorkbook(csv, 'name another file')) ? file.discard() : file.close());
    }
    return plan;
  } catch (error) {
    // Otherwise, the same command would be refused because the file exists.
    await file?.discard();
    throw error;
  }
}
