import { expect } from 'chai';
import type { CliOptions, CommandLine } from '../../support/run-cli.js';

const person = ['--first-name', 'Ada', '--last-name', 'Lovelace', '--email', 'ada@example.org', '--phone', '1'];

/** One command line for each way to open the database. */
export const needDatabase: readonly (readonly string[])[] = [
  ['setup', '--yes', ...person, '--password-stdin'],
  ['serve', '--port', '0'],
  ['serve', '--migrate', '--port', '0'],
  ['users', 'list'],
];

/** Commands that end. The service waits for an unreachable server. */
export const doNotWait = needDatabase.filter(([name]) => name !== 'serve');

/** Commands that don't create missing tables. */
export const needTables = needDatabase.filter(([name, option]) => name === 'users' || option === '--port');

interface Failure {
  code: string;
  /** Cause and remedy, in one or two sentences. */
  says: RegExp;
}

/** Expects a failure with one line that names cause and remedy, a stack only with --verbose, and an object with --json. */
export async function expectFailure(
  cli: CommandLine,
  argv: readonly string[],
  { code, says }: Failure,
  options: Partial<CliOptions> = {},
): Promise<void> {
  const what = argv.join(' ');
  const run = (...more: string[]) => cli.run([...argv, ...more], { stdin: 'difference engine', ...options });
  const plain = await run();
  expect(plain.stderr, what).to.match(/^error: [^\n]+\n$/);
  expect(plain, what).to.include({ exitCode: 1, stdout: '' });
  expect(plain.stderr, what).to.match(says);

  const verbose = await run('--verbose');
  expect(verbose, what).to.include({ exitCode: 1, stdout: '' });
  expect(verbose.stderr, what)
    .to.include(plain.stderr.trimEnd())
    .and.to.match(/\n {4}at /);

  const json = await run('--json');
  expect(json, what).to.include({ exitCode: 1, stderr: '' });
  const { error } = JSON.parse(json.stdout) as { error: { code: string; message: string } };
  expect(error.code, what).to.equal(code);
  expect(plain.stderr, what).to.equal(`error: ${error.message}\n`);
  for (const { stdout, stderr } of [plain, verbose, json]) expect(stdout + stderr, what).not.to.include('s3cr3t');
}
