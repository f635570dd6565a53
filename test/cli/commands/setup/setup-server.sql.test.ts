import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { createEmptyDatabase, onMysql, runOnServer, serverUrl, type TestDatabase } from '../../../support/database.js';
import { testEnvironment } from '../../../support/environment.js';
import { type RefusingServer, startRefusingServer } from '../../../support/refusing-server.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { type Dialogue, keys } from '../../../support/terminal.js';

const { enter, down, ctrlC, ctrlU } = keys;
const chooseServer: Dialogue = [['Where should the data be stored?', `${down}${enter}`]];
const setUp: Dialogue = [
  ['Create the tables now', enter],
  ['First name', `Ada${enter}`],
  ['Last name', `Lovelace${enter}`],
  ['Email', `ada@example.org${enter}`],
  ['Phone', `1${enter}`],
  ['Password', `difference engine${enter}`],
  ['Repeat password', `difference engine${enter}`],
];

describe('coursectl setup with a database server', () => {
  const cli = useCommandLine(() => testEnvironment);
  const envFile = () => path.join(cli.folder, '.env');

  it("explains why a server can't be used, asks again, and keeps nothing after an interruption", async () => {
    // Setup shows problems with --quiet, too.
    const { exitCode, terminal } = await cli.atTerminal(
      ['setup', '--quiet'],
      [
        ...chooseServer,
        ['Host', `my host${enter}`],
        ['The host is a name or an address, without a port.', `${ctrlU}localhost:3306${enter}`],
        ['The host is a name or an address, without a port.', `${ctrlU} 127.0.0.1 ${enter}`],
        ['Port', `mysql${enter}`],
        ['The port is a whole number from 1 to 65535.', `${ctrlU}1${enter}`],
        ['Database', enter],
        ['User', `me${enter}`],
        ['Password', `wrong${enter}`],
        ['No database server answers at 127.0.0.1:1 (ECONNREFUSED). Is it running?\n? Host (127.0.0.1)', enter],
        ['Port (1)', `${ctrlU}2${enter}`],
        // Setup keeps the other answers.
        ['No database server answers at 127.0.0.1:2 (ECONNREFUSED). Is it running?\n? Host (127.0.0.1)', ctrlC],
      ],
    );
    expect(exitCode).to.equal(130);
    expect(terminal.screen()).not.to.include('DATABASE_URL').and.not.to.include('wrong');
    expect(existsSync(envFile())).to.equal(false);
  });

  describe('that refuses the connection', () => {
    let server: RefusingServer;
    const refusing = async (errno: number, message: string, ...dialogue: Dialogue) => {
      server = await startRefusingServer(errno, message);
      return cli.atTerminal(
        ['setup'],
        [
          ...chooseServer,
          ['Host', enter],
          ['Port', `${server.port}${enter}`],
          ['Database', enter],
          ['User', `me${enter}`],
          ['Password', `s3cr3t${enter}`],
          ...dialogue,
        ],
      );
    };
    afterEach(() => server.close());

    it('prints the statements that admit this machine, and offers a retry or another server', async () => {
      const { terminal } = await refusing(
        1130,
        "Host '10.0.0.5' is not allowed to connect to this MariaDB server",
        ['The server accepts no connections from this machine (it sees you at 10.0.0.5). An administrator of the', ''],
        ["\n  CREATE USER 'me'@'10.0.0.5' IDENTIFIED BY '<password>';\n", ''],
        ["\n  GRANT ALL ON `coursectl`.* TO 'me'@'10.0.0.5';\n? How do you want to continue?", enter],
        ["'10.0.0.5';\n? How do you want to continue?", `${down}${enter}`],
        ['? Host (127.0.0.1)', ctrlC],
      );
      expect(terminal.screen()).not.to.include('Is it running?').and.not.to.include('s3cr3t');
    });

    it('asks only for the database if the name is impossible', async () => {
      const { terminal } = await refusing(
        1102,
        "Incorrect database name 'coursectl'",
        [
          'The server accepts no database of the name coursectl. Choose another one, of at most 64 characters.\n? Database (coursectl)',
          enter,
        ],
        ['of at most 64 characters.\n? Database (coursectl)', ctrlC],
      );
      expect(terminal.screen()).not.to.include('Is it running?');
    });

    it('prints the message of the server, and asks all questions again', async () => {
      // The driver has no name for this error.
      const words = 'Access denied, this account is locked';
      const { terminal } = await refusing(
        4151,
        words,
        [`): ${words}. Ask its administrator, or try again later.`, ''],
        ['? Host (127.0.0.1)', ctrlC],
      );
      expect(terminal.screen()).not.to.include('Is it running?');
    });
  });

  describe(`that answers${onMysql ? '' : ' (skipped: no server on this leg)'}`, () => {
    // All characters with a meaning in URLs, in quotes or in .env files.
    const password = `p%41 "q"'\\n$HOME\${X}@:/?#[]&+é🔑`;
    const user = 'coursectl_wizard';
    let database: TestDatabase;
    let url: URL;

    before(async function () {
      if (!onMysql) return this.skip();
      database = await createEmptyDatabase();
      url = new URL(database.url);
      await runOnServer(
        `DROP USER IF EXISTS '${user}'@'%'`,
        `CREATE USER '${user}'@'%' IDENTIFIED BY '${password.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`,
        `GRANT ALL ON ${url.pathname.slice(1)}.* TO '${user}'@'%'`,
      );
    });
    after(async () => {
      if (!onMysql) return;
      await runOnServer(`DROP USER '${user}'@'%'`);
      await database.drop();
    });

    /** Returns the answers up to the password. */
    const answers = (name: string, login = user): Dialogue => [
      ...chooseServer,
      ['Host', `${url.hostname}${enter}`],
      ['Port', `${url.port}${enter}`],
      ['Database', `${name}${enter}`],
      ['User', `${login}${enter}`],
    ];

    it('tests the server, then writes a private .env file, which the next command uses', async () => {
      const { exitCode, stdout, stderr, terminal } = await cli.atTerminal(
        ['setup'],
        [
          ...answers(url.pathname.slice(1)),
          ['Password', `wrong${enter}`],
          [`The server refused the user ${user} or the password (it sees you as '${user}'@'`, ''],
          ["').\n? Password", `${password}${enter}`],
          [`Saved DATABASE_URL in ${envFile()}.`, ''],
          ...setUp,
        ],
      );
      expect(exitCode, terminal.screen()).to.equal(0);
      expect(terminal.screen()).to.match(/\n1\. Database: connected to (MariaDB|MySQL) /);
      for (const secret of [password, encodeURIComponent(password), '🔑'])
        expect(stdout + stderr).not.to.include(secret);
      expect(statSync(envFile()).mode & 0o777).to.equal(0o600);
      expect(readFileSync(envFile(), 'utf8')).to.match(/^DATABASE_URL=".*"\n$/);

      const again = await cli.atTerminal(['setup'], []);
      expect(again.exitCode).to.equal(0);
      expect(again.terminal.screen()).to.match(/\n2\. Tables: up to date\.\n3\. Super admin: exists\.\n$/);
      expect((await cli.json<{ users: object[] }>(['users', 'list'])).users).to.have.lengthOf(1);
    });

    it('asks also for the user after a second refused password', async () => {
      const { exitCode } = await cli.atTerminal(
        ['setup'],
        [
          ...answers(url.pathname.slice(1), 'nobody_here'),
          ['Password', `wrong${enter}`],
          ["').\n? Password", `wrong${enter}`],
          ['? User (nobody_here)', `${user}${enter}`],
          ['Password', `${password}${enter}`],
          ['2. Tables: up to date.', ''],
        ],
      );
      expect(exitCode).to.equal(0);
    });

    it('removes the .env file after a decline, and names the remaining tables', async () => {
      const own = await createEmptyDatabase();
      const name = new URL(own.url).pathname.slice(1);
      await runOnServer(`GRANT ALL ON ${name}.* TO '${user}'@'%'`);
      try {
        const { exitCode, terminal } = await cli.atTerminal(
          ['setup'],
          [
            ...answers(name),
            ['Password', `${password}${enter}`],
            ['Create the tables now', enter],
            ['First name', ctrlC],
          ],
        );
        expect(exitCode).to.equal(130);
        expect(terminal.screen()).to.include(
          `\n  Kept: the tables in mysql://${user}@${url.hostname}:${url.port}/${name}\n  Removed: the file ${envFile()}\n`,
        );
        expect(existsSync(envFile())).to.equal(false);
      } finally {
        await own.drop();
      }
    });

    it('prints working statements for an administrator, and tries again', async () => {
      const name = 'coursectl wizard `x`';
      const dialogue: Dialogue = [
        ...answers(name),
        ['Password', `${password}${enter}`],
        [`The database ${name} does not exist, or ${user} has no rights on it.`, ''],
        [`\n  GRANT ALL ON \`coursectl wizard \`\`x\`\`\`.* TO '${user}'@'%';\n`, ''],
        ['How do you want to continue?', ctrlC],
      ];
      const { exitCode, terminal } = await cli.atTerminal(['setup'], dialogue);
      expect(exitCode).to.equal(130);
      const statements = [...terminal.screen().matchAll(/^ {2}((?:CREATE|GRANT) .*);$/gm)].map(([, text = '']) => text);
      expect(statements).to.have.lengthOf(2);
      await runOnServer(...statements);
      try {
        const again = await cli.atTerminal(
          ['setup'],
          [...answers(name), ['Password', `${password}${enter}`], ['Create the tables now', enter], ...setUp.slice(1)],
        );
        expect(again.exitCode, again.terminal.screen()).to.equal(0);
      } finally {
        await runOnServer('DROP DATABASE `coursectl wizard ``x```');
      }
    });

    it('offers to create a missing database, and reports after an interruption that it remains', async () => {
      const [name, admin] = ['coursectl_new', new URL(serverUrl('mysql'))];
      try {
        const { exitCode, terminal } = await cli.atTerminal(
          ['setup'],
          [
            ...answers(name, decodeURIComponent(admin.username)),
            ['Password', `${decodeURIComponent(admin.password)}${enter}`],
            [`The server has no database ${name}.`, ''],
            // Answers no, and names another database.
            [`Create the database ${name} now?`, `n${enter}`],
            [`? Database (${name})`, enter],
            [`Create the database ${name} now?`, enter],
            ['Create the tables now', ctrlC],
          ],
        );
        expect(exitCode).to.equal(130);
        expect(terminal.screen()).to.include(
          `\n  Removed: the file ${envFile()}\n  Kept: the database ${name} on ${url.hostname}:${url.port}\n`,
        );
      } finally {
        await runOnServer(`DROP DATABASE IF EXISTS ${name}`);
      }
    });
  });
});
