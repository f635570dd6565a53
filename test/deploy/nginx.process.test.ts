import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { writeCertificate } from '../support/certificate.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { freePort, searchPath } from '../support/test-server.js';
import { isInstalled, sendThrough } from './files.js';
import { configureNginx } from './nginx.js';

(isInstalled('nginx') ? describe : describe.skip)('nginx in front of two instances (needs nginx)', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let proxy: ChildProcess | undefined;
  let https: number;
  /** Requests that the instances have received, in order. The first `lost` requests get no response. */
  let received: string[];
  let lost: number;
  const instances = [0, 1].map(() =>
    createServer((incoming, response) => {
      text(incoming).then(
        (body) => {
          received.push(`${incoming.method} ${incoming.url} ${body.length}`);
          if (received.length <= lost) incoming.socket.destroy();
          else response.end('done');
        },
        () => undefined,
      );
    }),
  );

  before(async () => {
    for (const instance of instances) {
      instance.listen(0, '127.0.0.1');
      await once(instance, 'listening');
    }
  });
  after(() => {
    for (const instance of instances) instance.close();
  });

  beforeEach(() => {
    folder = temporaryFolder();
    writeCertificate(folder.path);
    [received, lost] = [[], 0];
  });
  async function stop(): Promise<void> {
    if (!proxy) return;
    const exit = once(proxy, 'exit');
    proxy.kill('SIGTERM');
    await exit;
    proxy = undefined;
  }
  afterEach(async () => {
    await stop();
    for (const instance of instances) instance.closeAllConnections();
    folder.remove();
  });

  // A server on a TCP port has an address of this type.
  const ports = () => instances.map((instance) => (instance.address() as AddressInfo).port);

  async function start(to: readonly number[]): Promise<void> {
    https = await freePort();
    const args = configureNginx(folder.path, { http: await freePort(), https, instances: to });
    const child = spawn('nginx', args, { env: { PATH: searchPath }, stdio: ['ignore', 'ignore', 'pipe'] });
    proxy = child;
    let message = '';
    child.stderr.on('data', (data: Buffer) => {
      message += data.toString();
    });
    for (;;) {
      if (child.exitCode !== null) throw new Error(`nginx ended: ${message}`);
      const socket = connect(https, '127.0.0.1');
      const listens = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      if (listens) return;
      await sleep(50);
    }
  }

  it('retries a GET at the other instance, but no change', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'GET']) {
      // Restarted, because nginx excludes a failed instance for a while.
      await start(ports());
      [received, lost] = [[], 1];
      const { status } = await sendThrough(https, method, '/api/courses?really=yes');
      const sent = `${method} /api/courses?really=yes 0`;
      expect([status, received]).to.deep.equal(method === 'GET' ? [200, [sent, sent]] : [502, [sent]]);
      await stop();
    }
  });

  it('sends a GET to the other instance if a machine does not answer', async () => {
    // A stopped process that accepts no connections: like a vanished machine, it answers nothing.
    const listen =
      "net.createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () { console.log(this.address().port) })";
    const stopped = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(stopped.stdout, 'data')) as [Buffer];
    const port = Number(line);
    stopped.kill('SIGSTOP');
    const waiting = Array.from({ length: 5 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    try {
      await start([port, ...ports()]);
      for (let count = 0; count < 3; count += 1)
        expect(await sendThrough(https, 'GET', '/api/courses')).to.deep.equal({ status: 200, text: 'done' });
    } finally {
      for (const socket of waiting) socket.destroy();
      stopped.kill('SIGKILL');
    }
  });

  it('passes request bodies on unchanged', async () => {
    await start(ports());
    const body = 'x'.repeat(3_000_000);
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect(await sendThrough(https, method, '/api/a%20b', body)).to.deep.equal({ status: 200, text: 'done' });
    expect(received).to.deep.equal(['POST', 'PUT', 'DELETE'].map((method) => `${method} /api/a%20b 3000000`));
  });

  it('sends requests to the other instance if one is down, and a DELETE from the second request on', async () => {
    const [up = 0] = ports();
    const down = await freePort();
    for (const method of ['GET', 'POST']) {
      await start([down, up]);
      expect((await sendThrough(https, method, '/api/courses')).status, method).to.equal(200);
      await stop();
    }
    await start([down, up]);
    const statuses: unknown[] = [];
    for (let sent = 0; sent < 3; sent += 1)
      statuses.push((await sendThrough(https, 'DELETE', '/api/courses/1')).status);
    expect(statuses).to.deep.equal([502, 200, 200]);
  });
});
