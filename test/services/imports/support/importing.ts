import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import iconv from 'iconv-lite';
import { QueryTypes } from 'sequelize';
import type { ImportCounts } from '../../../../src/db/models/import.js';
import type { ImportRow } from '../../../../src/db/models/import-row.js';
import type { Context } from '../../../../src/services/context.js';
import { type ImportPlan, planImport } from '../../../../src/services/imports/plan/plan.js';
import { openWorkbook } from '../../../../src/tables/workbook/open-workbook.js';
import { readCell, restoreProtected } from '../../../../src/tables/write/cells.js';
import { xlsxBytes } from '../../../../src/tables/write/xlsx.js';
import { testEnvironment } from '../../../support/environment.js';
import { type Harness, useHarness } from '../../../support/harness.js';
import { type CliResult, runCli } from '../../../support/run-cli.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const tables = [
  ...(['users', 'imports', 'import_rows', 'audit_entries'] as const),
  ...(['sessions', 'courses', 'enrollments'] as const),
];

/** Output of `users import --json`. */
export interface ImportJson {
  import: {
    id: string;
    number: number;
    status: string;
    file: string;
    counts: ImportCounts;
    credentialsFile: string | null;
    rejectsFile: string | null;
    columns: ImportPlan['columns'];
    seconds: number;
  };
}

/** Runs imports in a separate folder, into the harness's database. */
export interface Importing extends Harness {
  folder: string;
  env: Record<string, string>;
  /** Writes a file into the folder. @returns its path */
  write(name: string, content: string | Buffer): string;
  /** Returns the text of a file in the folder. */
  read(name: string): string;
  /** Returns the names of the files in the folder. */
  files(): string[];
  /** Runs `users import`. Removes the list of columns, which `--yes` prints, from its standard error. */
  run(...args: string[]): Promise<CliResult>;
  /** Runs `users import`, and returns its whole output. */
  runWhole(...args: string[]): Promise<CliResult>;
  /** Runs `users import` with `--yes --json`. */
  json(...args: string[]): Promise<ImportJson['import'] & { exitCode: number }>;
  models(): Context['database']['models'];
  /** Runs another command in the folder. */
  cli(...args: string[]): Promise<CliResult>;
  /** Plans the import of a file. */
  plan(file: string, options?: object): Promise<ImportPlan>;
  /** Returns the ledger of an import. */
  ledger(id: string): Promise<ImportRow[]>;
  /** Returns all rows of all tables as text. */
  contents(): Promise<string>;
}

/**
 * Gives the enclosing `describe` an empty folder and an emptied database for each test.
 * @param settings environment variables
 */
export function useImporting(settings: Record<string, string> = {}): Importing {
  const harness = useHarness(settings);
  let folder: ReturnType<typeof temporaryFolder>;
  const importing: Importing = Object.assign(harness, {
    folder: '',
    env: {},
    write(name: string, content: string | Buffer) {
      const file = path.join(importing.folder, name);
      writeFileSync(file, content);
      return file;
    },
    read: (name: string) => readFileSync(path.join(importing.folder, name), 'utf8'),
    files: () => readdirSync(importing.folder).sort(),
    run: async (...args: string[]) => withoutColumns(await importing.runWhole(...args)),
    runWhole: (...args: string[]) =>
      runCli(['users', 'import', ...args], { env: importing.env, cwd: importing.folder }),
    async json(...args: string[]) {
      const { exitCode, stdout, stderr } = await importing.run(...args, '--yes', '--json');
      const printed = JSON.parse(stdout) as ImportJson & { error?: { message: string } };
      if (printed.error) throw new Error(`exit ${exitCode}: ${printed.error.message} ${stderr}`);
      return { exitCode, ...printed.import };
    },
    models: () => harness.context.database.models,
    cli: async (...args: string[]) => withoutColumns(await runCli(args, { env: importing.env, cwd: importing.folder })),
    plan: (file: string, options: object = {}) =>
      planImport(harness.context, { file, options, signal: new AbortController().signal }),
    ledger: (importId: string) =>
      harness.context.database.models.ImportRow.findAll({ where: { importId }, order: ['line'] }),
    async contents() {
      const all: Record<string, object[]> = {};
      for (const table of tables) {
        all[table] = await harness.context.database.sequelize.query(`SELECT * FROM ${table}`, {
          type: QueryTypes.SELECT,
        });
      }
      return JSON.stringify(all);
    },
  });
  beforeEach(() => {
    folder = temporaryFolder();
    importing.folder = folder.path;
    importing.env = { ...testEnvironment, ...settings, DATABASE_URL: harness.databaseUrl, DATA_DIR: folder.path };
  });
  afterEach(() => folder.remove());
  return importing;
}

/** Removes the list of columns from the standard error of a command. */
export const withoutColumns = (result: CliResult): CliResult => ({
  ...result,
  stderr: result.stderr.replace(/^ {2}Columns(?::| ignored| without)[^\n]*\n(?: {4}[^\n]*\n)*/gm, ''),
});

/** Returns the standard error of a command without progress lines, which appear only on slow machines. */
export const withoutProgress = (stderr: string): string =>
  stderr.replace(/^(Reading|Importing|Undoing): \d+ .*rows\/s.*\n/gm, '');

/** Returns the text of a file that we wrote, in any encoding. */
export function textOf(file: string): string {
  const bytes = readFileSync(file);
  const marks = { 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] };
  const marked = Object.entries(marks).find(([, mark]) => bytes.subarray(0, 2).equals(Buffer.from(mark)))?.[0];
  return iconv.decode(bytes, marked ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252'), { stripBOM: false });
}

/** Returns the records of a CSV file that we wrote, by column; empty if there is no file. */
export function recordsOf(file: string | null): Record<string, string>[] {
  if (file === null || !existsSync(file)) return [];
  const text = textOf(file).replace(/^\ufeff?(sep=.\n)?/, '');
  const header = text.split('\n')[0] ?? '';
  const [delimiter = ','] = [',', ';', '\t', '|'].sort(
    (one, other) => header.split(other).length - header.split(one).length,
  );
  const cast = (cell: string) => restoreProtected(readCell(cell));
  return parse(text, { columns: true, delimiter, cast, relax_column_count: true }) as Record<string, string>[];
}

/** Returns a workbook with one sheet of texts. */
export const workbookOf = ([header = [], ...rows]: readonly (readonly string[])[], sheet = 'People'): Promise<Buffer> =>
  buffer(xlsxBytes({ sheet, columns: header.map((heading) => ({ heading })), rows }));

/** Returns the rows of the first sheet of a workbook. */
export async function sheetOf(file: string): Promise<string[][]> {
  const workbook = await openWorkbook(file);
  const rows: string[][] = [];
  for await (const list of workbook.rows(0)) rows.push(...list.map(({ cells }) => cells));
  await workbook.close();
  return rows;
}

/** Returns the records of a CSV file or workbook that we wrote, by column; empty if there is no file. */
export async function reportOf(file: string | null): Promise<Record<string, string>[]> {
  if (file === null || !existsSync(file) || !file.endsWith('.xlsx')) return recordsOf(file);
  const [header = [], ...rows] = await sheetOf(file);
  return rows.map((cells) => Object.fromEntries(header.map((heading, index) => [heading, cells[index] ?? ''])));
}

const numbers = (count: number, first: number) =>
  Array.from({ length: count }, (_, index) => String(first + index).padStart(5, '0'));

/** Returns a file with this number of different people. `tag` distinguishes them from people of other files. */
export function people(count: number, tag = 'p', first = 1): string {
  const digits = Array.from(tag, (letter) => letter.charCodeAt(0)).join('');
  const rows = numbers(count, first).map(
    (number) => `Given${number},Family,${tag}${number}@example.org,+1 ${digits} ${number}`,
  );
  return `${['firstName,lastName,email,phone', ...rows].join('\n')}\n`;
}

/** Returns the emails of these people. */
export const emailsOf = (count: number, tag = 'p', first = 1): string[] =>
  numbers(count, first).map((number) => `${tag}${number}@example.org`);

/** Returns {@link people} with password hashes, so that an import hashes nothing. */
export function hashedPeople(count: number, tag = 'p', first = 1): string {
  const hash = '$2b$10$abcdefghijklmnopqrstuuN9qo8uLOickgx2ZMRZoMyeIjZAgcfl7';
  const [header, ...rows] = people(count, tag, first).trimEnd().split('\n');
  return `${[`${header},passwordHash`, ...rows.map((row) => `${row},${hash}`)].join('\n')}\n`;
}
