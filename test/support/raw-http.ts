import { type Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { scaled } from './machine.js';

/** A raw request, which may be invalid. */
export interface RawRequest {
  method: string;
  /** Path in the request line, unchanged. */
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  /** Local address, if the machine has several. */
  from?: string;
  agent?: Agent;
  /** Time limit of the response in milliseconds; by default five seconds on an idle machine. */
  timeLimitMs?: number;
}

export interface RawResponse {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
  milliseconds: number;
}

/** Returns the request line and headers of a raw request. */
export const head = (line: string, ...headers: string[]): string =>
  `${[line, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;

/**
 * Sends a request and waits for its whole response, or for the first piece of an event stream.
 * @throws Error if there is no response in time, or the connection closes without a response
 */
export function sendRaw(
  url: string,
  { method, path, headers, body, from, agent, timeLimitMs = scaled(5000) }: RawRequest,
): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  // Node sets no length for GET and DELETE. The server would then read the body as the next request.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const target = { hostname, port, method, path, agent, localAddress: from };
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const call = request({ ...target, headers: { ...length, ...headers } }, (response) => {
      const pieces: Buffer[] = [];
      const settle = () => {
        clearTimeout(late);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(pieces).toString('utf8'),
          milliseconds: performance.now() - startedAt,
        });
      };
      const endless = String(response.headers['content-type']).startsWith('text/event-stream');
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        if (!endless) return;
        settle();
        call.destroy();
      });
      response.once('end', settle);
      response.once('error', reject);
    });
    const late = setTimeout(() => call.destroy(new Error(`no response in ${timeLimitMs} ms`)), timeLimitMs);
    call.once('error', (error) => {
      clearTimeout(late);
      reject(error);
    });
    call.end(body);
  });
}
