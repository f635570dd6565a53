/**
 * A process that sends logins: `tsx test/faults/load.ts`, with what to send as JSON on standard input and the answers
 * by status as JSON on standard output. Beside the service's own, so that neither waits for the other's event loop.
 */
import { Agent } from 'node:http';
import { setPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { sendRaw } from '../support/raw-http.js';

/** One login. */
export interface Guess {
  /** Which instance. */
  url: string;
  identifier: string;
  password: string;
  forwardedFor?: string;
}

export interface Load {
  guesses: Guess[];
  /** Concurrent logins. */
  connections: number;
}

const { guesses, connections } = JSON.parse(await text(process.stdin)) as Load;
// The attackers' machines are others: theirs must not be what the service waits for.
setPriority(10);
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const statuses: Record<string, number> = {};

async function send({ url, identifier, password, forwardedFor }: Guess): Promise<string> {
  const body = JSON.stringify({ identifier, password });
  const headers = {
    'content-type': 'application/json',
    ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
  };
  try {
    const request = { method: 'POST', path: '/api/auth/login', headers, body, agent, timeLimitMs: 30_000 };
    return String((await sendRaw(url, request)).status);
  } catch (error) {
    return String(error);
  }
}

await Promise.all(
  Array.from({ length: connections }, async () => {
    for (let next = guesses.shift(); next; next = guesses.shift()) {
      const status = await send(next);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  }),
);
console.log(JSON.stringify(statuses));
agent.destroy();
