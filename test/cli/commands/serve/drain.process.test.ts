import { type ChildProcess, spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { loadConfig } from '../../../../src/config/config.js';
import { openDatabase } from '../../../../src/db/connection.js';
import { useBuiltProgram } from '../../../support/built-program.js';
import { createEmptyDatabase, type TestDatabase } from '../../../support/database.js';
import { scaled } from '../../../support/machine.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

describe('coursectl serve, when it ends', function () {
  this.timeout(scaled(30_000));
  const built = useBuiltProgram();
  let database: TestDatabase;
  let folder: ReturnType<typeof temporaryFolder>;
  let server: ChildProcess | undefined;

  beforeEach(async () => {
    database = await createEmptyDatabase();
    folder = temporaryFolder();
  });

  afterEach(async () => {
    if (server?.exitCode === null) server.kill('SIGKILL');
    await database.drop();
    folder.remove();
  });

  function serve(...options: string[]) {
    const child = spawn(
      process.execPath,
      [path.join(built.path, 'bin', 'coursectl.js'), 'serve', '--port', '0', '--json', ...options],
      {
        cwd: folder.path,
        env: { PATH: process.env.PATH, DATABASE_URL: database.url },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    server = child;
    return { child, exited: new Promise<number | null>((resolve) => child.once('exit', resolve)) };
  }

  it('completes running requests, and does not wait for idle connections', async () => {
    const { child, exited } = serve('--migrate');
    let url = '';
    for await (const line of createInterface(child.stdout)) {
      ({ url } = JSON.parse(line) as { url: string });
      break;
    }
    const answered = new Promise<number | undefined>((resolve, reject) => {
      const agent = new Agent({ keepAlive: true });
      const headers = { 'Content-Type': 'application/json' };
      const login = request(`${url}/api/auth/login`, { method: 'POST', agent, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      login.once('error', reject);
      login.end(JSON.stringify({ identifier: 'nobody@example.org', password: 'a password' }));
    });
    // Comparing a password at cost 12 takes longer than these 60 ms.
    setTimeout(() => child.kill('SIGTERM'), 60);
    expect(await answered).to.equal(401);
    const answeredAt = performance.now();
    expect(await exited).to.equal(0);
    expect(performance.now() - answeredAt).to.be.lessThan(scaled(5000));
  });

  it('stops listening when the start fails', async () => {
    const first = serve('--migrate');
    for await (const _line of createInterface(first.child.stdout)) break;
    first.child.kill('SIGTERM');
    await first.exited;
    // A schema that is marked as up to date but isn't.
    const { sequelize, close } = openDatabase(
      loadConfig({ env: { DATABASE_URL: database.url }, cwd: folder.path }).database,
    );
    await sequelize.query('DROP TABLE users');
    await close();
    expect(await serve().exited).to.equal(1);
  });
});
