import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../../errors.js';

interface JsonLimits {
  maxBytes: number;
  /** Maximum time for the body to arrive, in milliseconds. */
  arrivalMs: number;
}

/** Runs one middleware outside a chain. @throws the error that the middleware passes to `next` */
export const runMiddleware = (middleware: RequestHandler, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    middleware(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });

/**
 * Creates a reader of JSON bodies. The reader returns the parsed value, or `{}` without a body.
 * @throws AppError `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE`, `BODY_INCOMPLETE`, `MALFORMED_JSON`; errors of Express' parser
 */
export function createJsonReader(limits: JsonLimits): (request: Request, response: Response) => Promise<unknown> {
  const { maxBytes, arrivalMs } = limits;
  // Compressed bodies are refused: a few hundred bytes could unpack to megabytes.
  // The schema refuses values that aren't objects.
  const parse = express.json({ limit: maxBytes, type: () => true, inflate: false, strict: false, verify: assertUtf8 });
  return async (request, response) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length === '0')) return {};
    if (!request.is('application/json')) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
    const deadline = setTimeout(() => request.destroy(new AppError('BODY_INCOMPLETE')), arrivalMs);
    const parsed = runMiddleware(parse, request, response);
    await Promise.race([parsed, rejectIfTooLarge(request, limits)]).finally(() => clearTimeout(deadline));
    const body: unknown = request.body === undefined ? {} : request.body;
    if (typeof body !== 'object' || body === null) return body;
    // JSON.parse keeps "__proto__" as a field, but no operation has a field of this name.
    Reflect.deleteProperty(body, '__proto__');
    limitDepth(body);
    return body;
  };
}

/** Refuses invalid UTF-8, because the parser would replace invalid bytes. @throws AppError `MALFORMED_JSON` */
function assertUtf8(_request: IncomingMessage, _response: ServerResponse, bytes: Buffer, encoding: string): void {
  if (encoding === 'utf-8' && !isUtf8(bytes)) throw new AppError('MALFORMED_JSON');
}

/**
 * Rejects as soon as a body is too large. The parser would read the whole body first.
 * @throws AppError `BODY_TOO_LARGE`; otherwise the promise never settles
 */
function rejectIfTooLarge(request: Request, { maxBytes, arrivalMs }: JsonLimits): Promise<never> {
  return new Promise((_resolve, reject) => {
    const refuse = () => {
      reject(new AppError('BODY_TOO_LARGE'));
      // Keeps reading for a while, so that the client sees the response before the connection closes.
      const deadline = setTimeout(() => request.socket.destroy(), arrivalMs).unref();
      request.once('end', () => clearTimeout(deadline));
    };
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return refuse();
    let bytes = 0;
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return;
      request.off('data', count);
      refuse();
    };
    request.on('data', count);
  });
}

/** Maximum depth of values in all operations: fields of items of a list in a field. */
const maxDepth = 3;

/**
 * Empties values that are nested deeper than any operation accepts. Copying or comparing such values would take very long, or
 * exhaust the stack. The schema refuses the emptied values, too.
 * @param body a value of JSON.parse; changed in place
 */
function limitDepth(body: object, depth = 1): void {
  // Lists and objects of JSON both have their items by key.
  const items = body as Record<string, unknown>;
  for (const [key, item] of Object.entries(items)) {
    if (typeof item !== 'object' || item === null) continue;
    if (depth < maxDepth) limitDepth(item, depth + 1);
    else items[key] = Array.isArray(item) ? [] : {};
  }
}
