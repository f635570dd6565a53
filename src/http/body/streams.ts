import { setImmediate as yieldToOtherWork } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { TableFormat } from '../../schemas/table-format.js';
import type { ByteRange } from '../../services/files/files.js';
import { type Table, tablePieces } from '../../tables/write/table.js';
import { workbookType } from '../api/operation.js';
import { destroyUnlessRead } from '../overload/deadlines.js';
import { isNotModified } from './ranges.js';

/** A response that is sent as it comes. Nothing is sent before its first piece is there. */
export interface StreamedResponse {
  /** Not asked for when only the head of the response is wanted. */
  pieces(): AsyncIterable<string | Uint8Array>;
  /** The name to keep it under; without one it isn't meant to be kept. */
  filename?: string;
  /** What it is, where the operation leaves that open. */
  contentType?: string;
  /** How long it is, where that is known. */
  bytes?: number;
  /** Its version, in quotes, where pieces of it can be asked for. */
  etag?: string;
  /** The piece that this is of something longer. */
  piece?: ByteRange & { of: number };
  /** What it may do when a browser opens it; nothing unless it says so. */
  contentSecurityPolicy?: string;
  /** Told at the end whether all of it has been handed to the client. */
  onEnd?(arrived: boolean): Promise<void>;
}

/** A table in the format that was asked for. @param name of the file, without its ending */
export const tableResponse = (table: Table, name: string, format: TableFormat): StreamedResponse => ({
  filename: `${name}.${format}`,
  ...(format === 'xlsx' && { contentType: workbookType }),
  pieces: () => tablePieces(table, format),
});

/** A text that is there already, as a response. */
export const textResponse = (text: string): StreamedResponse => ({
  bytes: Buffer.byteLength(text),
  async *pieces() {
    yield text;
  },
});

/** How a response is sent as it comes. */
export interface SendOptions {
  /** A client that reads nothing for this long is disconnected, in milliseconds. */
  unreadMs: number;
  /** Called when only sending is left. */
  onBegin(): void;
  /** Called when the client doesn't read the response immediately. */
  onUnread(): void;
}

function setStreamHeaders(response: Response, content: string, streamed: StreamedResponse): void {
  const { filename, contentType, bytes, etag, piece } = streamed;
  const { contentSecurityPolicy = "default-src 'none'; sandbox" } = streamed;
  if (filename !== undefined) response.attachment(filename);
  // nginx and others would keep events back until there are many.
  if (content === 'text/event-stream') response.setHeader('X-Accel-Buffering', 'no');
  const type = contentType ?? content;
  response.setHeader(
    'Content-Type',
    /^text\/(calendar|csv|event-stream)$/.test(type) ? `${type}; charset=utf-8` : type,
  );
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Security-Policy', contentSecurityPolicy);
  if (bytes !== undefined) response.setHeader('Content-Length', bytes);
  if (etag !== undefined) response.setHeader('ETag', etag).setHeader('Accept-Ranges', 'bytes');
  if (piece) response.status(206).setHeader('Content-Range', `bytes ${piece.start}-${piece.end}/${piece.of}`);
}

/** Sends a response as it comes, no faster than the client takes it. */
export async function sendStream(
  request: Request,
  response: Response,
  content: string,
  streamed: StreamedResponse,
  sending: SendOptions,
): Promise<void> {
  let arrived = false;
  try {
    if (streamed.etag !== undefined && isNotModified(request, response, streamed.etag))
      response.status(304).setHeader('ETag', streamed.etag).end();
    else if (request.method === 'HEAD') {
      setStreamHeaders(response, content, streamed);
      response.end();
    } else arrived = await sendPieces(response, content, streamed, sending);
  } finally {
    await streamed.onEnd?.(arrived);
  }
}

async function sendPieces(
  response: Response,
  content: string,
  streamed: StreamedResponse,
  { unreadMs, onBegin, onUnread }: SendOptions,
): Promise<boolean> {
  const source = streamed.pieces()[Symbol.asyncIterator]();
  try {
    // Whatever is wrong from the start is still answered as what it is.
    let piece = await source.next();
    setStreamHeaders(response, content, streamed);
    response.flushHeaders();
    onBegin();
    for (; !piece.done && !response.destroyed; piece = await source.next()) {
      if (piece.value.length === 0 || response.write(piece.value)) continue;
      onUnread();
      await destroyUnlessRead(response, 'drain', unreadMs);
    }
    if (response.destroyed) return false;
    const finished = destroyUnlessRead(response, 'finish', unreadMs);
    response.end();
    return await finished;
  } finally {
    await source.return?.();
  }
}

/** Sends a response in one piece, and doesn't wait for its client. */
export function sendJson(response: Response, body: object): void {
  const text = JSON.stringify(body);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  // As text: Node writes it together with the headers.
  response.end(text);
}

/** The length of a part of a large response, in units of UTF-16; other requests are served before the next one is written. */
const partLength = 128 * 1024;

/** A list of a response, whose items may be read from the database while they are encoded. */
function isList(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

/** The JSON of a response, the items of its lists one by one. */
async function* piecesOfJson(body: object): AsyncGenerator<string> {
  let before = '{';
  for (const [key, value] of Object.entries(body) as [string, unknown][]) {
    yield `${before}${JSON.stringify(key)}:`;
    before = ',';
    if (isList(value)) {
      let separator = '[';
      for await (const item of value) {
        yield `${separator}${JSON.stringify(item)}`;
        separator = ',';
      }
      yield separator === '[' ? '[]' : ']';
    } else yield JSON.stringify(value);
  }
  yield '}';
}

/** Encodes a response in parts, so that the whole is never in memory as one text. */
async function encodeInParts(body: object): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  let text = '';
  for await (const piece of piecesOfJson(body)) {
    text += piece;
    if (text.length < partLength) continue;
    parts.push(Buffer.from(text));
    text = '';
    await yieldToOtherWork();
  }
  return [...parts, Buffer.from(text)];
}

/**
 * As {@link sendJson}, for bodies that can be large: encoded in parts, between which other requests are served.
 * @returns the bytes of the response
 */
export async function sendLargeJson(response: Response, body: object): Promise<number> {
  const parts = await encodeInParts(body);
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  if (response.destroyed) return bytes;
  response.setHeader('Content-Type', 'application/json; charset=utf-8').setHeader('Content-Length', bytes);
  response.cork();
  // Node leaves out the body of a response to HEAD.
  for (const part of parts) response.write(part);
  response.end();
  return bytes;
}
