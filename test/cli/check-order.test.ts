import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { testEnvironment } from '../support/environment.js';
import { buildCourse, buildGroup, buildUser } from '../support/factories.js';
import { useHarnessAndCli } from '../support/harness-cli.js';
import { scaled } from '../support/machine.js';
import { commands, readingLines, wordsOf, writingLines } from './support/command-lines.js';

/** Invalid for every option: longer than any text, and no choice, number or address. */
const wrong = 'x'.repeat(20_001);

/** Options that name an account, course, plan or file to look up, or that accept every value. */
const references = ['--course', '--trainee', '--trainer', '--group', '--actor', '--user', '--import', '--plan'];
const files = ['--credentials', '--rejects', '--mapping', '--output <file>'];

const missing = { ID: '019873e1-4580-7dc1-98b7-e1f0ab8dc50b', FILE: 'missing.csv' };

/** Returns a command line whose records don't exist, and without --yes. */
function unconfirmed(words: string): string[] {
  const line = { ...readingLines, ...writingLines }[words] ?? '';
  return [...words.split(' '), ...wordsOf(line, missing).filter((word) => word !== '--yes')];
}

/** Returns the other options that name records, with missing records. @param but an option that excludes some of them */
function lookUps(words: string, but: string): string[] {
  const options = commands.get(words)?.options ?? [];
  const given = unconfirmed(words);
  const declared = references.filter((name) => options.some(({ long }) => long === name) && !given.includes(name));
  return declared.filter((name) => !(but === '--search' && name === '--trainee')).flatMap((name) => [name, missing.ID]);
}

/**
 * Returns the options of a command that have a value. The name of `--output` includes its value, because the option has
 * two meanings.
 */
function valuedOptions(words: string): { name: string; flag: string }[] {
  const options = commands.get(words)?.options ?? [];
  return options.flatMap(({ required, long, flags }) =>
    required && long ? [{ name: long === '--output' ? flags : long, flag: long }] : [],
  );
}

describe('Commands', () => {
  const { harness, cli } = useHarnessAndCli();
  const refusal = async (argv: readonly string[]) => cli.refusal(argv, { stdin: 'correct horse battery' });

  it('refuse a wrong option before any lookup or question', async function () {
    this.timeout(scaled(60_000));
    for (const words of commands.keys())
      for (const { name, flag } of valuedOptions(words).filter(
        (one) => ![...references, ...files].includes(one.name),
      )) {
        const { exitCode, message } = await refusal([...unconfirmed(words), ...lookUps(words, flag), flag, wrong]);
        const label = flag.slice(2).replaceAll('-', ' ');
        expect(message.toLowerCase(), `${words} ${name}`).to.match(
          new RegExp(`${flag}\\b|\\b${label}\\b|^a mapping is`),
        );
        expect(message, `${words} ${name}`).not.to.match(/not found|does not exist|terminal|is missing/i);
        expect(exitCode, `${words} ${name}`).to.equal(2);
      }
  });

  it('require that named records exist before they ask for confirmation', async () => {
    const confirmed = [...commands].filter(([, { options }]) => options.some(({ long }) => long === '--yes'));
    const naming = confirmed.filter(([, { registeredArguments }]) =>
      registeredArguments.some((argument) => /^(user|course|group|enrollment|import|file)$/.test(argument.name())),
    );
    expect(naming).to.have.length.above(5);
    for (const [words] of naming)
      expect((await refusal(unconfirmed(words))).message, words)
        .to.match(/not found|does not exist|none with this id/i)
        .and.not.match(/needs a terminal/);
  });

  it('require a terminal only after the lookups', async () => {
    const trainer = await buildUser(harness.context, { email: 'ada@x.org', role: 'trainer' });
    await buildUser(harness.context, { email: 'ben@x.org' });
    await buildCourse(harness.context, trainer, { title: 'Bees' });
    await buildGroup(harness.context, [], 'Staff');
    const file = path.join(cli.folder, 'people.csv');
    writeFileSync(file, 'firstName,lastName,email,phone\nFay,Doe,fay@x.org,5550123\n');
    for (const [words, toDo] of [
      ['users delete', 'delete'],
      ['courses delete', 'delete'],
      ['groups delete', 'delete'],
      ['courses remove-thumbnail', 'remove'],
      ['users import', 'import, or --dry-run to look first'],
    ] as const) {
      const argv = unconfirmed(words).map((word) => (word === missing.FILE ? file : word));
      expect(await refusal(argv), words).to.deep.equal({
        exitCode: 2,
        message: `Confirmation needs a terminal: add --yes to ${toDo}.`,
      });
    }
  });

  it('refuse a wrong option without a database, too', async () => {
    const env = { ...testEnvironment };
    for (const argv of [
      ['users', 'list', '--role', 'boss'],
      ['courses', 'edit', 'Bees', '--level', 'nonsense'],
      ['users', 'import', 'missing.csv', '--match', 'nonsense'],
      ['enrollments', 'progress', missing.ID, 'much'],
    ])
      expect((await cli.refusal(argv, { env })).exitCode, argv.join(' ')).to.equal(2);
    expect(existsSync(path.join(cli.folder, 'data'))).to.equal(false);
  });

  it('refuse a wrong option before the user chooses a missing argument', async () => {
    const { exitCode, terminal } = await cli.atTerminal(['users', 'sessions', 'list', '--limit', '0'], []);
    expect(exitCode).to.equal(2);
    expect(terminal.screen()).to.equal('error: --limit must be 1 or more.\n');
  });
});
