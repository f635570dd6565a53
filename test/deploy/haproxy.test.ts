import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { writeCertificate } from '../support/certificate.js';
import { type Haproxy, startHaproxy } from '../support/haproxy.js';
import { scaled } from '../support/machine.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { freePort } from '../support/test-server.js';
import { isInstalled, sendThrough } from './files.js';

(isInstalled('haproxy') ? describe : describe.skip)('HAProxy in front of an instance (needs haproxy)', function () {
  this.timeout(scaled(30_000));
  let folder: ReturnType<typeof temporaryFolder>;
  let haproxy: Haproxy | undefined;
  /** Status that the instance answers to `/readyz`. */
  let readiness: number;
  const arrivals = new EventEmitter();
  const instance = createServer((request, response) => {
    request.resume();
    if (request.url === '/readyz') response.writeHead(readiness).end();
    else arrivals.emit('request', response);
  });

  beforeEach(async () => {
    folder = temporaryFolder();
    writeCertificate(folder.path);
    readiness = 200;
    instance.listen(0, '127.0.0.1');
    await once(instance, 'listening');
  });
  afterEach(() => {
    haproxy?.kill();
    instance.close();
    folder.remove();
  });

  it('lets the instance complete its requests when it is no longer ready', async () => {
    const https = await freePort();
    // A server on a TCP port has an address of this type.
    const instances = [(instance.address() as AddressInfo).port];
    haproxy = startHaproxy(folder.path, { http: await freePort(), https, instances });
    await haproxy.untilServer('instances/one', 'UP');
    const arrived = once(arrivals, 'request') as Promise<[ServerResponse]>;
    const answer = sendThrough(https, 'POST', '/api/courses', 'the body');
    const [response] = await arrived;
    readiness = 503;
    await haproxy.untilServer('instances/one', 'DOWN');
    // HAProxy would have closed the connection by now.
    await sleep(500);
    response.writeHead(201).end('created');
    expect(await answer).to.deep.equal({ status: 201, text: 'created' });
  });
});
