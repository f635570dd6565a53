import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { Argument, Command, Option } from 'commander';
import { placeAt } from '../../../../src/cli/commands/completion/place.js';
import { completionScripts } from '../../../../src/cli/commands/completion/scripts.js';
import { runCli } from '../../../support/run-cli.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

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

describe('What may stand at the cursor', () => {
  const importOptions = ['--format', '-r', '--rejects', '--owner', '--note', '--dry-run', '-h', '--help'];
  const cases: [what: string, words: string[], offered: string[]][] = [
    ['the commands, without hidden ones', [''], ['users', 'paint', 'help']],
    ['subcommands', ['users', ''], ['import', 'files', 'delete', 'help']],
    ['subcommands of subcommands', ['users', 'files', ''], ['add', 'help']],
    ['their options', ['users', 'files', 'add', '--p'], ['--public', '-h', '--help']],
    ['their arguments', ['users', 'files', 'add', ''], ['(a file)']],
    ["a command's options", ['users', 'import', '--'], importOptions],
    ['the same by its other name', ['users', 'load', '--'], importOptions],
    ['options after an argument', ['users', 'import', 'a.csv', '--d'], importOptions],
    ['options where no argument is known', ['users', 'import', 'a.csv', ''], importOptions],
    ["the program's own options", ['--v'], ['-V', '--version', '-h', '--help']],
    ["an option's choices", ['users', 'import', '--format', ''], ['csv', 'json']],
    ['the same after "="', ['users', 'import', '--format=c'], ['csv', 'json']],
    ['nothing after "=" of what has no value', ['users', 'import', '--dry-run=c'], []],
    ["an argument's choices", ['paint', 'r'], ['red', 'blue']],
    ['files for an argument', ['users', 'import', ''], ['(a file)']],
    ['files for an argument after an option with a value', ['users', 'import', '--note', 'x', ''], ['(a file)']],
    ['files for an option', ['users', 'import', '--rejects', ''], ['(a file)']],
    ['files for the short form of an option', ['users', 'import', '-r', ''], ['(a file)']],
    ['names for an option', ['users', 'import', '--owner', ''], ['(a user)']],
    ['names for an argument', ['users', 'delete', ''], ['(a user)']],
    ['names for an argument that is repeated', ['users', 'delete', 'a', 'b', ''], ['(a user)']],
    ['nothing where only the user knows', ['users', 'import', '--note', ''], []],
    ['commands to get help for', ['help', 'u'], ['users', 'paint']],
    ['subcommands to get help for', ['help', 'users', ''], ['import', 'files', 'delete']],
    ["the same of the parent's own help", ['users', 'help', ''], ['import', 'files', 'delete']],
  ];
  const offeredAt = (program: Command, words: readonly string[]) => {
    const { words: offers = [], isFile, names } = placeAt(program, words.slice(0, -1), words.at(-1) ?? '');
    return [...offers.map(({ value }) => value), ...(isFile ? ['(a file)'] : []), ...(names ? [`(a ${names})`] : [])];
  };
  for (const [what, words, offered] of cases)
    it(`is ${what}`, () => expect(offeredAt(sample(), words)).to.deep.equal(offered));

  it('is no help command where commander has none', () => {
    const without = new Command('tool').helpCommand(false);
    without.command('paint');
    expect(offeredAt(without, [''])).to.deep.equal(['paint']);
    expect(offeredAt(new Command('tool').helpOption(false), [''])).to.deep.equal([]);
  });
});

describe('coursectl completion', () => {
  const surroundings = { env: {}, cwd: process.cwd() };

  it('offers what begins as typed, in the form that each shell reads', async () => {
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

  it('prints a script, with --json in an object', async () => {
    for (const shell of shells) {
      const plain = await runCli(['completion', shell], surroundings);
      expect(plain.stdout).to.equal(`${completionScripts[shell]('coursectl')}\n`);
      const { stdout } = await runCli(['completion', shell, '--json'], surroundings);
      expect(JSON.parse(stdout)).to.deep.equal({ shell, script: plain.stdout.trimEnd() });
    }
  });

  it('refuses an unknown shell as a mistake in usage, and names the known ones', async () => {
    const { exitCode, stdout, stderr } = await runCli(['completion', 'tcsh'], surroundings);
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
    expect(stderr).to.include('Allowed choices are bash, zsh, fish.');
  });

  it('says in its help how to install the script for each shell', async () => {
    const { exitCode, stdout } = await runCli(['completion', '--help'], surroundings);
    expect(exitCode).to.equal(0);
    for (const shell of shells) expect(stdout).to.match(new RegExp(`coursectl completion ${shell} (\\\\\\s+)?> `));
  });
});

// Each prints what the shell would offer for the words "$@", the last being the one at the cursor; `ls` stands for files.
const harnesses = {
  bash: [
    '--norc',
    '-c',
    `source ./.completion; compopt() { [[ $2 != default ]] || ls *.csv; }
     COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}; _tool; printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
  ],
  zsh: [
    '-f',
    '-c',
    // Outside of a completion these do nothing.
    `compdef() {}; compset() {}; _files() { ls *.csv }; _describe() { print -rl -- \${(P)3} }
     source ./.completion; typeset -A compstate; words=("$@") CURRENT=$# PREFIX=$@[-1]; _tool`,
    'zsh',
  ],
  fish: ['-c', 'source .completion; complete -C "$argv"'],
};

describe('The completion scripts', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  const at = (name: string) => path.join(folder.path, name);
  before(() => {
    folder = temporaryFolder();
    writeFileSync(at('people.csv'), '');
    // Offers two words, or files; what a shell would expand in a description says where it was.
    const program = `#!/bin/sh
printf '%s|' "$@" > called
case "$*" in *file*) echo files ;; *) printf 'words\\npaint$(touch pwned)\\npack\\n' ;; esac
`;
    writeFileSync(at('tool'), program);
    chmodSync(at('tool'), 0o755);
  });
  after(() => folder.remove());

  for (const shell of shells) {
    const absent = spawnSync(shell, ['-c', 'true']).error !== undefined;
    it(`ask the program, in ${shell}${absent ? ` (left out: ${shell} is not installed)` : ''}`, function () {
      if (absent) this.skip();
      writeFileSync(at('.completion'), completionScripts[shell]('tool'));
      const offered = (...words: string[]) => {
        const { status, stdout, stderr } = spawnSync(shell, [...harnesses[shell], 'tool', ...words], {
          cwd: folder.path,
          env: { PATH: `${folder.path}:${process.env.PATH}`, HOME: folder.path },
          encoding: 'utf8',
        });
        expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
        const lines = stdout.split('\n').filter((line) => line !== '');
        return { lines: lines.map((line) => line.replace(/\t.*/, '')), called: readFileSync(at('called'), 'utf8') };
      };
      const typed = shell === 'bash' ? 'tool users pa|' : 'users|pa|';
      expect(offered('users', 'pa')).to.deep.equal({
        lines: ['paint$(touch pwned)', 'pack'],
        called: `completion|${shell}|--|${typed}`,
      });
      const first = shell === 'bash' ? 'tool pa|' : 'pa|';
      expect(offered('pa').called).to.equal(`completion|${shell}|--|${first}`);
      expect(offered('file', 'p').lines).to.deep.equal(['people.csv']);
      const joined = offered('file', '--output=p');
      expect(joined.lines.map((line) => line.replace('--output=', ''))).to.deep.equal(['people.csv']);
      expect(spawnSync('ls', { cwd: folder.path, encoding: 'utf8' }).stdout).not.to.include('pwned');
    });
  }
});
