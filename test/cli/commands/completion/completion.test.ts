import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { Argument, Command, Option } from 'commander';
import { completionScripts } from '../../../../src/cli/commands/completion/scripts.js';
import { createProgram } from '../../../../src/cli/program.js';
import { runCli } from '../../../support/run-cli.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

type Shell = keyof typeof completionScripts;
const shells = Object.keys(completionScripts) as Shell[];

// Each prints what the shell would offer for the words "$@", the last being the one at the cursor; `ls` stands for files.
const harnesses: Record<Shell, { check: string[]; complete: string[] }> = {
  bash: {
    check: ['-n'],
    complete: [
      '--norc',
      '-c',
      `source .completion; compopt() { ls; }
       COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}; "_$1"; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
    ],
  },
  zsh: {
    check: ['-n'],
    complete: [
      '-f',
      '-c',
      // Outside of a completion these do nothing; the real _describe also leaves out what doesn't match.
      `compdef() {}; compset() { current=\${current#*=} }; _files() { ls }
       _describe() { print -rl -- \${(M)\${(@P)2}:#$current*} }
       source ./.completion; words=("$@") CURRENT=$#; "_$1"`,
      'zsh',
    ],
  },
  fish: { check: ['--no-execute'], complete: ['-c', 'source .completion; complete -C "$argv"'] },
};

const absent = shells.filter((shell) => spawnSync(shell, ['-c', 'true']).error);
const unlessAbsent = (shell: Shell) => (absent.includes(shell) ? ` (left out: ${shell} is not installed)` : '');

// A text that every shell and completion system finds something to expand in.
const nasty = `col:on [b] {a,b} "q" it's $HOME $(touch pwned) \`touch pwned\` \\ 100% *`;

function sample(): Command {
  const program = new Command('tool').version('1.0.0').description('a tool');
  const users = program.command('users').description(nasty);
  users
    .command('import <file>')
    .description('Bring in people')
    .addOption(new Option('--format <name>', nasty).choices(['csv', 'json']))
    .option('-r, --rejects <file>', 'where the rest goes')
    .option('--note <text>', 'a remark')
    .option('--dry-run', 'only look');
  users.command('files').description('their files').command('add <file>').option('--public', 'for all to see');
  program
    .command('paint')
    .description('First line\nsecond line')
    .addArgument(new Argument('<colour>').choices(['red', 'blue']));
  program.command('secret', { hidden: true });
  return program;
}

describe('completion scripts', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  const at = (name: string) => path.join(folder.path, name);
  before(() => {
    folder = temporaryFolder();
    writeFileSync(at('people.csv'), '');
  });
  after(() => folder.remove());

  function run(shell: Shell, argv: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(shell, argv, {
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: folder.path },
      encoding: 'utf8',
    });
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    return stdout;
  }

  /** What the shell offers at the end of the words. */
  function complete(shell: Shell, program: Command, words: readonly string[]): string[] {
    writeFileSync(at('.completion'), completionScripts[shell](program));
    const output = run(shell, [...harnesses[shell].complete, program.name(), ...words]);
    // zsh has the description after a colon, fish after a tab.
    const offered = output.split('\n').map((line) => line.replace(/[:\t].*/, ''));
    return offered.filter((line) => line !== '').sort();
  }

  const cases: [what: string, words: string[], offered: string[]][] = [
    ['the commands, without hidden ones', [''], ['help', 'paint', 'users']],
    ['the commands that begin so', ['pa'], ['paint']],
    ['subcommands', ['users', ''], ['files', 'help', 'import']],
    ['subcommands of subcommands', ['users', 'files', ''], ['add', 'help']],
    ['their options', ['users', 'files', 'add', '--p'], ['--public']],
    ['their arguments', ['users', 'files', 'add', ''], ['people.csv']],
    ["a command's options", ['users', 'import', '--'], ['--dry-run', '--format', '--help', '--note', '--rejects']],
    ['options that begin so', ['users', 'import', '--dry'], ['--dry-run']],
    ['options after an argument', ['users', 'import', 'a.csv', '--d'], ['--dry-run']],
    ["the program's own options", ['--v'], ['--version']],
    ["an option's choices", ['users', 'import', '--format', ''], ['csv', 'json']],
    ["an argument's choices", ['paint', 'r'], ['red']],
    ['files for an argument', ['users', 'import', ''], ['people.csv']],
    ['files for an argument after an option with a value', ['users', 'import', '--note', 'x', ''], ['people.csv']],
    ['files for an option', ['users', 'import', '--rejects', ''], ['people.csv']],
    ['files for the short form of an option', ['users', 'import', '-r', ''], ['people.csv']],
    ['nothing where only the user knows', ['users', 'import', '--note', ''], []],
    ['commands to get help for', ['help', 'u'], ['users']],
    ["subcommands to get help for, though not their parent's", ['users', 'help', ''], ['files', 'import']],
  ];

  for (const shell of shells) {
    describe(shell + unlessAbsent(shell), () => {
      before(function () {
        if (absent.includes(shell)) this.skip();
      });

      it('parses the script without errors', () => {
        writeFileSync(at('.completion'), completionScripts[shell](sample()));
        expect(run(shell, [...harnesses[shell].check, '.completion'])).to.equal('');
      });

      it('accepts the script of a program with nothing to complete', () => {
        expect(complete(shell, new Command('tool').helpOption(false), [''])).to.deep.equal([]);
      });

      it('offers the commands, options, choices and files that fit', () => {
        for (const [what, words, offered] of cases) {
          expect(complete(shell, sample(), words), what).to.deep.equal(offered);
        }
      });

      it('offers the choices of an option joined to it by "="', () => {
        // bash passes such a word in three.
        const words = shell === 'bash' ? ['--format', '=', 'c'] : ['--format=c'];
        const offered = complete(shell, sample(), ['users', 'import', ...words]);
        expect(offered.map((word) => word.replace('--format=', ''))).to.deep.equal(['csv']);
      });

      it('expands nothing in descriptions', () => {
        complete(shell, sample(), ['']);
        complete(shell, sample(), ['users', 'import', '--']);
        expect(existsSync(at('pwned'))).to.equal(false);
      });
    });
  }

  describe(`bash, which cuts words at = : and @${unlessAbsent('bash')}`, () => {
    before(function () {
      if (absent.includes('bash')) this.skip();
    });

    it('offers all choices after a bare "--option="', () => {
      expect(complete('bash', sample(), ['users', 'import', '--format', '='])).to.deep.equal(['csv', 'json']);
    });

    it('sees one word in a URL or an email address', () => {
      const url = ['--note', '=', 'mysql', ':', '//me', '@', 'host', ':', '3306/x'];
      expect(complete('bash', sample(), ['users', 'import', ...url, ''])).to.deep.equal(['people.csv']);
    });

    it('offers files after a redirection', () => {
      expect(complete('bash', sample(), ['paint', 'red', '>', ''])).to.deep.equal(['people.csv']);
    });
  });

  it('describes commands and options in zsh and fish, quoted', () => {
    const zsh = completionScripts.zsh(sample());
    const zshNasty = nasty.replace(/[\\:]/g, '\\$&').replaceAll("'", "'\\''");
    expect(zsh).to.include(`'users:${zshNasty}'`).and.to.include(`'--format:${zshNasty}'`);
    expect(zsh).to.include("'paint:First line second line'");
    const fish = completionScripts.fish(sample());
    const fishNasty = nasty.replace(/[\\']/g, '\\$&');
    expect(fish).to.include(`-n '__tool_at \\'\\' \\'0\\'' -a '\\'users\\'' -d '${fishNasty}'`);
    expect(fish).to.include(`-l format -r -f -a '\\'csv\\' \\'json\\'' -d '${fishNasty}'`);
    expect(fish).to.include("-s r -r -F -d 'where the rest goes'");
  });

  it('offers the help command only where commander has one', () => {
    const without = new Command('tool').helpCommand(false);
    without.command('paint');
    for (const shell of shells) {
      expect(completionScripts[shell](sample())).to.match(/'help\b/);
      expect(completionScripts[shell](without)).not.to.match(/'help\b/);
    }
  });
});

describe('coursectl completion', () => {
  const surroundings = { env: {}, cwd: process.cwd() };

  for (const shell of shells) {
    it(`prints the script for ${shell}, which knows every command and option of the program`, async () => {
      const { exitCode, stdout, stderr } = await runCli(['completion', shell], surroundings);
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
      const idle = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
      const program = createProgram(
        { ...surroundings, ...idle, signal: new AbortController().signal },
        { exitCode: 0 },
      );
      const check = (command: Command) => {
        const names = [...command.commands.map((child) => child.name()), ...command.options.map(({ long }) => long)];
        for (const name of names) expect(stdout).to.match(new RegExp(`\\b${name?.replace('--', '')}\\b`));
        command.commands.forEach(check);
      };
      check(program);
    });
  }

  it('puts the same script into an object with --json', async () => {
    const [plain, json] = await Promise.all([
      runCli(['completion', 'bash'], surroundings),
      runCli(['completion', 'bash', '--json'], surroundings),
    ]);
    expect(JSON.parse(json.stdout)).to.deep.equal({ shell: 'bash', script: plain.stdout.trimEnd() });
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
