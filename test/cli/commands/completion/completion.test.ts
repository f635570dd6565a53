import { expect } from 'chai';
import { Argument, Command, Option } from 'commander';
import { candidatesAt } from '../../../../src/cli/commands/completion/candidates.js';
import { completionScripts } from '../../../../src/cli/commands/completion/scripts.js';
import { runCli } from '../../../support/run-cli.js';

const shells = ['bash', 'zsh', 'fish'] as const;

function sample(): Command {
  const program = new Command('tool').version('1.0.0');
  const users = program.command('users').description('People');
  users
    .command('import <file>')
    .alias('load')
    .description('Bring in people')
    .addOption(new Option('--format <name>').choices(['csv', 'json']))
    .option('-r, --rejects <file>', 'where the rest goes')
    .option('--owner <user>', 'whose they are')
    .option('--note <text>', 'a remark')
    .option('--dry-run', 'only look');
  users.command('files').command('add <file>').option('--public', 'for all to see');
  users.command('delete <user...>');
  program.command('paint').addArgument(new Argument('<colour>').choices(['red', 'blue']));
  program.command('secret', { hidden: true });
  return program;
}

describe('The candidates at the cursor', () => {
  const importOptions = ['--format', '-r', '--rejects', '--owner', '--note', '--dry-run', '-h', '--help'];
  const cases: [what: string, words: string[], offered: string[]][] = [
    ['the commands, without hidden ones', [''], ['users', 'paint', 'help']],
    ['subcommands', ['users', ''], ['import', 'files', 'delete', 'help']],
    ['subcommands of subcommands', ['users', 'files', ''], ['add', 'help']],
    ['their options', ['users', 'files', 'add', '--p'], ['--public', '-h', '--help']],
    ["a command's options, by its other name", ['users', 'load', '--'], importOptions],
    ['options after an argument', ['users', 'import', 'a.csv', '--d'], importOptions],
    ['options where no argument is known', ['users', 'import', 'a.csv', ''], importOptions],
    ["the program's own options", ['--v'], ['-V', '--version', '-h', '--help']],
    ["an option's choices", ['users', 'import', '--format', ''], ['csv', 'json']],
    ['the same after "="', ['users', 'import', '--format=c'], ['csv', 'json']],
    ['nothing after "=" of what has no value', ['users', 'import', '--dry-run=c'], []],
    ["an argument's choices", ['paint', 'r'], ['red', 'blue']],
    ['files for an argument', ['users', 'import', ''], ['(a file)']],
    ['files for an argument after an option with a value', ['users', 'import', '--note', 'x', ''], ['(a file)']],
    ['files for the short form of an option', ['users', 'import', '-r', ''], ['(a file)']],
    ['names for an option', ['users', 'import', '--owner', ''], ['(a user)']],

    ['names for an argument that is repeated', ['users', 'delete', 'a', 'b', ''], ['(a user)']],
    ['nothing where only the user knows', ['users', 'import', '--note', ''], []],
    ['commands to get help for', ['help', 'u'], ['users', 'paint']],
    ['subcommands to get help for', ['help', 'users', ''], ['import', 'files', 'delete']],
    ["the same of the parent's own help", ['users', 'help', ''], ['import', 'files', 'delete']],
  ];
  const offeredAt = (program: Command, words: readonly string[]) => {
    const { words: offers = [], isFile, names } = candidatesAt(program, words.slice(0, -1), words.at(-1) ?? '');
    return [...offers.map(({ value }) => value), ...(isFile ? ['(a file)'] : []), ...(names ? [`(a ${names})`] : [])];
  };
  for (const [what, words, offered] of cases)
    it(`are ${what}`, () => expect(offeredAt(sample(), words)).to.deep.equal(offered));

  it('do not include a help command if commander has none', () => {
    const without = new Command('tool').helpCommand(false);
    without.command('paint');
    expect(offeredAt(without, [''])).to.deep.equal(['paint']);
    expect(offeredAt(new Command('tool').helpOption(false), [''])).to.deep.equal([]);
  });
});

describe('coursectl completion', () => {
  const surroundings = { env: {}, cwd: process.cwd() };

  it('offers candidates with the typed prefix, in the format of each shell', async () => {
    const offered = async (...argv: string[]) => (await runCli(['completion', ...argv], surroundings)).stdout;
    const breaks = { ...surroundings, env: { COMP_WORDBREAKS: '=:' } };
    expect(await offered('bash', '--', '~/bin/coursectl completion b')).to.equal('words\nbash\n');
    const joined = await runCli(['completion', 'bash', '--', 'coursectl users list --output=j'], breaks);
    expect(joined.stdout).to.equal('words\njson\n');
    expect(await offered('zsh', '--', 'conf')).to.match(/^words\nconfig:[^\n]*\n$/);
    expect(await offered('zsh', '--', 'users', 'list', '--output=j')).to.equal('words\njson:\n');
    expect(await offered('fish', '--', 'conf')).to.match(/^words\nconfig\t[^\n]*\n$/);
    expect(await offered('fish', '--', 'users', 'list', '--output=j')).to.equal('words\n--output=json\t\n');
    for (const shell of shells) expect(await offered(shell, '--', 'nonsense', 'x', 'y')).to.equal('words\n');
    expect(await offered('fish', '--', 'users', 'import', '')).to.equal('files\n');
  });

  it('prints a script, as an object with --json', async () => {
    for (const shell of shells) {
      const plain = await runCli(['completion', shell], surroundings);
      expect(plain.stdout).to.equal(`${completionScripts[shell]('coursectl')}\n`);
      const { stdout } = await runCli(['completion', shell, '--json'], surroundings);
      expect(JSON.parse(stdout)).to.deep.equal({ shell, script: plain.stdout.trimEnd() });
    }
  });

  it('says in its help how to install the script for each shell', async () => {
    const { exitCode, stdout } = await runCli(['completion', '--help'], surroundings);
    expect(exitCode).to.equal(0);
    for (const shell of shells) expect(stdout).to.match(new RegExp(`coursectl completion ${shell} (\\\\\\s+)?> `));
  });
});
