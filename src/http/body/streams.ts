import { setImmediate as yieldToOtherWork } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { TableFormat } from '../../schemas/table-format.js';
import type { ByteRange } from '../../services/files/files.js';
import { type Table, tablePieces } from '../../tables/write/table.js';
import { workbookType } from '../api/operation.js';
import { destroyUnlessRead } from '../overload/deadlines.js';
import { isNotModified } from './ranges.js';

/** A streamed response. Sending begins when the first piece is available. */
export interface StreamedResponse {
  /** Yields the pieces of the body. Not called for HEAD. */
  pieces(): AsyncIterable<string | Uint8Array>;
  /** Name for saving the response as a file; absent if the response isn't an attachment. */
  filename?: string;
  /** Content type, if the operation doesn't declare one. */
  contentType?: string;
  /** Length in bytes, if known. */
  bytes?: number;
  /** Version in quotes, if the response supports ranges. */
  etag?: string;
  /** Range of the whole file that this response contains. */
  range?: ByteRange & { of: number };
  /** Permissions of the response in a browser; none by default. */
  contentSecurityPolicy?: string;
  /** Called at the end. @param arrived whether the client has received the whole response */
  onEnd?(arrived: boolean): Promise<void>;
}

/** Returns a response with a table as CSV or as a workbook. @param name name of the file without extension */
export const tableResponse = (table: Table, name: string, format: TableFormat): StreamedResponse => ({
  filename: `${name}.${format}`,
  ...(format === 'xlsx' && { contentType: workbookType }),
  pieces: () => tablePieces(table, format),
});

export const textResponse = (text: string): StreamedResponse => ({
  bytes: Buffer.byteLength(text),
  async *pieces() {
    yield text;
  },
});

/** Options for sending a streamed response. */
export interface SendOptions {
  /** Time after which a client that reads nothing is disconnected, in milliseconds. */
  unreadMs: number;
  /** Called when the first piece is available. */
  onBegin(): void;
  /** Called when the client doesn't read the response immediately. */
  onUnread(): void;
}

function setStreamHeaders(response: Response, content: string, streamed: StreamedResponse): void {
  const { filename, contentType, bytes, etag, range } = streamed;
  const { contentSecurityPolicy = "default-src 'none'; sandbox" } = streamed;
  if (filename !== undefined) response.attachment(filename);
  // Without this header, nginx and other proxies buffer events.
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
  if (range) response.status(206).setHeader('Content-Range', `bytes ${range.start}-${range.end}/${range.of}`);
}

/** Sends a streamed response, no faster than the client reads it. */
export async function sendStream(
  request: Request,
  response: Response,
  content: string,
  streamed: StreamedResponse,
  options: SendOptions,
): Promise<void> {
  let arrived = false;
  try {
    if (streamed.etag !== undefined && isNotModified(request, response, streamed.etag))
      response.status(304).setHeader('ETag', streamed.etag).end();
    else if (request.method === 'HEAD') {
      setStreamHeaders(response, content, streamed);
      response.end();
    } else arrived = await sendPieces(response, content, streamed, options);
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
    // An error before the first piece still becomes an error response.
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

/** Sends a JSON response in one piece, without waiting for its client. */
export function sendJson(response: Response, body: object): void {
  const text = JSON.stringify(body);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  // Node writes a text together with the headers.
  response.end(text);
}

/** Length of a part of a large response, in UTF-16 code units. Other requests are served between two parts. */
const partLength = 128 * 1024;

/** Whether a value is a list. The items of an async list are read from the database during encoding. */
function isList(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

/** Yields the JSON of a response, item by item for lists. */
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

/** Encodes a response in parts, so that the whole text is never in memory. */
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
 * Sends a JSON response that may be large. Encodes the response in parts, and serves other requests between them.
 * @returns the number of bytes
 */
export async function sendLargeJson(response: Response, body: object): Promise<number> {
  const parts = await encodeInParts(body);
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  if (response.destroyed) return bytes;
  response.setHeader('Content-Type', 'application/json; charset=utf-8').setHeader('Content-Length', bytes);
  response.cork();
  // Node omits the body of a response to HEAD.
  for (const part of parts) response.write(part);
  response.end();
  return bytes;
}
