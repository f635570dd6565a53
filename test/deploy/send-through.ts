import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { proxiedHost } from '../support/certificate.js';

/** Sends a request through a proxy that listens on a port of this machine, on a connection of its own. */
export function sendThrough(
  port: number,
  method: string,
  route: string,
  body?: string,
): Promise<{ status: number | undefined; text: string }> {
  const options = {
    host: '127.0.0.1',
    port,
    method,
    path: route,
    agent: false,
    servername: proxiedHost,
    // The certificate is one of the test.
    rejectUnauthorized: false,
    headers: { Host: proxiedHost, ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }) },
  };
  return new Promise((resolve, reject) => {
    const call = request(options, (response) => {
      text(response).then((given) => resolve({ status: response.statusCode, text: given }), reject);
    });
    call.once('error', reject);
    call.end(body);
  });
}
