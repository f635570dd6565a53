import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { contract } from '../../src/http/api/contract.js';
import type { Operation } from '../../src/http/api/operation.js';
import { useHarness } from '../support/harness.js';
import { examples, pathOf } from './support/examples.js';

const operations = Object.entries(contract) as [keyof typeof contract, Operation][];

/** Less than Node takes for the line and the headers of a request (16 KiB). */
const queryBytes = 12_000;

function filled(piece: (index: number) => string): string {
  let text = '';
  for (let index = 0; text.length < queryBytes; index += 1) text += piece(index);
  return text.slice(0, queryBytes);
}

/** How many times a right query's cost a wrong one may have. */
const maxTimes = 2;
/** Requests measured together: a single one costs less than the clock tells. */
const requests = 10;

async function cpuMs(send: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let sent = 0; sent < requests; sent += 1) await send();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / requests;
}

/**
 * How many times the cost of one request another one has: the least of several rounds, in which both are sent in turn, because
 * neither other work of this process nor a busy machine is part of it. Ends below a limit.
 */
async function timesTheCost(send: () => Promise<unknown>, of: () => Promise<unknown>, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 6 && least > enough; round += 1) {
    const yardstick = await cpuMs(of);
    least = Math.min(least, (await cpuMs(send)) / yardstick);
  }
  return least;
}

/** Queries that are wrong in all fields at once, or say what nobody asked for. */
const wrongQueries = (fields: readonly string[]): Readonly<Record<string, string>> => ({
  'a wrong value in every field': fields.map((field) => `${field}=%00`).join('&'),
  'a long wrong value in every field': fields
    .map((field) => `${field}=${'x'.repeat(queryBytes / fields.length)}`)
    .join('&'),
  'every field many times': filled((index) => `${fields[index % fields.length]}=x&`),
  'many unknown fields': filled((index) => `${index.toString(36)}=1&`),
  'one long unknown field': `x${'y'.repeat(queryBytes)}=1`,
  'a long value of an unknown field': `x=${'y'.repeat(queryBytes)}`,
  brackets: filled(() => 'a[b]'),
  escapes: filled(() => '%5B'),
  'broken escapes': filled(() => '%f'),
  separators: filled(() => '&'),
});

for (const [name, { method, path, query }] of operations) {
  if (!query) continue;
  describe(`A wrong query of ${method.toUpperCase()} ${path}`, () => {
    const harness = useHarness();
    const agent = new Agent({ keepAlive: true });
    let server: Server;
    before(async () => {
      server = createServer(harness.app).listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    after(() => {
      agent.destroy();
      server.close();
    });

    it(`costs at most ${maxTimes} times as much as a right one`, async () => {
      const { token, params, query: right } = await examples[name](harness.context);
      const { port } = server.address() as AddressInfo;
      const place = pathOf(path, { ...(params && { params }) });
      const options = {
        agent,
        port,
        method,
        ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
      };
      const send = (text: string) =>
        new Promise<number>((resolve, reject) => {
          const call = request({ ...options, path: `${place}?${text}` }, (response) => {
            response.resume().once('end', () => resolve(response.statusCode ?? 0));
          });
          call.once('error', reject).end();
        });
      const sendRight = () => send(new URLSearchParams(right).toString());
      await cpuMs(sendRight);
      for (const [what, text] of Object.entries(wrongQueries(Object.keys(query.describe().keys as object)))) {
        expect(await send(text), what).to.be.below(500);
        const times = await timesTheCost(() => send(text), sendRight, maxTimes);
        expect(times, what).to.be.at.most(maxTimes);
      }
    });
  });
}
