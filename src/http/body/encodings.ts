import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** Supported encodings, in order of preference. */
export const encodings = ['br', 'gzip'] as const;

/** An uncompressed body and its compressed forms. */
export type Encoded = { identity: Buffer } & Partial<Record<(typeof encodings)[number], Buffer>>;

/** Sends a body in the best encoding that the client accepts. */
export function sendEncoded(request: Request, response: Response, encoded: Encoded): void {
  response.vary('Accept-Encoding');
  const encoding = encodings.find((name) => encoded[name] && request.acceptsEncodings(name));
  if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
  const body = (encoding && encoded[encoding]) ?? encoded.identity;
  response.setHeader('Content-Length', body.length);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** A response that never changes, encoded. */
interface ConstantResponse {
  encoded: Encoded;
  etag: string;
  headers: Readonly<Record<string, string>>;
}

const constantResponses = new WeakMap<object, ConstantResponse>();

/** Compresses almost as well as the best quality, 11, in a tenth of its time. */
const brotliQuality = 9;

/**
 * Compresses a response that never changes. {@link sendIfConstant} sends the compressed text.
 * @param result object that the handler returns each time
 * @returns the same object
 */
export async function encodeOnce<T extends object>(
  result: T,
  text: string,
  headers: ConstantResponse['headers'],
): Promise<T> {
  const identity = Buffer.from(text);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
    [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
  };
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(identity, { params }),
    promisify(gzip)(identity, { level: 9 }),
  ]);
  // The ETag is weak, because all encodings share it.
  const etag = `W/"${createHash('sha256').update(identity).digest('base64url')}"`;
  constantResponses.set(result, { encoded: { identity, br, gzip: gzipped }, etag, headers });
  return result;
}

/**
 * Sends a result that {@link encodeOnce} has compressed, or 304 if the client has it.
 * @returns whether the result was compressed
 */
export function sendIfConstant(request: Request, response: Response, result: object): boolean {
  const cached = constantResponses.get(result);
  if (!cached) return false;
  // The response is public; browsers revalidate it.
  response.setHeader('Cache-Control', 'no-cache').setHeader('ETag', cached.etag);
  response.vary('Accept-Encoding');
  if (request.fresh) response.status(304).end();
  else {
    for (const [name, value] of Object.entries(cached.headers)) response.setHeader(name, value);
    sendEncoded(request, response, cached.encoded);
  }
  return true;
}
