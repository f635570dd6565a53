import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { useBuiltProgram } from '../support/built-program.js';
import { createEmptyDatabase, type EmptyDatabase, onMysql, temporaryFolder } from '../support/database.js';

/** The built program as its own process, with an environment that holds nothing but what is named. */
describe('The program as a process', function () {
  this.timeout(30_000);
  const built = useBuiltProgram();
  let database: EmptyDatabase;
  let folder: ReturnType<typeof temporaryFolder>;
  let started: ChildProcess[];

  beforeEach(async () => {
    database = await createEmptyDatabase();
    folder = temporaryFolder();
    started = [];
  });

  afterEach(async () => {
    for (const child of started) if (child.exitCode === null) child.kill('SIGKILL');
    await database.drop();
    folder.remove();
  });

  const program = () => path.join(built.path, 'bin', 'coursectl.js');
  const environment = (env: Record<string, string> = {}) => ({
    PATH: process.env.PATH,
    DATABASE_URL: database.url,
    ...env,
  });

  /** Runs a command to its end. */
  const run = (argv: string[], env: Record<string, string> = {}, input = '') =>
    spawnSync(process.execPath, [program(), ...argv], {
      cwd: folder.path,
      env: environment(env),
      encoding: 'utf8',
      input,
    });

  /** Starts a command that goes on. */
  function start(argv: string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [program(), ...argv], {
      cwd: folder.path,
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(child);
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    return { child, exited, stdout: child.stdout, stderr: child.stderr };
  }

  async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
    for await (const line of createInterface(stream)) return line;
    throw new Error('The program wrote nothing.');
  }

  async function serving(env: Record<string, string> = {}) {
    const server = start(['serve', '--migrate', '--port', '0', '--json'], env);
    const logs = text(server.stderr);
    const { url } = JSON.parse(await firstLine(server.stdout)) as { url: string };
    return { ...server, url, logs };
  }

  it('serves, migrated and ready, until SIGTERM, which ends it with 0; its logs are JSON', async () => {
    const { child, exited, url, logs } = await serving();
    expect((await fetch(`${url}/readyz`)).status).to.equal(200);
    const { setupRequired } = (await (await fetch(`${url}/api/auth/setup-status`)).json()) as {
      setupRequired: boolean;
    };
    expect(setupRequired).to.equal(true);
    child.kill('SIGTERM');
    expect(await exited).to.equal(0);
    const lines = (await logs)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string });
    expect(lines.map(({ msg }) => msg)).to.include.members(['listening', 'request', 'stopped']);
  });

  it('says on the terminal where it serves and what to do next, and nothing on standard output', async () => {
    const { child, exited, stdout, stderr } = start(['serve', '--migrate', '--port', '0']);
    const [data, lines] = [text(stdout), createInterface(stderr)];
    const said: string[] = [];
    for await (const line of lines) {
      said.push(line);
      if (line.includes('coursectl setup')) break;
    }
    expect(said.join('\n')).to.match(/coursectl is listening on http:\/\/127\.0\.0\.1:\d+\n/);
    child.kill('SIGINT');
    expect(await exited).to.equal(0);
    expect(await data).to.equal('');
  });

  it('lets a request under way finish while it stops', async () => {
    const { child, exited, url } = await serving();
    const body = JSON.stringify({ identifier: 'nobody@example.org', password: 'a password' });
    const answer = fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close' },
      body,
    });
    // The comparison at cost 12 takes long enough to be under way.
    setTimeout(() => child.kill('SIGTERM'), 60);
    expect((await answer).status).to.equal(401);
    expect(await exited).to.equal(0);
  });

  it('refuses a port that is taken, in one line', async () => {
    run(['migrate', 'up']);
    const squatter = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => squatter.once('listening', resolve));
    const address = squatter.address();
    const port = String(typeof address === 'object' && address ? address.port : 0);
    const { status, stderr } = run(['serve', '--port', port]);
    squatter.close();
    expect(status).to.equal(1);
    expect(stderr).to.equal(
      `error: Port ${port} on 127.0.0.1 is in use by another program. Stop it, or set PORT to another one.\n`,
    );
  });

  it('refuses an old schema, and production without a secret', () => {
    const old = run(['serve']);
    expect([old.status, old.stderr]).to.deep.equal([
      1,
      'error: The database schema is not up to date (7 pending). Run "coursectl migrate up".\n',
    ]);
    const open = run(['serve'], { NODE_ENV: 'production' });
    expect(open.status).to.equal(1);
    expect(open.stderr).to.match(
      /^error: JWT_SECRET must be set in production; make one with: openssl rand -base64 48\.\n$/,
    );
  });

  it('keeps its generated secret to this user', async () => {
    const { child, exited } = await serving();
    child.kill('SIGTERM');
    await exited;
    const secret = path.join(folder.path, 'data', 'jwt-secret');
    expect(existsSync(secret) && statSync(secret).mode & 0o777).to.equal(0o600);
  });

  it('ends quietly when nobody reads on', () => {
    run(['migrate', 'up']);
    run(['seed', 'demo']);
    const { status, stderr } = spawnSync(
      'bash',
      ['--norc', '-c', `set -o pipefail; "${process.execPath}" "${program()}" users export | head -n 1`],
      { cwd: folder.path, env: environment(), encoding: 'utf8' },
    );
    expect([status, stderr]).to.deep.equal([0, '']);
  });

  it('ends with 130 on SIGINT while it waits for its input, with nothing half done', async () => {
    // Reads the password from a pipe that never ends.
    const child = spawn(process.execPath, [program(), 'setup', '--yes', '--password-stdin'], {
      cwd: folder.path,
      env: environment(),
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    started.push(child);
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    for await (const line of createInterface(child.stderr)) if (line.startsWith('1. Database')) break;
    child.kill('SIGINT');
    expect(await exited).to.equal(130);
    const { pending } = JSON.parse(run(['migrate', 'status', '--json']).stdout) as { pending: string[] };
    expect(pending).to.have.length(7);
  });

  if (!onMysql) {
    it('uses SQLite in data/ with nothing in the environment at all', () => {
      const { status, stdout } = spawnSync(process.execPath, [program(), 'migrate', 'up', '--json'], {
        cwd: folder.path,
        env: { PATH: process.env.PATH },
        encoding: 'utf8',
      });
      expect(status).to.equal(0);
      expect((JSON.parse(stdout) as { applied: string[] }).applied).to.have.length(7);
      expect(existsSync(path.join(folder.path, 'data', 'coursectl.sqlite'))).to.equal(true);
    });
  }
});
