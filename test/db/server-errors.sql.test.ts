import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import { loadConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/db/connection.js';
import { migrateUp } from '../../src/db/migrations/migrator.js';
import { onMysql, runOnServer, serverUrl } from '../support/database.js';
import { canary, expectFailures, failureOf } from './support/failure.js';

describe('a server is reported as unusable', () => {
  const settings = (port: number, more = {}) => ({
    DATABASE_URL: `mysql://app:${canary}@127.0.0.1:${port}/courses`,
    DB_POOL_ACQUIRE_MS: '300',
    ...more,
  });
  const unreachable =
    /^The database can't be reached \(mysql:\/\/app@127\.0\.0\.1:\d+\/courses\): \w+\. Check that the server runs and that DATABASE_URL is correct\.$/;

  it('if nothing listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await expectFailures(settings(port), 'DATABASE_UNREACHABLE', unreachable);
  });

  it('if it accepts connections and sends nothing', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await expectFailures(settings(port), 'DATABASE_UNREACHABLE', unreachable);
    // More queries than the pool has connections.
    const database = openDatabase(loadConfig({ env: settings(port, { DB_POOL_MAX: '2' }), cwd: '/' }).database);
    const failures = Array.from({ length: 5 }, () =>
      failureOf(() => database.read(() => database.models.User.count())),
    );
    for (const { message } of await Promise.all(failures)) expect(message).to.match(unreachable);
    await database.close();
    server.close();
  });

  it('if the file of certificate authorities cannot be read', async () => {
    const { code, message } = await failureOf(() =>
      openDatabase(
        loadConfig({
          env: { DATABASE_URL: 'mysql://app@localhost:1/app', DB_TLS: 'required', DB_TLS_CA_FILE: '/nothing.pem' },
          cwd: '/',
        }).database,
      ),
    );
    expect([code, message]).to.deep.equal(['CONFIG_INVALID', "DB_TLS_CA_FILE can't be read (ENOENT): /nothing.pem"]);
  });

  if (!onMysql) return;

  const changed = (change: (url: URL) => void, name = 'mysql') => {
    const url = new URL(serverUrl(name));
    change(url);
    return { DATABASE_URL: url.href };
  };

  it('if the password is wrong', async () => {
    const env = changed((url) => {
      url.password = canary;
    });
    await expectFailures(
      env,
      'DATABASE_ACCESS_DENIED',
      /^The database refused the user name or password \(mysql:\/\/\w+@.*\)\. Check DATABASE_URL, or DB_USER and DB_PASSWORD\.$/,
    );
  });

  it('if the database does not exist', async () => {
    const env = changed(() => undefined, 'no_such_database');
    await expectFailures(
      env,
      'DATABASE_MISSING',
      /^The database "no_such_database" does not exist on .*:\d+\. Create it: CREATE DATABASE `no_such_database`\.$/,
    );
  });

  /** Runs work with the settings of a user who has these rights on a new database. */
  async function asGuest(rights: string, work: (env: { DATABASE_URL: string }, name: string) => Promise<void>) {
    const name = `guest_${uuidv7().slice(-12)}`;
    const accounts = [`'${name}'@'%'`, `'${name}'@'localhost'`];
    await runOnServer(
      `CREATE DATABASE ${name}`,
      ...accounts.map((account) => `CREATE USER ${account} IDENTIFIED BY '${canary}'`),
      ...accounts.flatMap((account) => (rights === '' ? [] : [`GRANT ${rights} ON ${name}.* TO ${account}`])),
    );
    try {
      await work(
        changed((url) => Object.assign(url, { username: name, password: canary }), name),
        name,
      );
    } finally {
      await runOnServer(`DROP USER ${accounts.join(', ')}`, `DROP DATABASE ${name}`);
    }
  }

  it('if the user has no rights on the database', () =>
    asGuest('', (env) =>
      expectFailures(
        env,
        'DATABASE_ACCESS_DENIED',
        /^The database user has no rights on the database "guest_\w+"\. Grant them: GRANT ALL ON `guest_\w+`\.\* TO 'guest_\w+'@'[^']+'\.$/,
      ),
    ));

  it('if the user has too few rights on the database', () =>
    asGuest('SELECT, INSERT, UPDATE, DELETE', async (env, name) => {
      const database = openDatabase(loadConfig({ env, cwd: '/' }).database);
      const { code, message } = await failureOf(() => migrateUp(database));
      await database.close();
      expect([code, message]).to.deep.equal([
        'DATABASE_ACCESS_DENIED',
        `The database user lacks rights on the database "${name}". Grant them: GRANT ALL ON \`${name}\`.* TO '${name}'@'<host>', ` +
          'with the host that SELECT CURRENT_USER() shows when this user is connected.',
      ]);
    }));

  it('if it has no TLS, or an untrusted certificate', async () => {
    const toName = (url: URL) => {
      url.hostname = 'localhost';
    };
    const env = { ...changed(toName), DB_TLS: 'required' };
    await expectFailures(
      env,
      'DATABASE_UNREACHABLE',
      /^No TLS connection to the database \(mysql:.*\): .*\. Check DB_TLS and DB_TLS_CA_FILE\.$/,
    );
  });

  it('if the migrations have not run', async () => {
    const name = `empty_${uuidv7().slice(-12)}`;
    await runOnServer(`CREATE DATABASE ${name}`);
    const database = openDatabase(loadConfig({ env: { DATABASE_URL: serverUrl(name) }, cwd: '/' }).database);
    const { code, message } = await failureOf(() => database.read(() => database.models.User.count()));
    expect([code, message]).to.deep.equal([
      'SCHEMA_OUTDATED',
      `The database schema is not up to date: Table '${name}.users' doesn't exist. Run: coursectl migrate up. If nothing is ` +
        'pending, the schema was changed by hand: change it back, or restore a backup.',
    ]);
    await database.close();
    await runOnServer(`DROP DATABASE ${name}`);
  });
});
