import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../../errors.js';

/** The bounds of a JSON body. */
interface JsonLimits {
  maxBytes: number;
  /** How long it may take to arrive, in milliseconds. */
  arrivalMs: number;
}

/** Runs one middleware outside a chain. @throws what it passes to `next` */
export const runMiddleware = (middleware: RequestHandler, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    middleware(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });

/**
 * Reads JSON bodies: the parsed value, `{}` without a body.
 * @throws AppError `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE`, `BODY_INCOMPLETE`, `MALFORMED_JSON`; errors of Express' parser
 */
export function createJsonReader(limits: JsonLimits): (request: Request, response: Response) => Promise<unknown> {
  const { maxBytes, arrivalMs } = limits;
  // Compressed bodies are refused: a few hundred bytes could unpack to megabytes.
  // What is no object is refused by the schema.
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
    // JSON.parse keeps "__proto__" as a field; no operation has one of that name.
    Reflect.deleteProperty(body, '__proto__');
    limitDepth(body);
    return body;
  };
}

/** The parser would read bytes that are no text as replacement characters. @throws AppError `MALFORMED_JSON` */
function assertUtf8(_request: IncomingMessage, _response: ServerResponse, bytes: Buffer, encoding: string): void {
  if (encoding === 'utf-8' && !isUtf8(bytes)) throw new AppError('MALFORMED_JSON');
}

/**
 * Watches a body arrive. The parser would answer one that is too large only after reading all of it.
 * @returns never, unless by throwing AppError `BODY_TOO_LARGE`
 */
function rejectIfTooLarge(request: Request, { maxBytes, arrivalMs }: JsonLimits): Promise<never> {
  return new Promise((_resolve, reject) => {
    const refuse = () => {
      reject(new AppError('BODY_TOO_LARGE'));
      // Reads on for a while so that the client sees the response before the connection closes.
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

/** How deep any operation takes values: the fields of the items of a list in a field. */
const maxDepth = 3;

/**
 * What a body says, as deep as any operation takes values. What stands deeper is emptied: it is wrong as it is without it,
 * and to copy or compare it costs far more than its bytes, or runs out of stack.
 * @param body what JSON.parse gave; changed in place
 */
function limitDepth(body: object, depth = 1): void {
  // A list or an object of JSON: both have their items by key.
  const items = body as Record<string, unknown>;
  for (const [key, item] of Object.entries(items)) {
    if (typeof item !== 'object' || item === null) continue;
    if (depth < maxDepth) limitDepth(item, depth + 1);
    else items[key] = Array.isArray(item) ? [] : {};
  }
}
