import { expect } from 'chai';
import { useDatabases } from '../../../db/support/databases.js';
import { startProxy } from '../../../faults/proxy.js';
import { onMysql } from '../../../support/database.js';
import { testEnvironment } from '../../../support/environment.js';
import { scaled } from '../../../support/machine.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { useSubprocesses } from '../../../support/subprocess.js';

(onMysql ? describe : describe.skip)('The log of coursectl serve', function () {
  this.timeout(scaled(60_000));
  const processes = useSubprocesses();
  const databases = useDatabases();
  const cli = useCommandLine(() => ({ ...testEnvironment, PATH: process.env.PATH ?? '' }));

  it('is JSON, also if Sequelize writes to the console that a commit or rollback failed', async () => {
    const proxy = await startProxy(Number(new URL(databases.url).port || 3306));
    try {
      const url = new URL(databases.url);
      Object.assign(url, { hostname: '127.0.0.1', port: String(proxy.port) });
      const env = { ...cli.env, DATABASE_URL: url.href };
      const server = processes.start(['serve', '--port', '0', '--quiet'], { cwd: cli.folder, env });
      const [, at = ''] = await server.waitForOutput(/"url":"(http:[^"]+)"/);
      const person = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org', phone: '+1 555 0100' };
      const body = { ...person, password: 'a password of the super admin' };
      // The semicolon excludes READ COMMITTED, the first statement of a connection.
      for (const words of ['COMMIT;', 'INSERT']) {
        proxy.onSent = (data) => (data.includes(words) ? 'drop' : 'pass');
        const headers = { 'Content-Type': 'application/json' };
        const url = `${at}/api/auth/setup`;
        const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
        expect(status, words).to.equal(503);
      }
      proxy.onSent = undefined;
      server.kill('SIGTERM');
      const { exitCode, stderr } = await server.ended;
      expect(exitCode).to.equal(0);
      const messages = stderr
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { msg: string }).msg);
      expect(messages.join('\n'))
        .to.match(/^Committing transaction .* failed/m)
        .and.to.match(/^Rolling back .* failed/m);
    } finally {
      await proxy.close();
    }
  });
});
