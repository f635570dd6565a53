import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { createMigratedDatabase, type TestDatabase } from '../../../support/database.js';
import { itAtFullDepth } from '../../../support/depth.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildCourse, buildEnrollment, buildGroup, buildUser } from '../../../support/factories.js';
import { scaled } from '../../../support/machine.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { type RunningProcess, useSubprocesses } from '../../../support/subprocess.js';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** Characters that a shell expands or splits without quotes. */
const nasty = [
  `Quotes: it's "so" \\ & more`,
  'Risks $HOME $(touch pwned) `touch pwned` *',
  'Überblick: 花子 @ home = a|b;c',
  'Wow! {a,b} ~ #1 [x] <y>?',
];
const titles = [...nasty, 'Weaving by hand', 'Weaving in 花子 style', 'Κόσμος των μελισσών'];

/** Starts of each shell without this machine's configuration, and the commands that load the completion. */
const starts: Record<Shell, { line: string; load: string }> = {
  bash: { line: 'exec bash --norc --noprofile -i', load: "PS1='ready> '; source .completion" },
  zsh: {
    line: 'exec zsh -f -i',
    load: "PS1='ready> '; unsetopt PROMPT_SP; autoload -U compinit; compinit -u -D; source ./.completion",
  },
  fish: {
    line: 'exec fish --no-config --private -i',
    load: "function fish_prompt; echo -n 'ready> '; end; set -g fish_autosuggestion_enabled 0; source .completion",
  },
};

describe('Completion of names', function () {
  this.timeout(scaled(120_000));
  const processes = useSubprocesses();
  let database: TestDatabase;
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: database.url }));
  let filled: { enrollment: string; twins: string[] } | undefined;
  before(async () => {
    database = await createMigratedDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    if (filled) return;
    const context = await cli.context();
    const trainer = await buildUser(context, { role: 'trainer', email: 'grace@example.org' });
    const trainee = await buildUser(context, { email: 'ada+1@example.org', firstName: 'Ada', lastName: 'Lovelace' });
    await buildUser(context, { email: "o'ben@example.org" });
    for (const name of ['Year 9', 'Year 10', '--help']) await buildGroup(context, [], name);
    for (const title of titles) await buildCourse(context, trainer, { title });
    const twins = [];
    for (const title of ['Twins', 'TWINS']) twins.push((await buildCourse(context, trainer, { title })).id.slice(-8));
    await buildCourse(context, trainer, { title: 'Escape \u202e reordered' });
    const course = await buildCourse(context, trainer, { title: '--help' });
    const enrollment = (await buildEnrollment(context, trainee, course)).id.slice(-8);
    filled = { enrollment, twins: [...twins, course.id.slice(-8)].sort() };
  });

  /** Returns the candidates for the first argument of a command with this kind of name. */
  async function names(kind: string, typed = ''): Promise<string[]> {
    const { stdout } = await cli.run(['completion', 'fish', '--json', '--', `${kind}s`, 'show', typed]);
    const { words }: { words: { value: string }[] } = JSON.parse(stdout);
    return words.map(({ value }) => value);
  }

  it('offers courses by title in any case, and by short id if no title matches', async () => {
    const all = await names('course');
    expect(all).to.have.members([...titles, ...(filled?.twins ?? [])]);
    expect(await names('course', 'weAving b')).to.deep.equal(['weAving by hand']);
    const [twin = ''] = filled?.twins ?? [];
    expect(await names('course', twin.slice(0, 6).toUpperCase())).to.include(
      twin.slice(0, 6).toUpperCase() + twin.slice(6),
    );
    expect(await names('course', 'Twins')).to.deep.equal([]);
    for (const [typed, completed] of [
      ['ΚΌΣ', 'ΚΌΣμος των μελισσών'],
      ['κός', 'κόςμος των μελισσών'],
    ] as const)
      expect(await names('course', typed), typed).to.deep.equal([completed]);
  });

  it('offers accounts by email, with their names only', async () => {
    expect(await names('user')).to.deep.equal(['ada+1@example.org', 'grace@example.org', "o'ben@example.org"]);
    expect(await names('user', 'G')).to.deep.equal(['Grace@example.org']);
    const { stdout } = await cli.run(['completion', 'fish', '--', 'users', 'show', '']);
    expect(stdout.split('\n')[1]).to.equal('ada+1@example.org\tAda Lovelace');
  });

  it('offers groups by name in any case', async () => {
    expect(await names('group')).to.deep.equal(['Year 10', 'Year 9']);
    expect(await names('group', 'yEAR 9')).to.deep.equal(['yEAR 9']);
    expect(await names('group', 'x')).to.deep.equal([]);
  });

  it('offers enrollments by short id, and imports by number or short id', async () => {
    const { enrollment = '' } = filled ?? {};
    for (const typed of ['', enrollment.slice(0, 5), enrollment])
      expect(await names('enrollment', typed)).to.deep.equal([enrollment]);
    expect(await names('enrollment', 'zz')).to.deep.equal([]);
    writeFileSync(path.join(cli.folder, 'people.csv'), 'firstName,lastName,email,phone\nFay,Doe,fay@x.org,5550123\n');
    const { import: record } = await cli.json<{ import: { id: string } }>(['users', 'import', 'people.csv', '--yes']);
    const { Import, ImportRow } = (await cli.context()).database.models;
    // Sets a fixed id: a random one could begin with a digit or like a number.
    const id = record.id.replace(/.{8}$/, 'c0ffee12');
    await ImportRow.destroy({ where: {} });
    await Import.update({ id, number: 123 }, { where: {} });
    for (const typed of ['', '1', '123']) expect(await names('import', typed)).to.deep.equal(['123']);
    for (const typed of ['c', 'C0ffee12'])
      expect(await names('import', typed)).to.deep.equal([`${typed}${'c0ffee12'.slice(typed.length)}`]);
    for (const typed of ['23', '1234', 'zz']) expect(await names('import', typed)).to.deep.equal([]);
    const { stdout } = await cli.run(['completion', 'zsh', '--', 'imports', 'show', '']);
    expect(stdout).to.match(/^words\n123:people\.csv, \d{4}-\d\d-\d\d \d\d\\:\d\d\n$/);
    await cli.run(['users', 'delete', 'fay@x.org', '--yes']);
  });

  it('prints nothing and creates nothing without a database, with an old schema or without a server', async () => {
    const settings = [
      { DATABASE_URL: 'sqlite:none.sqlite' },
      { DATABASE_URL: 'mysql://me:s3cr3t@127.0.0.1:1/x' },
      { DATABASE_URL: 'nonsense' },
    ];
    const line = ['--', 'courses', 'show', ''];
    for (const setting of settings) {
      const env = { ...cli.env, ...setting };
      const nothing = { exitCode: 0, stdout: 'words\n', stderr: '' };
      expect(await cli.run(['completion', 'fish', ...line], { env })).to.deep.equal(nothing);
      expect((await cli.run(['completion', 'fish', '--verbose', ...line], { env })).stderr).to.match(/^error: /m);
    }
    writeFileSync(path.join(cli.folder, 'old.sqlite'), '');
    const env = { ...cli.env, DATABASE_URL: 'sqlite:old.sqlite' };
    const { stdout, stderr } = await cli.run(['completion', 'bash', '--', 'coursectl users show '], { env });
    expect({ stdout, stderr }).to.deep.equal({ stdout: 'words\n', stderr: '' });
    expect(readdirSync(cli.folder).filter((name) => !name.startsWith('old.sqlite'))).to.deep.equal([]);
  });

  for (const shell of shells) {
    const absent = spawnSync(shell, ['-c', 'true']).error !== undefined;
    const reason = absent ? ` (left out: ${shell} is not installed)` : processes.withoutTerminal;
    // Each Tab key starts the program, which is slow.
    const inOne = shell === 'bash' ? it : itAtFullDepth;
    describe(`in ${shell}${reason}`, () => {
      before(function () {
        if (reason !== '') this.skip();
      });

      /** Installs a script that completes like the program, and otherwise prints its arguments. */
      function installIn(folder: string, file: string): void {
        mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
        const program = `#!/bin/sh
[ "$1" = completion ] && exec '${process.execPath}' '${processes.program}' "$@"
printf '%s\\0' "$@" > '${path.join(folder, 'called')}'
`;
        writeFileSync(path.join(folder, file), program);
        chmodSync(path.join(folder, file), 0o755);
      }

      async function start(): Promise<RunningProcess> {
        const { stdout } = await cli.run(['completion', shell]);
        writeFileSync(path.join(cli.folder, '.completion'), stdout);
        installIn(cli.folder, 'commands/coursectl');
        const { line, load } = starts[shell];
        const env = {
          ...cli.env,
          PATH: `${path.join(cli.folder, 'commands')}:${process.env.PATH}`,
          HOME: cli.folder,
          LC_ALL: 'C.UTF-8',
        };
        const running = processes.startLineAtTerminal(line, {
          cwd: cli.folder,
          env,
          size: { columns: 200, rows: 50 },
        });
        running.type(`${load}\r`);
        await running.waitForOutput(/ready> /);
        return running;
      }

      /** Types a line with Tab keys, then Enter. @returns the arguments of the program */
      async function called(running: RunningProcess, typed: string): Promise<string[]> {
        const file = path.join(cli.folder, 'called');
        writeFileSync(file, '');
        // The shell reads the characters after a Tab key once the completion ends.
        running.type(`${typed}\r`);
        const deadline = Date.now() + scaled(20_000);
        for (;;) {
          const text = readFileSync(file, 'utf8');
          if (text.endsWith('\0')) return text.slice(0, -1).split('\0');
          if (Date.now() > deadline) await running.waitForOutput(/that it was called/);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }

      it('quotes titles so that the program gets them unchanged, and completes files', async () => {
        writeFileSync(path.join(cli.folder, 'people.csv'), '');
        const running = await start();
        expect(await called(running, 'coursectl users import peo\t')).to.deep.equal(['users', 'import', 'people.csv']);
        for (const title of nasty) {
          const word = title.slice(0, 4);
          const argv = ['courses', 'show', title];
          expect(await called(running, `coursectl courses show ${word}\t`), title).to.deep.equal(argv);
        }
        expect(readdirSync(cli.folder)).not.to.include('pwned');
        running.type('exit\r');
        await running.ended;
      });

      inOne('goes on where a quote is open, after spaces and an option, and with files', async () => {
        writeFileSync(path.join(cli.folder, 'people.csv'), '');
        const running = await start();
        const lines: [typed: string, argv: string[]][] = [
          ['coursectl courses show "Weaving b\t', ['courses', 'show', 'Weaving by hand']],
          ["coursectl courses show 'Weaving i\t", ['courses', 'show', 'Weaving in 花子 style']],
          ['coursectl courses show Weaving\\ in\\ 花\t', ['courses', 'show', 'Weaving in 花子 style']],
          ['coursectl users show ada+1@ex\t', ['users', 'show', 'ada+1@example.org']],
          ['coursectl cour\tli\t--outp\ty\t', ['courses', 'list', '--output', 'yaml']],
          ['coursectl users import x --mapping=peo\t', ['users', 'import', 'x', '--mapping=people.csv']],
          ["coursectl users show o\\'\t", ['users', 'show', "o'ben@example.org"]],
          ['coursectl enrollments list --course weaving\\ b\t', ['enrollments', 'list', '--course', 'weaving by hand']],
          ['coursectl enrollments list --trainee=ada+1@e\t', ['enrollments', 'list', '--trainee=ada+1@example.org']],
          [
            'coursectl enrollments assign Weaving\\ b\t gr\t',
            ['enrollments', 'assign', 'Weaving by hand', 'grace@example.org'],
          ],
          [
            'coursectl enrollments assign x gr\t ada\t o\t',
            ['enrollments', 'assign', 'x', 'grace@example.org', 'ada+1@example.org', "o'ben@example.org"],
          ],
        ];
        for (const [typed, argv] of lines) expect(await called(running, typed), typed).to.deep.equal(argv);
        running.type('exit\r');
        await running.ended;
      });

      it('runs only the typed command, and no program of the folder, of its parents or after npx', async () => {
        // Installed first: the shell looks for commands only once.
        installIn(cli.folder, 'commands/npx');
        const running = await start();
        const below = path.join(cli.folder, 'project', 'below');
        mkdirSync(below, { recursive: true });
        const strangers = ['bin/coursectl.js', 'node_modules/.bin/coursectl', 'coursectl'];
        for (const folder of [cli.folder, path.join(cli.folder, 'project'), below])
          for (const file of strangers) {
            mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
            const program = `#!/bin/sh\necho ran '${file}' >> '${cli.folder}/strangers'\n`;
            writeFileSync(path.join(folder, file), program);
            chmodSync(path.join(folder, file), 0o755);
          }
        running.type(`cd '${below}'\r`);
        const ran = () => existsSync(path.join(cli.folder, 'strangers'));
        const weaving = ['courses', 'show', 'Weaving by hand'];
        expect(await called(running, 'coursectl courses show Weaving\\ b\t')).to.deep.equal(weaving);
        expect(await called(running, 'npx coursectl courses show gra\t')).to.deep.equal([
          'coursectl',
          'courses',
          'show',
          'gra',
        ]);
        expect(ran()).to.equal(false);
        // A typed path also works, also below the home folder.
        for (const typed of ['../../commands/coursectl', '~/commands/coursectl'])
          expect(await called(running, `${typed} courses show Weaving\\ b\t`), typed).to.deep.equal(weaving);
        // Without the command, completion runs nothing.
        rmSync(path.join(cli.folder, 'commands', 'coursectl'));
        running.type('coursectl courses show Wea\t\rcoursectl users list --\t\recho no"thing" left\r');
        await running.waitForOutput(/nothing left/);
        expect(ran()).to.equal(false);
        running.type('exit\r');
        await running.ended;
      });
    });
  }
});
