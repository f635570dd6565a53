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

/** Returns the file names in the folder for uploads. */
export function uploadsIn({ config }: Pick<Context, 'config'>): string[] {
  try {
    return readdirSync(path.join(config.dataDir, 'uploads'));
  } catch {
    // The folder is created with the first upload.
    return [];
  }
}

/** Returns the open files of uploads and the local storage in this process. */
function openFiles({ config }: Context): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return /^\/(uploads|files)\//.test(target.replace(config.dataDir, '')) ? [target] : [];
    } catch {
      // This descriptor belonged to the listing of the folder.
      return [];
    }
  });
}

/** Returns all keys in the storage. */
export async function storedKeys({ storage }: Context): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list()) keys.push(key);
  return keys.sort();
}

/** Returns the rows of files as `<state> <key>`. */
export async function fileRows({ database }: Context): Promise<string[]> {
  const rows = await database.models.StoredFile.findAll({ order: ['storageKey'] });
  return rows.map(({ state, storageKey }) => `${state} ${storageKey}`);
}

/** Returns all traces of uploads: temporary, open and stored files, and rows. */
async function remains(context: Context) {
  return {
    uploads: uploadsIn(context),
    rows: await fileRows(context),
    stored: (await storedKeys(context)).map((key) => `live ${key}`),
    open: openFiles(context),
  };
}

/** Expects no temporary, incomplete or open files, and the given number of stored files with matching rows. */
export async function expectNothingLeft(context: Context, live = 0): Promise<void> {
  const isClean = ({ uploads, rows, stored, open }: Awaited<ReturnType<typeof remains>>) =>
    uploads.length + open.length === 0 && stored.length === live && rows.join() === stored.join();
  let found = await remains(context);
  // The client may have its response, or may have left, before the last file is closed.
  const deadline = performance.now() + scaled(10_000);
  while (!isClean(found) && performance.now() < deadline) {
    await sleep(20);
    found = await remains(context);
  }
  expect(isClean(found), JSON.stringify(found)).to.equal(true);
}

/** Removes files of earlier tests from shared folders; their rows are already deleted. */
export async function emptyStorage(context: Context): Promise<void> {
  await context.storage.remove(await storedKeys(context));
  rmSync(path.join(context.config.dataDir, 'uploads'), { recursive: true, force: true });
}

/** Creates an image with content, so that its file can be cut in the middle. */
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

/** Returns a part of a form with its headers. */
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

/** Returns a form of the parts, with the boundary "x". */
export const form = (...parts: readonly Buffer[]) => Buffer.concat([...parts, Buffer.from('--x--\r\n')]);

/** A request that normal clients wouldn't send. */
export interface RawRequest {
  path: string;
  token?: string;
  method?: string;
  headers?: Record<string, string | number>;
  body?: Buffer;
  /** Action of the client after sending the body; by default it waits for the response. */
  leave?: 'destroy' | 'end';
}

/** A raw response; without a status if none arrived. */
export interface RawResponse {
  status: number | undefined;
  head: string;
  body: string;
}

/** Sends a request byte for byte over a new socket. */
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
  // The server may close the connection before everything is sent.
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

/** Returns the context with a storage that waits for `first` before it stores a file. */
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
