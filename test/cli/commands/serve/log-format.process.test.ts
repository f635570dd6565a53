import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { runProgram } from '../../../../src/cli/program.js';
import { createMigratedDatabase, type TestDatabase } from '../../../support/database.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildUser } from '../../../support/factories.js';
import { scaled } from '../../../support/machine.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { useSubprocesses } from '../../../support/subprocess.js';
import { openTerminal } from '../../../support/terminal.js';

/** Path of a request that would clear the screen if printed unescaped. */
const hostile = '/api/%1b[2Jx';

describe('The output of coursectl serve', function () {
  this.timeout(scaled(60_000));
  const processes = useSubprocesses();
  let database: TestDatabase;
  const cli = useCommandLine(() => ({
    ...testEnvironment,
    PATH: process.env.PATH ?? '',
    DATABASE_URL: database.url,
    HOST: '127.0.0.1',
    PORT: '0',
  }));
  before(async () => {
    database = await createMigratedDatabase();
  });
  after(() => database.drop());
  const surroundings = (env: Record<string, string> = {}) => ({ cwd: cli.folder, env: { ...cli.env, ...env } });
  const listening = /coursectl is listening on (http:\S+)\r?\n/;

  it('is JSON in a pipe, and readable lines with LOG_FORMAT=pretty', async () => {
    for (const [format, expected] of [
      [
        'auto',
        /^\{"level":"info",.*"path":"\/api\/nowhere"\},"res":\{"status":404\},"responseTime":\d+,"msg":"request"\}$/m,
      ],
      ['pretty', /^\[\d\d:\d\d:\d\d\] INFO: request GET \/api\/nowhere 404 \d+ ms$/m],
    ] as const) {
      const server = processes.start(['serve'], surroundings({ LOG_FORMAT: format }));
      const [, url = ''] = await server.waitForOutput(listening);
      await fetch(`${url}/api/nowhere?search=secret`);
      server.kill('SIGTERM');
      const { exitCode, stderr } = await server.ended;
      expect(exitCode).to.equal(0);
      expect(stderr).to.match(expected).and.not.to.include('secret');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: no colours
      expect(stderr).not.to.match(/\u001b/);
    }
  });

  it('is readable at a terminal: address, database without password, data folder, next step, requests', async () => {
    const terminal = openTerminal(80);
    const stop = new AbortController();
    const { stdin, stderr } = terminal;
    const io = { ...surroundings(), stdin, stderr, stdout: stderr, signal: stop.signal };
    const ended = runProgram(['serve', '--host', '0.0.0.0'], io);
    try {
      await terminal.converse([['No super admin yet.', '']], ended);
      const [, url = ''] = listening.exec(terminal.screen()) ?? [];
      const { port } = new URL(url);
      await fetch(`http://127.0.0.1:${port}${hostile}`);
      await terminal.converse([['404', '']], ended);
      const screen = terminal.screen();
      expect(screen).to.include(`\nData folder: ${path.join(cli.folder, 'data')}\n`);
      expect(screen).to.match(/\nDatabase: (sqlite:\/|mysql:\/\/)\S+\n/);
      const password = URL.canParse(database.url) ? new URL(database.url).password : '';
      if (password !== '') expect(screen).not.to.include(`:${password}@`);
      expect(screen).to.include(`\nAPI description: http://127.0.0.1:${port}/api/docs\n`);
      expect(screen).to.include('run: coursectl setup\n');
      expect(screen).to.match(/^\[\d\d:\d\d:\d\d\] INFO: request GET \/api\/%1b\[2Jx 404 \d+ ms$/m);
      expect(terminal.written()).to.include('\u001b[36mrequest GET');
      expect(screen).not.to.include('{"level"');
    } finally {
      stop.abort();
      expect(await ended).to.equal(0);
    }
  });

  describe(`at a real terminal${processes.withoutTerminal}`, () => {
    before(function () {
      if (processes.withoutTerminal) this.skip();
    });

    it('names the console if a super admin exists, and has no colours with NO_COLOR', async () => {
      await buildUser(await cli.context(), { role: 'super_admin' });
      const server = processes.startAtTerminal(['serve'], surroundings({ NO_COLOR: '1' }));
      const [, url = ''] = await server.waitForOutput(/Sign in: open (http:\S+) in a browser/);
      expect((await fetch(url, { headers: { accept: 'text/html' } })).headers.get('content-type')).to.match(
        /^text\/html/,
      );
      await server.waitForOutput(/GET \/ 200 \d+ ms/);
      server.type('\u0003');
      const { exitCode, stdout } = await server.ended;
      expect(exitCode).to.equal(0);
      expect(stripVTControlCharacters(stdout)).to.equal(stdout);
    });
  });
});
