import type { Request, Response } from 'express';
import { AppError } from '../../errors.js';
import type { ByteRange } from '../../services/files/files.js';

/**
 * Returns the range of a file that a request asks for (RFC 9110, section 14.2). Returns undefined for the whole file: without a
 * range, for several or malformed ranges, and for a range of another version. Also returns undefined if the client has the
 * current version, because that condition comes first (section 13.2.2).
 * @param bytes length of the file
 * @throws AppError `RANGE_NOT_SATISFIABLE`
 */
export function rangeOf(request: Request, response: Response, bytes: number, etag: string): ByteRange | undefined {
  const { range = '', 'if-range': version } = request.headers;
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range) ?? [];
  const isValidRange = first === '' ? last !== '' : last === '' || Number(first) <= Number(last);
  if (request.method !== 'GET' || !isValidRange || (version !== undefined && version !== etag)) return undefined;
  if (isNotModified(request, response, etag)) return undefined;
  // Without a first byte, the range is the given number of bytes at the end.
  const start = first === '' ? Math.max(bytes - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (start <= end) return { start, end };
  response.setHeader('Content-Range', `bytes */${bytes}`);
  throw new AppError('RANGE_NOT_SATISFIABLE');
}

/** Whether the client has this version (RFC 9110, section 13.1.2). */
export function isNotModified(request: Request, response: Response, etag: string): boolean {
  // Express compares the request with the response's ETag.
  response.setHeader('ETag', etag);
  const isFresh = request.fresh;
  // The response may still become an error without an ETag.
  response.removeHeader('ETag');
  return isFresh;
}
