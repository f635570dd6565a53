/**
 * A separate process that simulates an attacker's home connection. Sends one kind of the costly requests in
 * docs/SECURITY.md from one address, at most a megabyte a second, until the process is ended. Its argument is an {@link
 * Attack} as JSON. Prints the results so far as JSON each second.
 */
import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { emptyPng, jpegOfScans } from '../support/images.js';

export type AttackKind =
  | 'text'
  | 'bodies'
  | 'uploads'
  | 'sockets'
  | 'images'
  | 'probes'
  | 'lists'
  | 'sessions'
  | 'pages';

export interface Attack {
  kind: AttackKind;
  port: number;
  /** Source address. */
  from: string;
  /** Tokens of trainees; the first trainee has very many sessions. */
  traineeTokens: string[];
  trainerToken: string;
}

/** Results: responses by status, connections `closed` or `refused` without a response, and `bytes` sent. */
export type AttackCounts = Record<string, number>;

const bytesASecond = 1_000_000;
/** Bytes of the packets that open a connection. */
const connectionBytes = 300;
/** Pause before a refused request is repeated, in milliseconds. */
const retryPauseMs = 5000;

const attack = JSON.parse(process.argv[2] ?? '') as Attack;
const counts: AttackCounts = { bytes: 0 };
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1;
};

let free = bytesASecond / 10;
let lastAt = performance.now();

/** Waits until the connection's budget permits sending bytes. */
async function waitForBudget(bytes: number): Promise<void> {
  for (;;) {
    const now = performance.now();
    free = Math.min(bytesASecond / 10, free + ((now - lastAt) / 1000) * bytesASecond);
    lastAt = now;
    if (free > 0) break;
    await sleep(5);
  }
  // The budget may become negative.
  free -= bytes;
  counts.bytes = (counts.bytes ?? 0) + bytes;
}

const tokenOf = (number: number) => attack.traineeTokens[number % attack.traineeTokens.length] ?? '';

function head(line: string, headers: Record<string, string | number> = {}): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

const withBody = (line: string, headers: Record<string, string>, body: Buffer) =>
  Buffer.concat([Buffer.from(head(line, { ...headers, 'Content-Length': body.length })), body]);

const json = { 'Content-Type': 'application/json' };
const multipart = { 'Content-Type': 'multipart/form-data; boundary=x' };
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Start of a form with an image. */
const formStart = Buffer.from(
  '--x\r\nContent-Disposition: form-data; name="image"; filename="me.png"\r\nContent-Type: image/png\r\n\r\n',
);
const formEnd = Buffer.from('\r\n--x--\r\n');

async function open(): Promise<Socket> {
  await waitForBudget(connectionBytes);
  const socket = createConnection({ port: attack.port, host: '127.0.0.1', localAddress: attack.from });
  let refused = true;
  socket.once('connect', () => {
    refused = false;
  });
  socket.on('error', () => undefined);
  socket.once('close', () => count(refused ? 'refused' : 'closed'));
  return socket;
}

async function write(socket: Socket, content: Buffer): Promise<void> {
  for (let at = 0; at < content.length && !socket.destroyed; at += 16_384) {
    const piece = content.subarray(at, at + 16_384);
    await waitForBudget(piece.length);
    await new Promise<void>((resolve) => {
      socket.once('close', resolve);
      socket.write(piece, () => {
        socket.off('close', resolve);
        resolve();
      });
    });
  }
}

/** Sends requests one after the other, each on a new connection, and waits for each response. */
async function repeat(next: () => Buffer): Promise<never> {
  for (;;) {
    const socket = await open();
    const answered = new Promise<void>((resolve) => {
      socket.on('data', (data: Buffer) => {
        const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1', 0, 12)) ?? [];
        if (status !== undefined) count(status);
      });
      // Closes a connection without a response for this time.
      socket.setTimeout(60_000, () => socket.destroy());
      socket.once('close', () => resolve());
    });
    await write(socket, next());
    await answered;
    // Retries a refused connection after a pause.
    await sleep(20);
  }
}

const several = (workers: number, work: (worker: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));

/** Keeps connections open that have sent a part of a request, and sends a byte more each second. */
async function stall(connections: number, start: (number: number) => Buffer, drip: string): Promise<void> {
  await several(connections, async (number) => {
    for (;;) {
      const socket = (await open()).resume();
      await write(socket, start(number));
      while (!socket.destroyed) {
        if (drip) await write(socket, Buffer.from(drip));
        await sleep(1000);
      }
      await sleep(retryPauseMs);
    }
  });
}

const close = { Connection: 'close' };

function text() {
  // Marks of two classes, which normalisation must reorder (UAX 15).
  const identifier = '\u0301\u0316'.repeat(24_000);
  const body = Buffer.from(JSON.stringify({ identifier, password: 'a wrong guess' }));
  const login = withBody('POST /api/auth/login', { ...json, ...close }, body);
  return several(8, () => repeat(() => login));
}

function images() {
  const contents = [
    emptyPng(5000, 5000),
    jpegOfScans(4096, 64),
    jpegOfScans(4096, 883),
    emptyPng(4000, 4000, { bits: 8, colour: 6, interlaced: true }),
    emptyPng(5000, 5000, { bits: 16, colour: 6, interlaced: true }),
  ].map((content) => Buffer.concat([formStart, content, formEnd]));
  let sent = 0;
  const next = () => {
    sent += 1;
    const headers = { ...multipart, ...close, ...bearer(tokenOf(sent)) };
    return withBody('PUT /api/auth/avatar', headers, contents[sent % contents.length] ?? Buffer.alloc(0));
  };
  return several(100, () => repeat(next));
}

/** Sends as many requests on a connection as possible, without waiting for responses. */
async function probes() {
  await several(4, async (number) => {
    const batch = Buffer.from(head(number % 2 === 0 ? 'GET /readyz' : 'GET /healthz').repeat(1000));
    for (;;) {
      const socket = await open();
      socket.on('data', (data: Buffer) => {
        for (const [status] of data.toString('latin1').matchAll(/(?<=HTTP\/1\.1 )\d{3}/g)) count(status);
      });
      while (!socket.destroyed) await write(socket, batch);
      await sleep(20);
    }
  });
}

function lists() {
  const items = Buffer.from(JSON.stringify({ courseId: 'x', traineeIds: Array(25_000).fill(0), enrollmentIds: [] }));
  const headers = { ...json, ...close, ...bearer(attack.trainerToken) };
  const list = withBody('POST /api/enrollments/bulk', headers, items);
  return several(8, () => repeat(() => list));
}

/** Long enough to be kept open for the maximum time of an upload. */
const announced = { 'Content-Length': 9_000_000 };

const kinds: Record<AttackKind, () => Promise<unknown>> = {
  text,
  bodies: () =>
    stall(1000, () => Buffer.from(`${head('POST /api/auth/login', { ...json, 'Content-Length': 5000 })}{"`), 'a'),
  async uploads() {
    // All uploads are one trainee's. The first ones send most of an image before they stall.
    const headers = { ...multipart, ...announced, ...bearer(tokenOf(0)) };
    const start = Buffer.concat([Buffer.from(head('PUT /api/auth/avatar', headers)), formStart]);
    await stall(1000, (number) => (number < 40 ? Buffer.concat([start, Buffer.alloc(5_000_000)]) : start), 'a');
  },
  sockets: () => stall(5300, () => Buffer.alloc(0), ''),
  images,
  probes,
  lists,
  sessions: () =>
    several(8, () => repeat(() => Buffer.from(head('GET /api/auth/sessions', { ...close, ...bearer(tokenOf(0)) })))),
  pages,
};

/** Requests the largest pages on many connections, and reads only the status. */
async function pages() {
  const request = Buffer.from(head('GET /api/courses?limit=100'));
  await several(100, async () => {
    for (;;) {
      const socket = await open();
      socket.once('data', (data: Buffer) => {
        count(data.toString('latin1', 9, 12));
        socket.pause();
      });
      // An unread connection doesn't notice its end.
      const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      await write(socket, request);
      await Promise.race([ended, sleep(retryPauseMs)]);
      socket.destroy();
      await sleep(20);
    }
  });
}

const report = () => console.log(JSON.stringify(counts));
report();
setInterval(report, 1000);
await kinds[attack.kind]();
