import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { login } from '../../../../src/services/auth/login.js';
import type { Context } from '../../../../src/services/context.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildUser } from '../../../support/factories.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { type Dialogue, keys } from '../../../support/terminal.js';

const { enter, ctrlC, ctrlD, ctrlT, ctrlU } = keys;
/** Characters that appear nowhere else on the screen. */
const password = 'Ŵ¥ß¶þ§Ðµ';

const chooseFile: Dialogue = [['Where should the data be stored?', enter]];
const makeTables: Dialogue = [['Create the tables now', enter]];
const describeAda: Dialogue = [
  ['First name', `Ada${enter}`],
  ['Last name', `Lovelace${enter}`],
  ['Email', `Ada@Example.org${enter}`],
  ['Phone', `+44 20 1${enter}`],
];
const givePassword: Dialogue = [
  ['Password', `${password}${enter}`],
  ['Repeat password', `${password}${enter}`],
];
const allAnswers = [...chooseFile, ...makeTables, ...describeAda, ...givePassword];

describe('coursectl setup at a terminal', () => {
  const cli = useCommandLine(() => testEnvironment);
  const file = (...names: string[]) => path.join(cli.folder, ...names);

  it('asks for the database, for permission to create the tables, and for the super admin', async () => {
    const { exitCode, stdout, terminal } = await cli.atTerminal(['setup'], allAnswers);
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^The system is set up\.\nNext:\n {2}coursectl serve /);
    const screen = terminal.screen();
    for (const message of [/\n1\. Database: connected to SQLite /, /\n2\. Tables: \d+ migrations applied\.\n/])
      expect(screen).to.match(message);
    expect(screen).to.include('\n3. Super admin: created (ada@example.org).\n');
    expect(terminal.isRaw()).to.equal(false);
    const credentials = { identifier: 'ada@example.org', password };
    const { user } = await login(await cli.context(), credentials, { ip: null, userAgent: null });
    expect(user).to.include({ role: 'super_admin', firstName: 'Ada', lastName: 'Lovelace', phone: '+44 20 1' });
    // Setup created no other database and no .env file.
    expect(readdirSync(cli.folder)).to.deep.equal(['data']);
    expect(existsSync(file('data', 'coursectl.sqlite'))).to.equal(true);
  });

  it('refuses invalid answers with the sentences of the API, and asks again', async () => {
    const { exitCode } = await cli.atTerminal(
      ['setup'],
      [
        ...chooseFile,
        ...makeTables,
        ['First name', enter],
        ['First name is required.', `A${enter}`],
        ['First name must be 2 to 50 characters.', `da${enter}`],
        ['Last name', `${'x'.repeat(51)}${enter}`],
        ['Last name must be 2 to 50 characters.', `${ctrlU}Lovelace${enter}`],
        ['Email', `ada@${enter}`],
        ['Email must be a valid email address.', `example.org${enter}`],
        ['Phone', `  ${enter}`],
        ['Phone is required.', `1${enter}`],
        ['Password', `short${enter}`],
        ['Password must be at least 6 characters.', `${ctrlU}${password.repeat(6)}${enter}`],
        ['Repeat password', `${password.repeat(6)}${enter}`],
      ],
    );
    expect(exitCode).to.equal(0);
    const { users } = await cli.json<{ users: object[] }>(['users', 'list']);
    expect(users).to.have.lengthOf(1);
    expect(users[0]).to.include({ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org', phone: '1' });
  });

  it('asks for the password twice until both are equal, and never shows it, even after Ctrl-T', async () => {
    const { exitCode, stdout, stderr } = await cli.atTerminal(
      ['setup'],
      [
        ...chooseFile,
        ...makeTables,
        ...describeAda,
        ['Password', `${password}${enter}`],
        ['Repeat password', `${password}s${enter}`],
        ['The two passwords differ. Type them again.\n? Password', `${password}${ctrlT}${enter}`],
        ['Repeat password', `${password}${ctrlT}${enter}`],
      ],
    );
    expect(exitCode).to.equal(0);
    for (const sign of password) expect(stdout + stderr).not.to.include(sign);
  });

  it("doesn't ask for values that options give", async () => {
    const given = 'setup --first-name Ada --last-name Lovelace --email a@example.org --phone 1 --yes'.split(' ');
    const { exitCode, terminal } = await cli.atTerminal(given, [...chooseFile, ...givePassword]);
    expect(exitCode).to.equal(0);
    for (const unasked of ['Create the tables', 'First name', 'Last name', 'Email', 'Phone'])
      expect(terminal.screen()).not.to.include(unasked);
  });

  it('refuses invalid options before it asks anything', async () => {
    const wrong = await cli.atTerminal(['setup', '--email', 'ada@'], []);
    expect(wrong.exitCode).to.equal(2);
    expect(wrong.terminal.screen()).to.equal('error: Email must be a valid email address.\n');
    const typed = await cli.atTerminal(['setup', '--password-stdin'], []);
    expect(typed.exitCode).to.equal(2);
    expect(typed.terminal.screen()).to.match(/^error: With --password-stdin the password is piped in: .*\n$/);
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('removes its database file after a decline, and can be run again', async () => {
    const declined = await cli.atTerminal(['setup'], [...chooseFile, ['Create the tables now', `n${enter}`]]);
    expect(declined.exitCode).to.equal(1);
    const message = `Setup was not finished. Run "coursectl setup" again when you are ready.\n  Removed: the database file ${file('data', 'coursectl.sqlite')}`;
    expect(declined.terminal.screen()).to.include(`\n${message}\n`);
    expect(readdirSync(cli.folder)).to.deep.equal([]);
    expect((await cli.atTerminal(['setup'], allAnswers)).exitCode).to.equal(0);
  });

  it('keeps an existing database file with its new tables, and reports them', async () => {
    mkdirSync(file('data'));
    writeFileSync(file('data', 'coursectl.sqlite'), '');
    const declined = await cli.atTerminal(['setup'], [...chooseFile, ...makeTables, ['First name', ctrlC]]);
    expect(declined.exitCode).to.equal(130);
    expect(declined.terminal.screen()).to.include(
      `\n  Kept: the tables in sqlite:${file('data', 'coursectl.sqlite')}\n`,
    );
    expect((await (await cli.context()).schema.status()).pending).to.deep.equal([]);
  });

  describe('keeps a database file that it created', () => {
    /** Runs `meanwhile` while a question is open, then leaves the question unanswered. */
    async function abandonAfter(meanwhile: (context: Context) => Promise<unknown>) {
      const ending = new AbortController();
      const leave = () => ending.abort();
      const dialogue: Dialogue = [
        ...chooseFile,
        ...makeTables,
        ['First name', () => void cli.context().then(meanwhile).finally(leave)],
      ];
      const { exitCode, terminal } = await cli.atTerminal(['setup'], dialogue, { signal: ending.signal });
      expect(exitCode).to.equal(130);
      expect(terminal.screen()).to.include(`\n  Kept: the database file ${file('data', 'coursectl.sqlite')}\n`);
      expect(existsSync(file('data', 'coursectl.sqlite'))).to.equal(true);
    }

    it('if somebody registered during setup, also before the super admin exists', async () => {
      await abandonAfter(async (context) => {
        await buildUser(context, { role: 'trainee' });
        await context.close();
      });
    });

    it('if another process has it open and stores data later', async () => {
      await abandonAfter((context) => context.schema.assertCurrent());
      const service = await cli.context();
      await buildUser(service, { role: 'super_admin', email: 'eve@example.org' });
      await service.close();
      const { users } = await cli.json<{ users: { email: string }[] }>(['users', 'list']);
      expect(users.map(({ email }) => email)).to.deep.equal(['eve@example.org']);
    });
  });

  it('leaves other files in the folder that it created', async () => {
    const dialogue: Dialogue = [
      ...chooseFile,
      ['Create the tables now', () => writeFileSync(file('data', 'mine.txt'), 'mine')],
      ['', ctrlC],
    ];
    expect((await cli.atTerminal(['setup'], dialogue)).exitCode).to.equal(130);
    expect(readdirSync(file('data'))).to.deep.equal(['mine.txt']);
  });

  it('uses colours unless NO_COLOR is set', async () => {
    const coloured = await cli.atTerminal(['setup', '--email', 'ada@'], []);
    expect(coloured.stderr).to.include('\u001b[31merror:\u001b[39m');
    const plain = await cli.atTerminal(['setup', '--email', 'ada@'], [], { env: { ...cli.env, NO_COLOR: '1' } });
    expect(plain.stderr).to.equal('error: Email must be a valid email address.\n');
  });

  it("doesn't ask for the database with DATABASE_URL, or if a database file has tables", async () => {
    const answers = [...makeTables, ...describeAda, ...givePassword];
    writeFileSync(file('.env'), 'DATABASE_URL=sqlite:mine.sqlite\n');
    expect((await cli.atTerminal(['setup'], answers)).exitCode).to.equal(0);
    expect(readdirSync(cli.folder)).to.include('mine.sqlite').and.not.include('data');
    rmSync(file('.env'));
    // An empty database does not count.
    await cli.run(['migrate', 'status']);
    const asked = await cli.atTerminal(['setup'], [...chooseFile, ['Create the tables now', ctrlC]]);
    expect(asked.exitCode).to.equal(130);
    await cli.run(['migrate', 'up']);
    expect((await cli.atTerminal(['setup'], [...describeAda, ...givePassword])).exitCode).to.equal(0);
  });

  it('exits with 130 at any unanswered question, removes its files, and can be run again', async () => {
    for (let answered = 0; answered < allAnswers.length; answered += 1) {
      const [question = ''] = allAnswers[answered] ?? [];
      // Alternates between both keys and a signal to the process.
      const ending = new AbortController();
      const leave = [ctrlC, ctrlD, () => ending.abort()][answered % 3] ?? ctrlC;
      const dialogue: Dialogue = [...allAnswers.slice(0, answered), [question, leave]];
      const { exitCode, stdout, terminal } = await cli.atTerminal(['setup'], dialogue, { signal: ending.signal });
      const ended = { exitCode, stdout, raw: terminal.isRaw() };
      expect(ended, question).to.deep.equal({ exitCode: 130, stdout: '', raw: false });
      const message = answered === 0 ? 'Nothing was changed.' : 'Setup was not finished.';
      expect(terminal.screen(), question).to.include(`\nerror: ${message}`);
      expect(readdirSync(cli.folder), question).to.deep.equal([]);
    }
    expect((await cli.atTerminal(['setup'], allAnswers)).exitCode).to.equal(0);
  });
});
