import { execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { loadConfig } from '../../../src/config/config.js';
import { openDatabase } from '../../../src/db/connection.js';
import { scaled } from '../../support/machine.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { findServer, startThrowAwayServer, type ThrowAwayServer } from '../../support/test-server.js';
import { failureOf } from '../support/failure.js';

/**
 * Writes a certificate authority into a folder, and certificates that it has signed: `<subject alternative name>.pem`,
 * such as `DNS:localhost.pem`.
 */
function writeCertificates(folder: string, names: readonly string[]): void {
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });
  const newKey = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...newKey, '-subj', '/CN=authority', '-keyout', 'authority.key', '-out', 'authority.pem');
  openssl('req', ...newKey.slice(0, 3), '-subj', '/CN=server', '-keyout', 'key.pem', '-out', 'request.pem');
  for (const name of names) {
    writeFileSync(path.join(folder, 'extensions'), `subjectAltName=${name}\n`);
    const authority = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-CAcreateserial'];
    openssl(
      'x509',
      '-req',
      '-in',
      'request.pem',
      ...authority,
      '-extfile',
      'extensions',
      '-days',
      '2',
      '-out',
      `${name}.pem`,
    );
  }
}

describe('TLS to a database server', function () {
  this.timeout(scaled(60_000));
  const names = ['DNS:db.example.net', 'DNS:localhost'] as const;
  let folder: ReturnType<typeof temporaryFolder>;
  let server: ThrowAwayServer;

  before(async function () {
    const binary = findServer();
    if (binary === undefined || findServer(['openssl']) === undefined) return this.skip();
    folder = temporaryFolder();
    writeCertificates(folder.path, names);
    copyFileSync(path.join(folder.path, `${names[0]}.pem`), path.join(folder.path, 'server.pem'));
    const files = { ca: 'authority.pem', cert: 'server.pem', key: 'key.pem' };
    const options = Object.entries(files).map(([kind, file]) => `--ssl-${kind}=${path.join(folder.path, file)}`);
    const started = await startThrowAwayServer({ binary, options });
    if (!started) return this.skip();
    server = started;
  });
  after(async () => {
    // Undefined if the tests were skipped.
    await server?.stop();
    folder?.remove();
  });

  async function useCertificate(name: (typeof names)[number]): Promise<void> {
    copyFileSync(path.join(folder.path, `${name}.pem`), path.join(folder.path, 'server.pem'));
    const connection = await createConnection(server.url);
    await connection.query(/mariadb/i.test(server.version) ? 'FLUSH SSL' : 'ALTER INSTANCE RELOAD TLS');
    await connection.end();
  }

  /** Opens several connections: the driver may resume TLS sessions. */
  async function connect(host: string, tls: 'required' | 'no-verify'): Promise<void> {
    const url = new URL('mysql', server.url);
    url.hostname = host;
    const authorities = tls === 'required' && { DB_TLS_CA_FILE: path.join(folder.path, 'authority.pem') };
    const env = { DATABASE_URL: url.href, DB_TLS: tls, ...authorities };
    const database = openDatabase(loadConfig({ env, cwd: '/' }).database);
    const ask = () => database.read(() => database.sequelize.query('SELECT SLEEP(0.05)'));
    try {
      await ask();
      await Promise.all([ask(), ask(), ask()]);
    } finally {
      await database.close();
    }
  }

  async function expectRefusal(host: string, name: string): Promise<void> {
    const { code, message } = await failureOf(() => connect(host, 'required'));
    expect(code).to.equal('DATABASE_UNREACHABLE');
    expect(message.replace(/\(.*?\)/, '()')).to.equal(
      `No TLS connection to the database (): the server's certificate is for ${name}, not for ${host}. ` +
        'Connect to a name in the certificate, or set DB_TLS=no-verify to skip the check.',
    );
  }

  it('fails with DB_TLS=required if the certificate is for another host', async () => {
    await expectRefusal('localhost', 'DNS:db.example.net');
    await connect('localhost', 'no-verify');
    await useCertificate('DNS:localhost');
    await connect('localhost', 'required');
  });
});
