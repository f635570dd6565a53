import type { Request, Response } from 'express';
import { AppError } from '../../errors.js';
import type { ByteRange } from '../../services/files/files.js';

/**
 * The piece of a file that a request asks for (RFC 9110, section 14.2). All of it where it asks for several, in words that
 * mean nothing, for a piece of another version, or of the version that the client has: that is decided first (section 13.2.2).
 * @param bytes how long the file is
 * @throws AppError `RANGE_NOT_SATISFIABLE`
 */
export function rangeOf(request: Request, response: Response, bytes: number, etag: string): ByteRange | undefined {
  const { range = '', 'if-range': version } = request.headers;
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range) ?? [];
  const isValidRange = first === '' ? last !== '' : last === '' || Number(first) <= Number(last);
  if (request.method !== 'GET' || !isValidRange || (version !== undefined && version !== etag)) return undefined;
  if (isNotModified(request, response, etag)) return undefined;
  // Without a first byte it is so many at the end.
  const start = first === '' ? Math.max(bytes - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (start <= end) return { start, end };
  response.setHeader('Content-Range', `bytes */${bytes}`);
  throw new AppError('RANGE_NOT_SATISFIABLE');
}

/** Whether the client has this version already (RFC 9110, section 13.1.2). */
export function isNotModified(request: Request, response: Response, etag: string): boolean {
  // Express compares with what would be sent.
  response.setHeader('ETag', etag);
  const isFresh = request.fresh;
  // The response may still become an error.
  response.removeHeader('ETag');
  return isFresh;
}
