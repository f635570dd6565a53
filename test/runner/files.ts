import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fullDepth, shortening } from '../support/depth.js';

export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Whose import makes a test depend on the database. */
const databaseSupport = path.join(repository, 'test/support/database.ts');

/** Whose import makes a test start the built program, or read what was built. */
const programSupport = path.join(repository, 'test/support/built-program.ts');

/** Started first, the slowest at the front: a slow file that starts last keeps one worker busy while the others wait. */
const slowFirst = [
  'test/http/programme-model.test.ts',
  'test/services/imports/run/kill-loop.test.ts',
  'test/http/text-cost.test.ts',
  'test/console/keyboard.test.ts',
  'test/console/layout.test.ts',
  'test/console/accessibility.test.ts',
  'test/console/hostile-text.test.ts',
  'test/bench.test.ts',
  'test/services/imports/run/resume-kill.test.ts',
  'test/console/import-kill.test.ts',
  'test/http/canaries.test.ts',
  'test/http/login-throttle.test.ts',
  'test/http/connections.test.ts',
  'test/console/courses.test.ts',
  'test/console/catalogue.test.ts',
  'test/http/authorization.test.ts',
  'test/services/imports/run/processes.test.ts',
  'test/http/imports.test.ts',
  'test/http/overload.test.ts',
  'test/cli/subprocess.test.ts',
  'test/cli/commands/serve/workers.test.ts',
  'test/services/imports/run/resume.test.ts',
  'test/http/contract.test.ts',
  'test/console/imports.test.ts',
  'test/console/people.test.ts',
  'test/console/person.test.ts',
  'test/console/people-bulk.test.ts',
  'test/console/participants.test.ts',
  'test/console/session.test.ts',
  'test/db/sequelize-cli.test.ts',
  'test/readme.test.ts',
];

/** The files that a file imports, by relative paths. */
function importedBy(file: string): string[] {
  const specifiers = readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport)[\s(]+'(\.[^']+)'/g);
  return Array.from(specifiers, ([, specifier = '']) =>
    path.resolve(path.dirname(file), specifier.replace(/\.js$/, '.ts')),
  );
}

/** Whether a test file imports a file, directly or through others of `test`. */
function reaches(file: string, target: string, seen = new Set<string>()): boolean {
  if (file === target) return true;
  if (seen.has(file) || !file.startsWith(path.join(repository, 'test')) || !existsSync(file)) return false;
  seen.add(file);
  return importedBy(file).some((imported) => reaches(imported, target, seen));
}

/** Tests of declarations and of texts that are checked before any database is asked, though they have one. */
const beforeDatabase = [
  'test/http/openapi.test.ts',
  'test/http/text-cost.test.ts',
  'test/services/imports/output/report-formats.test.ts',
  'test/services/imports/read/bombs.test.ts',
  'test/services/imports/read/corpus.test.ts',
  'test/services/imports/read/csv-properties.test.ts',
  'test/services/imports/read/text-cost.test.ts',
];

/**
 * Slow tests of what stands before or beside the database (declarations of operations, admission, connections, the terminal,
 * stored files), and of processes that are killed. Services, whose statements differ between databases, have tests of their own
 * on both, and the kill loop of imports runs on both.
 */
const onceByDefault = [
  'test/cli/commands/serve/drain.test.ts',
  'test/cli/commands/serve/serve-waiting.test.ts',
  'test/deploy/proxies.test.ts',
  'test/http/authorization.test.ts',
  'test/http/canaries.test.ts',
  'test/http/connections.test.ts',
  'test/http/contract.test.ts',
  'test/http/cors.test.ts',
  'test/http/disk-faults.test.ts',
  'test/http/files-on-s3.test.ts',
  'test/http/forged-tokens.test.ts',
  'test/http/images.test.ts',
  'test/http/imports.test.ts',
  'test/http/input-types.test.ts',
  'test/http/overload.test.ts',
  'test/http/password-policy.test.ts',
  'test/http/picture-load.test.ts',
  'test/http/query-cost.test.ts',
  'test/http/upload-abuse.test.ts',
  'test/http/waiting.test.ts',
  'test/readme.test.ts',
  'test/services/imports/run/processes.test.ts',
  'test/services/imports/run/resume-kill.test.ts',
  'test/services/imports/run/terminal.test.ts',
  'test/services/maintenance/audit-retention-kill.test.ts',
  'test/services/maintenance/ledger-retention-kill.test.ts',
];

/** Whether a test file checks something of one kind of database only, and must run on it. */
function distinguishesDatabases(file: string): boolean {
  return /\b(onMysql|onServer|serverUrl)\b/.test(readFileSync(path.join(repository, file), 'utf8'));
}

/**
 * Whether a test file runs on the second database only at full depth, on a machine of usual speed: {@link onceByDefault}, and
 * tests of commands, which call the services that have tests of their own on both.
 */
function isOnceByDefault(file: string): boolean {
  if (onceByDefault.includes(file)) return true;
  return file.startsWith('test/cli/') && !distinguishesDatabases(file);
}

/**
 * Whether a test file has to run on each kind of database. Pages know nothing of the database behind the API: their tests run
 * once, as does what stands {@link beforeDatabase}. What {@link isOnceByDefault} runs on the second one only at full depth,
 * unless the machine is slow.
 */
export function needsDatabase(file: string, isFull = fullDepth && shortening === 1): boolean {
  if (file.startsWith('test/console/') || beforeDatabase.includes(file)) return false;
  if (!isFull && isOnceByDefault(file)) return false;
  return reaches(path.join(repository, file), databaseSupport);
}

/** Whether a test file uses the built program. */
export function needsProgram(file: string): boolean {
  return reaches(path.join(repository, file), programSupport);
}

/** All test files, in the order in which they are started. */
export function testFiles(): string[] {
  const rank = (file: string) => (slowFirst.includes(file) ? slowFirst.indexOf(file) : slowFirst.length);
  const files = readdirSync(path.join(repository, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => path.posix.join('test', file))
    .sort();
  const missing = [...slowFirst, ...onceByDefault, ...beforeDatabase].filter((file) => !files.includes(file));
  if (missing.length > 0) throw new Error(`test/runner/files.ts names files that are not there: ${missing.join(', ')}`);
  return files.sort((a, b) => rank(a) - rank(b));
}
