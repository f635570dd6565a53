import { expect } from 'chai';
import type { Command } from 'commander';
import { packageVersion } from '../../src/package-root.js';
import { testEnvironment } from '../support/environment.js';
import { buildCourse, buildUser } from '../support/factories.js';
import { useHarnessAndCli } from '../support/harness-cli.js';
import { scaled } from '../support/machine.js';
import { useCommandLine } from '../support/run-cli.js';
import { commands, readingLines, wordsOf, writingLines } from './support/command-lines.js';

const nowhere = { ID: '019873e1-4580-7dc1-98b7-e1f0ab8dc50b', FILE: 'missing.csv' };
const lineOf = (words: string) => [
  ...words.split(' '),
  ...wordsOf({ ...readingLines, ...writingLines }[words] ?? '', nowhere),
];
const has = (command: Command, name: string) => command.options.some(({ long }) => long === name);

describe('An unknown command', () => {
  const cli = useCommandLine(() => ({}));

  const words: [typed: string, meant: string[]][] = [
    ['import x.csv --dry-run', ['users import', 'courses import']],
    ['export', ['users export', 'courses export', 'enrollments export', 'imports export']],
    ['create', ['users register', 'courses create']],
    ['add', ['groups add', 'courses files add', 'courses create', 'enrollments assign']],
    ['new', ['courses create', 'enrollments assign']],
    ['ls', ['users list', 'groups list', 'courses list', 'enrollments list', 'certificates list']],
    ['rm', ['users delete', 'courses delete', 'enrollments remove', 'courses files remove']],
    ['lock ben@x.org', ['users deactivate ben@x.org']],
    ['users lock ben@x.org', ['users deactivate ben@x.org']],
    ['accept', ['enrollments status active']],
    ['enrollments admit 5e1f02c6 --notify', ['enrollments status 5e1f02c6 active --notify']],
    ['enrollments refuse 5e1f02c6 --reply No', ['enrollments status 5e1f02c6 cancelled --reply No']],
    ['reject', ['enrollments status cancelled', 'imports rejects']],
    ['imports reject 3', ['imports rejects 3']],
    ['cancel', ['enrollments status cancelled', 'imports cancel']],
    ['enrollments cancel', ['enrollments status cancelled']],
    ['enrollments complete 5e1f02c6', ['enrollments status 5e1f02c6 completed']],
    ['waiting', ['enrollments list --status waiting']],
    ['waiting-list --course Bees', ['enrollments list --status waiting --course Bees']],
    ['invite', ['users register']],
    ['status', ['enrollments status', 'migrate status', 'overview', 'doctor']],
    ['users add', ['users register']],
    ['courses add', ['courses files add', 'courses create']],
    ['imports rm 3', ['imports undo 3']],
    ['imports import x.csv', ['users import', 'courses import']],
    ['users enroll', ['enrollments assign']],
    ['usres list', ['users list']],
    ['users lst --json', ['users list --json']],
    ['user lst', ['users list']],
    ['user sesions lst ben@x.org', ['users sessions list ben@x.org']],
    ['user frob', ['users']],
    ['restart', ['serve']],
    ['stop', ['serve']],
    ['start', ['serve']],
    ['log', ['audit']],
    ['retry', ['mail retry', 'imports resume']],
    ['imports retry 3', ['imports resume 3']],
    ['resend ben@x.org', ['mail retry', 'users invite']],
    ['approve', ['enrollments status active']],
    ['ban ben@x.org', ['users deactivate ben@x.org']],
    ['rollback', ['imports undo', 'migrate down']],
    ['dump', ['backup', 'users export', 'courses export', 'enrollments export']],
    ['check', ['doctor']],
    ['certs', ['certificates']],
    ['students', ['users list --role trainee']],
    ['waitlist', ['enrollments list --status waiting']],
    ['report', ['overview', 'users export', 'courses export', 'enrollments export']],
    ['update', ['users edit', 'courses edit', 'migrate up']],
    ['cuorses', ['courses']],
  ];
  it('leads to suggestions of similar commands', async () => {
    for (const [typed, meant] of words) {
      const { exitCode, stderr } = await cli.run(typed.split(' '), { calledAs: 'npx coursectl' });
      expect(exitCode, typed).to.equal(2);
      const found = [...stderr.matchAll(/^ {2}npx coursectl (.*)$/gm)].map(([, line]) => line);
      expect(found, typed).to.include.members(meant.length > 1 ? [] : meant);
      // `remove` deletes an enrollment together with the reply to the trainee.
      if (meant.some((line) => line.startsWith('enrollments status ')) && typed !== 'status')
        expect(found.join('\n'), typed).not.to.include('remove');
      expect(
        found.filter((line) => meant.includes(line ?? '')),
        typed,
      ).to.have.lengthOf(meant.length);
    }
  });

  it('leads to a list of the commands of its group', async () => {
    const { stderr } = await cli.run(['users', 'sessions', 'frob']);
    expect(stderr).to.equal(
      "error: unknown command 'frob' of coursectl users sessions\nThere are: list, end, end-all\n" +
        'Add --help to see how it is used.\n',
    );
    expect((await cli.run(['frob'])).stderr).to.match(
      /^error: unknown command 'frob'\nThere are: users, groups, courses, /,
    );
  });
});

describe('An unknown option', () => {
  const cli = useCommandLine(() => ({}));
  it('suggests the intended name', async () => {
    for (const [line, meant] of [
      ['users list --format csv', '--output'],
      ['users show ada@x.org --format json', '--json'],
      ['users delete ada@x.org --force', '--yes'],
      ['users register --password x', '--password-stdin'],
      ['courses edit Bees --waiting-list 5', '--waiting-max'],
    ] as const) {
      const { exitCode, stderr } = await cli.run(line.split(' '));
      expect(exitCode, line).to.equal(2);
      expect(stderr).to.match(new RegExp(`^error: unknown option '[^']+'\n\\(Did you mean ${meant}\\?\\)\n`));
    }
  });
});

describe('A misspelt name or value', () => {
  const { harness, cli } = useHarnessAndCli();

  it('suggests the intended name', async () => {
    const { context } = harness;
    const kim = await buildUser(context, { role: 'trainer', email: 'kim@example.org' });
    await buildUser(context, { email: 'odon@example.org', firstName: 'Ödön', lastName: 'Kovács' });
    for (const title of ['Töpfern', 'Weaving for beginners', 'Knots']) await buildCourse(context, kim, { title });
    for (const [argv, end] of [
      [['courses', 'show', 'Töpfren'], 'not found: Töpfren. Did you mean Töpfern?'],
      [['courses', 'show', 'Weavign for beginner'], "Did you mean 'Weaving for beginners'?"],
      [['courses', 'show', 'Glass'], 'not found: Glass. To search for them: coursectl courses list --search <text>'],
      [['users', 'show', 'odno@example.org'], 'Did you mean odon@example.org?'],
      [['users', 'show', 'Ödön Kovács'], 'Did you mean odon@example.org (Ödön Kovács)?'],
      [['enrollments', 'list', '--status', 'complete'], ' Did you mean completed?'],
      [['enrollments', 'status', 'x', 'accepted'], ' Did you mean active?'],
      [['enrollments', 'status', 'complete'], ' Did you mean completed?'],
      [['users', 'list', '--columns', 'name,mail'], ': not "mail". Did you mean email?'],
      [['users', 'list', '--role', 'student'], ' Did you mean trainee?'],
      [['users', 'list', '--limit', '500'], '--limit must be 100 or less. "all" lists all pages.'],
    ] as const) {
      const { message } = await cli.refusal(argv);
      expect(message.slice(-end.length), message).to.equal(end);
    }
    const { stderr } = await cli.run(['users', 'list', '--output', 'jsn']);
    expect(stderr).to.include('(Did you mean json?)');
  });

  it('needs quotes if it has blanks', async () => {
    const { stderr } = await cli.run(['users', 'show', 'Ödön', 'Kovács']);
    expect(stderr).to.include('A name with blanks needs quotes: coursectl users show "Ödön Kovács"\n');
  });
});

describe('Common names', () => {
  const { harness, cli } = useHarnessAndCli();

  it('of commands are aliases: ls, rm and create', async () => {
    const { context } = harness;
    await buildCourse(context, await buildUser(context, { role: 'trainer' }), { title: 'Bees' });
    await buildUser(context, { email: 'ben@x.org' });
    expect(await cli.run(['courses', 'ls'])).to.deep.equal(await cli.run(['courses', 'list']));
    expect((await cli.run(['users', 'rm', 'ben@x.org', '--yes'])).stdout).to.match(/^Deleted trainee ben@x\.org/);
    const person = '--first-name Eve --last-name Moe --email eve@x.org --phone 5550199 --role trainee --password-stdin';
    const created = await cli.run(['users', 'create', ...person.split(' ')], { stdin: 'correct horse battery' });
    expect(created.stdout, created.stderr).to.match(/^Created trainee eve@x\.org/);
    for (const [words, command] of commands)
      if (/(^| )list$/.test(words)) expect(command.aliases(), words).to.deep.equal(['ls']);
    expect((await cli.run(['help', 'users', 'ls'])).stdout).to.match(/^Usage: coursectl users list\|ls /);
  });

  it('of the version work: version, -v and --version', async () => {
    for (const word of ['version', '-v', '--version'])
      expect(await cli.run([word])).to.deep.equal({ exitCode: 0, stdout: `${packageVersion()}\n`, stderr: '' });
  });
});

describe('Every command', () => {
  const { cli } = useHarnessAndCli();

  it('breaks its errors between words at a terminal', async () => {
    const unknown = await cli.atTerminal(['users', 'list', '--this-option-is-not-known'], [], { columns: 30 });
    const lines = unknown.terminal.screen().split('\n');
    expect(lines.filter((line) => line.length > 30 && line.trim().includes(' '))).to.deep.equal([]);
    const { terminal } = await cli.atTerminal(['users', 'show', 'nobody@x.org'], [], { columns: 40 });
    expect(terminal.screen()).to.equal(
      'error: User not found: nobody@x.org. To\n    search for them: coursectl users\n    list --search <text>\n',
    );
  });

  it('has the option --json if it has a result', async function () {
    this.timeout(scaled(40_000));
    const without = [...commands].filter(([, command]) => !has(command, '--json')).map(([words]) => words);
    expect(without).to.deep.equal(['users transfer-super-admin']);
    // Uses a separate database, because some commands empty it.
    const env = { ...testEnvironment };
    await cli.run(['migrate', 'up'], { env });
    // The service runs until it is stopped.
    for (const words of Object.keys(readingLines).filter((name) => name !== 'serve')) {
      const argv = lineOf(words);
      const { stdout, stderr } = await cli.run([...argv, '--json'], { env, stdin: 'correct horse battery' });
      expect(stdout, `${words}: ${stderr}`).to.match(/^\{/);
      expect(() => JSON.parse(stdout), words).not.to.throw();
    }
  });
});
