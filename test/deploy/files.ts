import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { proxiedHost } from '../support/certificate.js';
import { findServer } from '../support/test-server.js';

/** Helpers for tests of the deployment files. */

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/**
 * Returns the documents of a YAML file.
 * @throws Error if the file isn't well-formed, or has a duplicate key
 */
export function documentsIn(file: string): unknown[] {
  return parseAllDocuments(read(file)).map((document) => {
    const [problem] = document.errors;
    if (problem) throw new Error(`${file}: ${problem.message}`);
    return document.toJS();
  });
}

export const { version, engines } = manifest;

/** Whether a program for a deployment test is installed. If not, prints a message, or throws with REQUIRE_DEPLOYMENT=1. */
export function isInstalled(program: string): boolean {
  if (findServer([program])) return true;
  if (process.env.REQUIRE_DEPLOYMENT === '1') throw new Error(`REQUIRE_DEPLOYMENT is set, and there is no ${program}.`);
  console.log(`NOT RUN: tests that need ${program}, which is not installed.`);
  return false;
}

/** Sends a request on a new connection through a proxy on a port of this machine. */
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
    // The certificate is self-signed.
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
