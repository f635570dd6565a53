import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import { useCommandLine } from '../support/run-cli.js';
import { commands, leavesOf, newProgram } from './support/command-lines.js';

/** Returns the groups of commands, by their words. */
function groupsOf(command: Command, words: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((child) => {
    const below = [...words, child.name()];
    return child.commands.length === 0 ? [] : [[below.join(' '), child], ...groupsOf(child, below)];
  });
}
const groups = groupsOf(newProgram());

/** Returns the lines of the section "Examples:" without the program's name. */
function examplesIn(help: string): string[] {
  const examples = help.slice(help.indexOf('\nExamples:\n') + '\nExamples:\n'.length);
  const lines = examples.replaceAll(/ \\\n +/g, ' ').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('  coursectl '));
  return lines.slice(0, end < 0 ? undefined : end).map((line) => line.replace('  coursectl ', ''));
}

/** Splits a line into words like a shell, up to the first redirection. */
function words(line: string): string[] {
  const [given = ''] = line.split(/ [<>] /);
  return Array.from(given.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '');
}

/** Returns the command that the parser would run, without running it. */
async function parsed(argv: readonly string[]): Promise<Command | undefined> {
  let chosen: Command | undefined;
  const parser = newProgram();
  for (const command of leavesOf(parser).values())
    command.action(() => {
      chosen = command;
    });
  await parser.parseAsync([...argv], { from: 'user' });
  return chosen;
}

describe('help', () => {
  const cli = useCommandLine(() => ({}));

  it('describes each command with arguments, options and examples that the parser accepts', async () => {
    for (const [title, command] of commands) {
      const { exitCode, stdout, stderr } = await cli.run([...title.split(' '), '--help']);
      expect({ exitCode, stderr }, title).to.deep.equal({ exitCode: 0, stderr: '' });
      const [alias] = command.aliases();
      expect(stdout).to.include(`Usage: coursectl ${title}${alias === undefined ? '' : `|${alias}`} [options]`);
      expect(command.description()).to.match(/^[A-Z].{10,}[^.\s]$|\.$/);
      expect(stdout.replaceAll(/\s+/g, ' ')).to.include(command.description());
      for (const { long, description } of command.options) {
        expect(stdout, `an option of ${title}`).to.include(long);
        expect(description, `${title} ${long}`).to.be.a('string').that.is.not.empty;
      }
      for (const argument of command.registeredArguments)
        expect(argument.description, `argumentDescriptions: ${argument.name()}`).not.to.equal('');
      expect(command.options.map(({ long }) => long)).to.include.members(['--quiet', '--verbose']);
      const examples = examplesIn(stdout);
      expect(examples, title).not.to.deep.equal([]);
      for (const example of examples) {
        const chosen = await parsed(words(example));
        expect(chosen?.description(), example).to.equal(command.description());
      }
    }
  });

  it('lists the commands of a group; the group alone is a usage error', async () => {
    for (const [words, command] of groups) {
      const asked = await cli.run([...words.split(' '), '--help']);
      expect(asked.exitCode).to.equal(0);
      for (const child of command.commands) expect(asked.stdout).to.include(child.name());
      const { exitCode, stdout, stderr } = await cli.run(words.split(' '));
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
      expect(stderr).to.include(`Usage: coursectl ${words} [options] [command]`);
    }
  });

  it('explains how to name courses and users in every command with such an argument', async () => {
    for (const [words, { registeredArguments }] of commands) {
      const names = registeredArguments.map((argument) => argument.name());
      const { stdout } = await cli.run([...words.split(' '), '--help']);
      if (names.includes('course')) expect(stdout).to.match(/^ {2}course +title \(upper or lower case\) or id$/m);
      if (names.includes('group')) expect(stdout).to.match(/^ {2}group +name \(upper or lower case\) or id$/m);
      if (names.includes('user')) expect(stdout).to.match(/^ {2}user +email address, phone number or id$/m);
    }
  });

  it('is shown for "coursectl" alone, with groups, first steps and the documentation', async () => {
    const { exitCode, stdout, stderr } = await cli.run([]);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    expect(stdout)
      .to.include('Usage: coursectl [options] [command]')
      .and.to.include('Start here:\n  coursectl setup\n')
      .and.to.match(/\nPeople:\n {2}users .*\n\nCourses:\n {2}courses .*\n\nImports:\n.*\n\nService:\n {2}setup /s);
    const [, folder = ''] = /\nDocumentation: README\.md and docs\/ in\n {2}(.*)\n$/.exec(stdout) ?? [];
    expect(existsSync(path.join(folder, 'docs', 'IMPORTING.md'))).to.equal(true);
  });

  it('is shown by "coursectl help", too', async () => {
    const [asked, flagged] = await Promise.all([cli.run(['help', 'users']), cli.run(['users', '--help'])]);
    expect(asked).to.deep.equal(flagged);
    expect(asked.exitCode).to.equal(0);
    const below = ['users', 'sessions', 'list'];
    expect(await cli.run(['help', ...below, 'more'])).to.deep.equal(await cli.run([...below, '--help']));
  });

  it('reports an unknown command, and suggests the likely one', async () => {
    for (const [asked, unknown, meant] of [
      [['cuorses'], 'cuorses', 'courses'],
      [['users', 'lst'], 'lst', 'users list'],
    ] as const) {
      const { exitCode, stdout, stderr } = await cli.run(['help', ...asked]);
      expect([exitCode, stdout]).to.deep.equal([2, '']);
      expect(stderr).to.match(
        new RegExp(`^error: unknown command '${unknown}'.*\nDid you mean this\\?\n {2}coursectl ${meant}\n`),
      );
    }
  });

  it('fits 80 columns without colours in a pipe, also the examples', async () => {
    for (const words of ['', ...commands.keys(), ...groups.map(([name]) => name)]) {
      const argv = [...words.split(' ').filter((word) => word !== ''), '--help'];
      const { stdout } = await cli.run(argv, { env: { FORCE_COLOR: '1' } });
      expect(stdout).not.to.include('\u001b');
      const tooLong = stdout.split('\n').filter((line) => line.length > 80 && line.trim().includes(' '));
      expect(tooLong, words).to.deep.equal([]);
    }
  });
});

describe('a usage error', () => {
  const cli = useCommandLine(() => ({}));

  const mistakes: [what: string, argv: string[], says: string][] = [
    ['an unknown command', ['usres', 'list'], "unknown command 'usres'\nDid you mean this?\n  coursectl users list"],
    [
      'an unknown subcommand',
      ['users', 'lst'],
      "unknown command 'lst' of coursectl users\nDid you mean this?\n  coursectl users list",
    ],
    ['an unknown option', ['users', 'list', '--jsn'], "unknown option '--jsn'\n(Did you mean --json?)"],
    ['an option of another command', ['doctor', '--dry-run'], "unknown option '--dry-run'"],
    ['a misspelt option', ['users', 'import', 'x.csv', '--dryrun'], '(Did you mean --dry-run?)'],
    ['a missing argument', ['courses', 'files', 'add', 'Bees'], "missing required argument 'file'"],
    ['an argument too many', ['migrate', 'up', '2'], "too many arguments for 'up'"],
    ['an option without its value', ['serve', '--port'], "option '--port <number>' argument missing"],
  ];

  it('is explained on standard error, as an object with --json, and exits with 2', async () => {
    for (const [what, argv, says] of mistakes) {
      const { exitCode, stdout, stderr } = await cli.run(argv);
      expect({ exitCode, stdout }, what).to.deep.equal({ exitCode: 2, stdout: '' });
      expect(stderr, what)
        .to.match(/^error: /)
        .and.to.include(says)
        .and.to.match(/\nAdd --help to see how it is used\.\n$/);
      const firstOption = argv.findIndex((word) => word.startsWith('--'));
      const asJson = argv.toSpliced(firstOption < 0 ? argv.length : firstOption, 0, '--json');
      const { error } = JSON.parse((await cli.run(asJson)).stdout) as { error: { code: string; message: string } };
      expect(error, what).to.deep.equal({ code: 'USAGE', message: error.message });
      expect(error.message).to.include(says.replaceAll(/\n */g, ' '));
    }
  });

  const account =
    'An account is missing: give an email address, phone number or id. To list them: coursectl users list';
  const missing: [line: string, message: string][] = [
    ['users show', account],
    ['courses publish', 'A course is missing: give its title or id. To list them: coursectl courses list'],
    ['courses assign-trainer Bees', account],
    [
      'courses files get Bees --output bees.pdf',
      'A file is missing: give its id. To list them: coursectl courses files list <course>',
    ],
    [
      'users sessions end a@x.org',
      'A session is missing: give its id. To list them: coursectl users sessions list <user>',
    ],
    ['imports undo --yes', 'An import is missing: give its number or id. To list them: coursectl imports list'],
    ['enrollments status', 'The argument <status> is missing. Add --help to see how it is used.'],
  ];
  it('explains a missing argument', async () => {
    for (const [line, message] of missing)
      expect(await cli.refusal(line.split(' ')), line).to.deep.equal({ exitCode: 2, message });
  });

  it('is an object for a missing subcommand with --json', async () => {
    const { exitCode, stdout } = await cli.run(['users', '--json']);
    expect(exitCode).to.equal(2);
    expect(JSON.parse(stdout).error.code).to.equal('USAGE');
  });

  const values: [argv: string[], says: string][] = [
    [['serve', '--port', 'http'], 'PORT must be a whole number from 0 to 65535.'],
    [['serve', '--host', 'my host'], 'HOST must be a host name or an address to listen on'],
    [['migrate', 'down', '--steps', '0', '--yes'], '--steps must be a whole number from 1.'],
    [['migrate', 'down', '--steps', 'two', '--yes'], '--steps must be a whole number from 1.'],
    [['migrate', 'down', '--steps', '1', '--all', '--yes'], '--steps and --all cannot be used together.'],
    [['users', 'list', '--active', '--inactive'], '--active and --inactive cannot be used together.'],
    [['users', 'export', '--json'], "CSV and JSON can't share standard output."],
    [['users', 'edit', 'ada@example.org'], 'Nothing to change: add --first-name,'],
    [['migrate', 'down'], 'Confirmation needs a terminal: add --yes to revert.'],
    [['courses', 'list', '--published', '--unpublished'], '--published and --unpublished cannot be used together.'],
    [['courses', 'edit', 'Weaving'], 'Nothing to change: add --title,'],
    [['courses', 'files', 'get', 'Weaving', '1', '--json'], "The file and JSON can't share standard output."],
    [['enrollments', 'list', '--search', 'a', '--trainee', 'b'], '--search and --trainee cannot be used together.'],
  ];

  it('names the allowed values', async () => {
    for (const [argv, says] of values) {
      const { exitCode, stdout, stderr } = await cli.run(argv);
      expect(stdout + stderr, argv.join(' ')).to.include(says);
      expect(exitCode, argv.join(' ')).to.equal(2);
    }
  });
});
