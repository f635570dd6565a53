import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { writeCertificate } from '../support/certificate.js';
import { type Haproxy, type HaproxyPorts, startHaproxy } from '../support/haproxy.js';
import { scaled } from '../support/machine.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { freePort } from '../support/test-server.js';
import { isInstalled } from './files.js';

(isInstalled('haproxy') ? describe : describe.skip)('HAProxy in front of a database (needs haproxy)', function () {
  this.timeout(scaled(60_000));
  let folder: ReturnType<typeof temporaryFolder>;
  let ports: HaproxyPorts;
  let listen: number;
  let started: Haproxy[];
  let servers: Server[];
  let sockets: Socket[];
  /** A node is down while this file exists. */
  const markOf = (name: string) => path.join(folder.path, `without-${name}`);

  /** Starts a node that sends its name to each client, and returns its port. */
  async function startNode(name: string): Promise<number> {
    const node = createServer((socket) => {
      sockets.push(socket);
      // HAProxy may close a connection at any time.
      socket.on('error', () => undefined);
      socket.write(name);
    });
    servers.push(node);
    node.listen(0, '127.0.0.1');
    await once(node, 'listening');
    // A server on a TCP port has an address of this type.
    return (node.address() as AddressInfo).port;
  }

  beforeEach(async () => {
    folder = temporaryFolder();
    writeCertificate(folder.path);
    [started, servers, sockets] = [[], [], []];
    const nodes: number[] = [];
    const cases: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      const port = await startNode(name);
      nodes.push(port);
      cases.push(`${port}) [ ! -e '${markOf(name)}' ] ;;`);
    }
    // HAProxy passes the port of the node.
    const check = `#!/bin/sh\ncase $4 in\n${cases.join('\n')}\nesac\n`;
    listen = await freePort();
    const database = { listen, peers: await freePort(), nodes, check };
    ports = { http: await freePort(), https: await freePort(), instances: [await freePort()], database };
  });
  afterEach(() => {
    for (const haproxy of started) haproxy.kill();
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
    folder.remove();
  });

  async function start(former?: Haproxy): Promise<Haproxy> {
    const haproxy = startHaproxy(folder.path, ports, former);
    started.push(haproxy);
    // After a reload, the former process answers on the socket until the next one listens.
    while (!(await haproxy.command('show info').catch(() => '')).includes(`\nPid: ${haproxy.pid}\n`)) await sleep(20);
    return haproxy;
  }

  /**
   * Connects like a pool.
   * @returns the connected node, and a promise for the end of the connection
   */
  async function open(): Promise<{ node: string; ended: Promise<unknown> }> {
    const socket = connect(listen, '127.0.0.1');
    sockets.push(socket);
    const ended = once(socket, 'close');
    const [node] = (await once(socket, 'data')) as [Buffer];
    return { node: node.toString(), ended };
  }

  async function markDown(haproxy: Haproxy, name: string): Promise<void> {
    writeFileSync(markOf(name), '');
    await haproxy.untilServer(`database/${name}`, 'DOWN');
  }

  async function markUp(haproxy: Haproxy, name: string): Promise<void> {
    rmSync(markOf(name));
    await haproxy.untilServer(`database/${name}`, 'UP');
  }

  it('uses one node at a time: a recovered node gets no connections while the other node is up', async () => {
    const haproxy = await start();
    const first = await open();
    expect(first.node).to.equal('one');
    await markDown(haproxy, 'one');
    await first.ended;
    const second = await open();
    expect(second.node).to.equal('two');
    await markUp(haproxy, 'one');
    expect((await open()).node).to.equal('two');
    await markDown(haproxy, 'two');
    await second.ended;
    expect((await open()).node).to.equal('one');
  });

  it('uses another node in maintenance of the first, and keeps it afterwards', async () => {
    const haproxy = await start();
    await markDown(haproxy, 'one');
    const used = await open();
    await markUp(haproxy, 'one');
    await haproxy.command('set server database/two state maint');
    await used.ended;
    expect((await open()).node).to.equal('one');
    await haproxy.command('set server database/two state ready');
    await haproxy.untilServer('database/two', 'UP');
    expect((await open()).node).to.equal('one');
  });

  it('uses the same node after a reload', async () => {
    const former = await start();
    const startedAt = performance.now();
    await markDown(former, 'one');
    expect((await open()).node).to.equal('two');
    await markUp(former, 'one');
    // HAProxy only asks its peers for 5 s after its start, and sends them nothing.
    await sleep(Math.max(0, startedAt + 6000 - performance.now()));
    await start(former);
    expect((await open()).node).to.equal('two');
  });
});
