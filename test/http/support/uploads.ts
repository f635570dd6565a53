import { readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import sharp, { type Metadata } from 'sharp';
import type { Context } from '../../../src/services/context.js';
import { scaled } from '../../support/machine.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** The names in the folder for what is on its way. */
export function uploadsIn({ config }: Pick<Context, 'config'>): string[] {
  try {
    return readdirSync(path.join(config.dataDir, 'uploads'));
  } catch {
    // Nothing was ever uploaded.
    return [];
  }
}

/** What of uploads and of the local storage this process holds open. */
function openFiles({ config }: Context): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return /^\/(uploads|files)\//.test(target.replace(config.dataDir, '')) ? [target] : [];
    } catch {
      // It was that of the folder itself.
      return [];
    }
  });
}

/** Keys of all that is in the storage. */
export async function storedKeys({ storage }: Context): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list()) keys.push(key);
  return keys.sort();
}

/** Rows of files, as `<state> <key>`. */
export async function fileRows({ database }: Context): Promise<string[]> {
  const rows = await database.models.StoredFile.findAll({ order: ['storageKey'] });
  return rows.map(({ state, storageKey }) => `${state} ${storageKey}`);
}

/** All that uploads have left, and that is in use. */
async function remains(context: Context) {
  return {
    uploads: uploadsIn(context),
    rows: await fileRows(context),
    stored: (await storedKeys(context)).map((key) => `live ${key}`),
    open: openFiles(context),
  };
}

/** Nothing is on its way, nothing half done, nothing open, and the storage holds what the rows say: so many files. */
export async function expectNothingLeft(context: Context, live = 0): Promise<void> {
  const isClean = ({ uploads, rows, stored, open }: Awaited<ReturnType<typeof remains>>) =>
    uploads.length + open.length === 0 && stored.length === live && rows.join() === stored.join();
  let found = await remains(context);
  // The client may have its response, or have left, before the last of it is closed.
  const deadline = performance.now() + scaled(10_000);
  while (!isClean(found) && performance.now() < deadline) {
    await sleep(20);
    found = await remains(context);
  }
  expect(isClean(found), JSON.stringify(found)).to.equal(true);
}

/** Takes away what tests before have left in the folders that they share: their rows are gone already. */
export async function emptyStorage(context: Context): Promise<void> {
  await context.storage.remove(await storedKeys(context));
  rmSync(path.join(context.config.dataDir, 'uploads'), { recursive: true, force: true });
}

/** An image with something in it, so that its file has a middle to be cut off in. */
export function image(width = 60, height = 40) {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  return sharp({ create: { width, height, channels: 3, background: 'red', noise } });
}

/** Reads an image. */
export async function read(content: Buffer): Promise<{ metadata: Metadata; pixels: Buffer }> {
  const folder = temporaryFolder();
  try {
    const file = path.join(folder.path, 'image');
    writeFileSync(file, content);
    return { metadata: await sharp(file).metadata(), pixels: await sharp(file).removeAlpha().raw().toBuffer() };
  } finally {
    folder.remove();
  }
}

/** A part of a form, headers and all. */
export function part(headers: readonly string[], content: string | Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`--x\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
}

export const filePart = (content: string | Buffer, name = 'notes.txt', field = 'file') =>
  part([`Content-Disposition: form-data; name="${field}"; filename="${name}"`], content);
export const fieldPart = (name: string, value: string) =>
  part([`Content-Disposition: form-data; name="${name}"`], value);

/** A form of these parts, with the boundary "x". */
export const form = (...parts: readonly Buffer[]) => Buffer.concat([...parts, Buffer.from('--x--\r\n')]);

/** How a request is sent that no decent client would send. */
export interface RawRequest {
  path: string;
  token?: string;
  method?: string;
  headers?: Record<string, string | number>;
  body?: Buffer;
  /** What the client does when it has sent the body; waits for the response when absent. */
  leave?: 'destroy' | 'end';
}

/** A response as it came over the wire; without a status when none came. */
export interface RawResponse {
  status: number | undefined;
  head: string;
  body: string;
}

/** Sends a request over a socket of its own, byte for byte. */
export async function send(url: string, request: RawRequest): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  const { method = 'POST', path: route, token, body = Buffer.alloc(0), leave } = request;
  const headers = {
    Host: 'localhost',
    Connection: 'close',
    'Content-Type': 'multipart/form-data; boundary=x',
    'Content-Length': body.length,
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...request.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]));
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  // The server may have had enough before all is sent.
  socket.on('error', () => undefined);
  socket.write(`${method} ${route} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  socket.write(body);
  if (leave === 'end') socket.end();
  if (leave === 'destroy') {
    await sleep(60);
    socket.destroy();
  }
  const response = await text(socket).catch(() => '');
  socket.destroy();
  const [head = '', ...rest] = response.split('\r\n\r\n');
  const status = /^HTTP\/1\.1 (\d+)/.exec(head)?.[1];
  return { status: status === undefined ? undefined : Number(status), head, body: rest.join('\r\n\r\n') };
}

/** The context with a storage that waits for `first` each time before it takes a file. */
export function storingAfter(context: Context, first: () => Promise<unknown>): Context {
  const { storage } = context;
  return {
    ...context,
    storage: {
      location: storage.location,
      put: async (key, file) => {
        await first();
        return storage.put(key, file);
      },
      open: (key, range) => storage.open(key, range),
      remove: (keys) => storage.remove(keys),
      list: (kind) => storage.list(kind),
      load: () => storage.load(),
      check: () => storage.check(),
      close: () => storage.close(),
    },
  };
}
