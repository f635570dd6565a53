import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { createEmptyDatabase, onMysql, onServer, type TestDatabase } from '../../../support/database.js';
import { testEnvironment } from '../../../support/harness.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { type Dialogue, keys } from '../../../support/terminal.js';

const { enter, down, ctrlC, ctrlU } = keys;
const chooseServer: Dialogue = [['Where should the data be stored?', `${down}${enter}`]];
const keepAll: Dialogue = ['Host', 'Port', 'Database', 'User'].map((question) => [question, enter]);
const setUp: Dialogue = [
  ['Create the tables now', enter],
  ['First name', `Ada${enter}`],
  ['Last name', `Lovelace${enter}`],
  ['Email', `ada@example.org${enter}`],
  ['Phone', `1${enter}`],
  ['Password', `difference engine${enter}`],
  ['Repeat password', `difference engine${enter}`],
];

describe('coursectl setup, with a database server', () => {
  const cli = useCommandLine(() => testEnvironment);
  const envFile = () => path.join(cli.folder, '.env');

  it('refuses what is no host or port on the spot', async () => {
    const { exitCode } = await cli.atTerminal(
      ['setup'],
      [
        ...chooseServer,
        ['Host', `my host${enter}`],
        ['The host is a name or an address, without a port.', `${ctrlU}localhost:3306${enter}`],
        ['The host is a name or an address, without a port.', `${ctrlU} course_db ${enter}`],
        ['Port', `mysql${enter}`],
        ['The port is a whole number from 1 to 65535.', `${ctrlU}65536${enter}`],
        ['The port is a whole number from 1 to 65535.', ctrlC],
      ],
    );
    expect(exitCode).to.equal(130);
    expect(existsSync(envFile())).to.equal(false);
  });

  for (const flags of [[], ['--quiet']]) {
    it(`says why a server can't be used, asks again, and keeps nothing when that is given up${flags.map((flag) => ` (${flag})`)}`, async () => {
      const { exitCode, terminal } = await cli.atTerminal(
        ['setup', ...flags],
        [
          ...chooseServer,
          ['Host', enter],
          ['Port', `1${enter}`],
          ['Database', enter],
          ['User', `me${enter}`],
          ['Password', `wrong${enter}`],
          ["The database can't be reached (mysql://me@127.0.0.1:1/coursectl): ECONNREFUSED.", ''],
          ['Try again, or press Ctrl-C.\n? Host (127.0.0.1)', enter],
          ['Port (1)', ctrlC],
        ],
      );
      expect(exitCode).to.equal(130);
      expect(terminal.screen()).not.to.include('wrong');
      expect(existsSync(envFile())).to.equal(false);
    });
  }

  describe(`that is there${onMysql ? '' : ' (left out: there is none on this leg)'}`, () => {
    // Every sign that means something in a URL, in quotes or in an .env file.
    const password = `p%41 "q"'\\n$HOME\${X}@:/?#[]&+é🔑`;
    const user = 'coursectl_wizard';
    let database: TestDatabase;
    let url: URL;

    before(async function () {
      if (!onMysql) return this.skip();
      database = await createEmptyDatabase();
      url = new URL(database.url);
      await onServer(
        `DROP USER IF EXISTS '${user}'@'%'`,
        `CREATE USER '${user}'@'%' IDENTIFIED BY '${password.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`,
        `GRANT ALL ON ${url.pathname.slice(1)}.* TO '${user}'@'%'`,
      );
    });
    after(async () => {
      if (!onMysql) return;
      await onServer(`DROP USER '${user}'@'%'`);
      await database.drop();
    });

    it('is tested before it is written to an .env file for this user only, which the next command uses', async () => {
      const { exitCode, stdout, stderr, terminal } = await cli.atTerminal(
        ['setup'],
        [
          ...chooseServer,
          ['Host', `${url.hostname}${enter}`],
          ['Port', `${url.port}${enter}`],
          ['Database', `${url.pathname.slice(1)}${enter}`],
          ['User', `${user}${enter}`],
          ['Password', `wrong${enter}`],
          ['The database refused the user name or password', ''],
          ...keepAll,
          ['Password', `${password}${enter}`],
          [`Saved in ${envFile()}, which only you can read.`, ''],
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
  });
});
