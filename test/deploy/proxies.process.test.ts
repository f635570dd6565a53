import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import path from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import { type RunningServer, startServer } from '../../src/http/server/server.js';
import { type Context, createContext } from '../../src/services/context.js';
import { proxiedHost as host, writeCertificate } from '../support/certificate.js';
import { testEnvironment } from '../support/environment.js';
import { factoryPassword, signIn } from '../support/factories.js';
import { configureHaproxy } from '../support/haproxy.js';
import { useHarness } from '../support/harness.js';
import { takeImportSlot } from '../support/import-slot.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { freePort, searchPath } from '../support/test-server.js';
import { isInstalled, read } from './files.js';
import { configureNginx } from './nginx.js';

/** A proxy with its file of this repository. Only ports, certificate and paths differ. */
interface Proxy {
  program: string;
  /** @returns the arguments of the program, which stays in the foreground */
  configure(folder: string, ports: { proxy: number; service: number; other: number }): string[];
}

const proxies: Proxy[] = [
  {
    program: 'nginx',
    configure: (folder, { proxy, service, other }) =>
      configureNginx(folder, { http: other, https: proxy, instances: [service] }),
  },
  {
    program: 'caddy',
    configure(folder, { proxy, service, other }) {
      const site = read('deploy/Caddyfile')
        .replace(`${host} {`, `https://${host}:${proxy} {\n\ttls ${folder}/certificate.pem ${folder}/key.pem`)
        .replace('127.0.0.1:3000', `127.0.0.1:${service}`);
      writeFileSync(path.join(folder, 'Caddyfile'), `{\n\tadmin off\n\thttp_port ${other}\n}\n${site}`);
      return ['run', '--config', path.join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
    },
  },
  {
    program: 'haproxy',
    configure: (folder, { proxy, service, other }) =>
      configureHaproxy(folder, { http: other, https: proxy, instances: [service] }),
  },
];

for (const { program, configure } of proxies)
  (isInstalled(program) ? describe : describe.skip)(
    `${program} with the file of this repository (needs ${program})`,
    () => {
      const harness = useHarness();
      let folder: ReturnType<typeof temporaryFolder>;
      let instance: { context: Context; server: RunningServer };
      let proxy: ChildProcess;
      let port = 0;
      let message = '';
      /** Releases the import slot. */
      let release: (() => Promise<void>) | undefined;
      const agent = new Agent({ rejectUnauthorized: false, servername: host });

      async function start(): Promise<void> {
        const env = {
          ...testEnvironment,
          DATABASE_URL: harness.databaseUrl,
          DATA_DIR: folder.path,
          PORT: '0',
          HOST: '127.0.0.1',
          TRUST_PROXY: 'loopback',
        };
        const context = await createContext(loadConfig({ env, cwd: folder.path }), harness.context.logger, {
          hasher: harness.context.hasher,
        });
        instance = { context, server: await startServer(context) };
        port = await freePort();
        const ports = { proxy: port, service: Number(new URL(instance.server.url).port), other: await freePort() };
        const args = configure(folder.path, ports);
        const surroundings = {
          PATH: searchPath,
          HOME: folder.path,
          XDG_DATA_HOME: folder.path,
          XDG_CONFIG_HOME: folder.path,
        };
        proxy = spawn(program, args, { env: surroundings, stdio: ['ignore', 'ignore', 'pipe'] });
        message = '';
        proxy.stderr?.on('data', (data: Buffer) => {
          message += data.toString();
        });
      }

      /** Sends a request through the proxy. */
      function send(method: string, route: string, headers: Record<string, string> = {}, body?: Buffer | string) {
        const options = {
          host: '127.0.0.1',
          port,
          method,
          path: route,
          agent,
          headers: { Host: `${host}:${port}`, ...headers },
        };
        return new Promise<IncomingMessage>((resolve, reject) => {
          const call = request(options, resolve).once('error', reject);
          call.end(body);
        });
      }

      /** Waits until the proxy listens and the service is ready. */
      async function untilReady(): Promise<void> {
        for (;;) {
          if (proxy.exitCode !== null) throw new Error(`${program} ended: ${message}`);
          const response = await send('GET', '/readyz').catch(() => undefined);
          response?.resume();
          if (response?.statusCode === 200) return;
          await sleep(50);
        }
      }

      beforeEach(async () => {
        folder = temporaryFolder();
        writeCertificate(folder.path);
        await start();
        await untilReady();
      });
      afterEach(async () => {
        await release?.();
        release = undefined;
        agent.destroy();
        const exit = once(proxy, 'exit');
        proxy.kill('SIGTERM');
        await exit;
        await instance.server.close();
        await instance.context.close();
        folder.remove();
      });

      const form = (file: Buffer) => {
        const boundary = 'the-boundary';
        const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="people.csv"\r\nContent-Type: text/csv\r\n\r\n`;
        const body = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]);
        return {
          headers: {
            'Content-Type': `multipart/form-data; boundary=${boundary}`,
            'Content-Length': String(body.length),
          },
          body,
        };
      };

      it('signs people in with a secure cookie, and forwards the client address', async () => {
        const { user } = await signIn(harness.context, { role: 'super_admin' });
        const body = JSON.stringify({ identifier: user.email, password: factoryPassword });
        const headers = {
          'Content-Type': 'application/json',
          Origin: `https://${host}:${port}`,
          'X-Requested-With': 'coursectl',
          'X-Forwarded-For': '203.0.113.9',
        };
        const response = await send('POST', '/api/auth/web-session', headers, body);
        expect(response.statusCode, await text(response)).to.equal(200);
        expect(response.headers['set-cookie']?.join()).to.match(/^__Host-[^;]+;.*Secure/);
        // The service ignores an address that the client made up.
        const [session] = await harness.context.database.models.Session.findAll({
          where: { userId: user.id },
          order: [['createdAt', 'DESC']],
        });
        expect(session?.ip).to.equal('127.0.0.1');
      });

      it('passes on large uploads, streams events without delay, and hides the metrics', async () => {
        const { token } = await signIn(harness.context, { role: 'super_admin' });
        const Authorization = `Bearer ${token}`;
        release = await takeImportSlot(harness.context);
        const rows = Array.from({ length: 100_000 }, (_, row) => `Ada,Lovelace,person${row}@example.org,+1 555 ${row}`);
        const { headers, body } = form(Buffer.from(['firstName,lastName,email,phone', ...rows].join('\n')));
        expect(body.length).to.be.greaterThan(4 * 2 ** 20);
        const uploaded = await send('POST', '/api/imports', { ...headers, Authorization }, body);
        const response = await text(uploaded);
        expect(uploaded.statusCode, response).to.equal(202);
        const { id } = (JSON.parse(response) as { import: { id: string } }).import;
        const events = await send('GET', `/api/imports/${id}/events`, { Authorization });
        // The event arrives although the response continues.
        const [first] = (await once(events, 'data')) as [Buffer];
        expect(first.toString()).to.include('event: progress');
        expect(events.complete).to.equal(false);
        events.destroy();
        for (const route of ['/metrics', '/metrics/']) {
          const refused = await send('GET', route);
          refused.resume();
          expect(refused.statusCode, route).to.equal(404);
        }
        const { headers: length, body: tooMuch } = form(Buffer.alloc(111 * 2 ** 20));
        const refused = await send('POST', '/api/imports', { ...length, Authorization }, tooMuch)
          .then(async (given) => {
            await buffer(given);
            return given.statusCode;
          })
          .catch((error: Error & { code?: string }) => error.code);
        // The response may be lost while the client is still sending.
        expect(refused).to.be.oneOf([413, 'EPIPE', 'ECONNRESET']);
      });
    },
  );
