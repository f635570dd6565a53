import { type Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { scaled } from './machine.js';

/** A request as it goes over the wire: nothing about it has to make sense. */
export interface RawRequest {
  method: string;
  /** As it stands in the request line. */
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  /** The address it comes from, where the machine has several. */
  from?: string;
  agent?: Agent;
  /** How long the response may take, in milliseconds; five seconds on a quiet machine unless it is given. */
  timeLimitMs?: number;
}

export interface RawResponse {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
  milliseconds: number;
}

/** The request line and headers of a request, as they go over the wire. */
export const head = (line: string, ...headers: string[]): string =>
  `${[line, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;

/**
 * Sends a request and waits for its whole response; of one that goes on for as long as it is watched, for its first piece.
 * @throws when there is none in time, or the connection ends without one
 */
export function sendRaw(
  url: string,
  { method, path, headers, body, from, agent, timeLimitMs = scaled(5000) }: RawRequest,
): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  // Node says it of no GET and no DELETE, and its server would take the body for the next request.
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
