import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import request from 'supertest';
import { type RunningServer, startServer } from '../../src/http/server/server.js';
import { createLogger } from '../../src/logger.js';
import { type Context, createContext } from '../../src/services/context.js';
import { createImagePreparer } from '../../src/storage/images.js';
import { childrenOf, isRunning } from '../support/child-processes.js';
import { signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { emptyPng } from '../support/images.js';
import { scaled } from '../support/machine.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { emptyStorage, expectNothingLeft, filePart, form, uploadsIn } from './support/uploads.js';

const maxInFlight = 2;

describe('many images together', function () {
  this.timeout(scaled(120_000));
  const harness = useHarness();
  const logged: string[] = [];
  let folder: ReturnType<typeof temporaryFolder>;
  let context: Context;
  let server: RunningServer;
  let token: string;

  beforeEach(async () => {
    folder = temporaryFolder();
    logged.length = 0;
    const { config, hasher } = harness.context;
    const logger = createLogger('info', { write: (line: string) => void logged.push(line) });
    const files = { ...config.files, storage: { kind: 'local' as const, folder: `${folder.path}/files` } };
    const http = { ...config.http, port: 0, host: '127.0.0.1', maxInFlight };
    context = await createContext({ ...config, dataDir: folder.path, files, http }, logger, {
      hasher,
      images: createImagePreparer({ extraNiceness: 0, deadlineMs: 60_000, waitMs: 60_000 }),
    });
    server = await startServer(context);
    ({ token } = await signIn(context));
  });

  afterEach(async () => {
    await server.close();
    await context.close();
    await emptyStorage(harness.context);
    folder.remove();
  });

  const avatar = (as: string) =>
    request(server.url)
      .put('/api/auth/avatar')
      .set('Authorization', `Bearer ${as}`)
      .attach('image', emptyPng(40, 30), 'me.png');
  const me = () => request(server.url).get('/api/auth/me').set('Authorization', `Bearer ${token}`);
  const accounts = async (count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await signIn(context)).token));

  /** Stops the image process during the first of these images. */
  async function standingStill<T>(send: () => T): Promise<{ pid: number; sent: T }> {
    const others = childrenOf(process.pid);
    const newOne = () => childrenOf(process.pid).find((child) => !others.includes(child)) ?? 0;
    const sent = send();
    await until(() => newOne() > 0);
    const pid = newOne();
    process.kill(pid, 'SIGSTOP');
    return { pid, sent };
  }
  const goOn = (pid: number) => process.kill(pid, 'SIGCONT');

  /** Sends an image over a socket that can be closed before the response. */
  function sendAvatar(as: string): Socket {
    const body = form(filePart(emptyPng(40, 30), 'me.png', 'image'));
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
    const head = ['PUT /api/auth/avatar HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${as}`];
    const more = ['Content-Type: multipart/form-data; boundary=x', `Content-Length: ${body.length}`, '', ''];
    socket.write([...head, ...more].join('\r\n'));
    socket.write(body);
    return socket;
  }

  it('delay no other request, however many wait', async () => {
    const tokens = await accounts(4 * maxInFlight);
    const { pid, sent } = await standingStill(() => tokens.map((as) => avatar(as).then(({ status }) => status)));
    await until(() => uploadsIn(context).length === 4 * maxInFlight);
    const responses = await Promise.all(Array.from({ length: 6 }, async () => (await me()).status));
    expect(responses).to.deep.equal(Array(6).fill(200));
    goOn(pid);
    expect(await Promise.all(sent)).to.deep.equal(Array(4 * maxInFlight).fill(200));
    await expectNothingLeft(context, 4 * maxInFlight);
  });

  it('are limited per account', async () => {
    const { pid, sent } = await standingStill(() =>
      Array.from({ length: 14 }, () => avatar(token).then(({ status, headers }) => ({ status, headers }))),
    );
    // One image is being processed, eight wait, and the others are refused immediately.
    await until(() => uploadsIn(context).length === 9);
    const [other = ''] = await accounts(1);
    const theirs = avatar(other).then(({ status }) => status);
    await until(() => uploadsIn(context).length === 10);
    goOn(pid);
    const responses = await Promise.all(sent);
    const turnedAway = responses.filter(({ status }) => status === 503);
    expect(turnedAway.length).to.equal(5);
    for (const { headers } of turnedAway) expect(headers['retry-after']).to.match(/^\d+$/);
    expect(responses.filter(({ status }) => status === 200).length).to.equal(9);
    expect(await theirs).to.equal(200);
    await expectNothingLeft(context, 2);
  });

  it('are cancelled when their clients leave, both queued images and those in progress', async () => {
    const tokens = await accounts(4);
    const { pid, sent } = await standingStill(() => tokens.map(sendAvatar));
    await until(() => uploadsIn(context).length === 4);
    for (const socket of sent) socket.destroy();
    await until(() => !isRunning(pid));
    await expectNothingLeft(context, 0);
    expect((await avatar(token)).status).to.equal(200);
    // A client that leaves causes no error in the log.
    expect(logged.filter((line) => /"level":(50|60)/.test(line))).to.deep.equal([]);
  });

  it('are completed before the service ends', async () => {
    const waiting = (await accounts(3)).map((as) => avatar(as).then(({ status }) => status));
    await until(() => uploadsIn(context).length > 0);
    await server.close();
    expect(await Promise.all(waiting)).to.deep.equal(Array(3).fill(200));
  });
});
