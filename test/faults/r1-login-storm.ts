import { setTimeout as sleep } from 'node:timers/promises';
import { buildTrainees } from '../support/factories.js';
import { sendRaw } from '../support/raw-http.js';
import { generate } from './clients.js';
import type { Request } from './load-generator.js';
import type { Verdict } from './report.js';
import { openStage, production } from './stage.js';

const instanceCount = 3;
/** Attempts that the throttle permits (docs/SECURITY.md). */
const perIdentifier = 10;
const perAddress = 100;
const accounts = 1000;
/** Concurrent logins at each instance. */
const clients = 20;

const password = 'a password that is known';

/** A storm of logins with wrong passwords. */
interface Storm {
  name: string;
  /** Returns the identifier of the nth login. */
  identifier(n: number): string;
  forwardedFor?(n: number): string;
  count: number;
  limit: number;
}

const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const address = (n: number) => `203.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
const email = (n: number) => `trainee${n % accounts}@example.com`;
const unknown = (n: number) => `nobody${n}@example.org`;

/** Storms on instances without a proxy, which ignore forwarded addresses. */
const stormsOn: Storm[] = [
  { name: 'one account', identifier: () => email(0), count: 1500, limit: perIdentifier },
  {
    name: `${accounts} accounts, forged X-Forwarded-For`,
    identifier: email,
    forwardedFor: address,
    count: 3000,
    limit: perAddress,
  },
  { name: 'unknown accounts', identifier: unknown, count: 1500, limit: perAddress },
];

/** Storms through a proxy, which writes the last hop. */
const stormsThroughProxy: Storm[] = [
  {
    name: 'accounts behind a proxy, forged earlier hops',
    identifier: email,
    forwardedFor: (n) => `${address(n)}, 192.0.2.1`,
    count: 1500,
    limit: perAddress,
  },
  {
    name: 'one account from a thousand addresses behind a proxy',
    identifier: () => email(0),
    forwardedFor: (n) => address(n % 1000),
    count: 1500,
    limit: perIdentifier,
  },
];

/**
 * Sends logins to all instances concurrently.
 * @returns the number of responses by status
 */
async function send({ identifier, forwardedFor, count }: Storm, urls: readonly string[], folder: string) {
  const results = await Promise.all(
    urls.map((url, instance) => {
      const own = times(count, (n) => n).filter((n) => n % urls.length === instance);
      const request: Request = {
        method: 'POST',
        path: '/api/auth/login',
        tokens: [],
        bodies: own.map((n) => ({ identifier: identifier(n), password: 'a wrong guess' })),
        ...(forwardedFor && { forwardedFor: own.map(forwardedFor) }),
      };
      const port = Number(new URL(url).port);
      return generate({ port, clients, count: own.length, durationMs: 60_000 }, [request], folder);
    }),
  );
  const responses: Record<string, number> = {};
  for (const { good, shed, others } of results)
    for (const [status, own] of Object.entries({ 200: good, 503: shed, ...others }))
      if (own > 0) responses[status] = (responses[status] ?? 0) + own;
  return responses;
}

/**
 * Signs in twice a second, at one instance after the other.
 * @returns a function that stops, and returns the number of responses by status
 */
function keepSigningIn(urls: readonly string[], forwardedFor: string | undefined) {
  const request = {
    method: 'POST',
    path: '/api/auth/login',
    body: JSON.stringify({ identifier: `trainee${accounts}@example.com`, password }),
    headers: {
      'content-type': 'application/json',
      ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    },
    // Without a proxy, the logins come from another address of this machine.
    ...(forwardedFor === undefined && { from: '127.0.0.2' }),
  };
  const responses: Record<string, number> = {};
  let over = false;
  const signingIn = (async () => {
    for (let n = 0; !over; n += 1) {
      const { status } = await sendRaw(urls[n % urls.length] ?? '', request);
      responses[status] = (responses[status] ?? 0) + 1;
      await sleep(500);
    }
  })();
  return async () => {
    over = true;
    await signingIn;
    return responses;
  };
}

const listed = (responses: Record<string, number>) =>
  Object.entries(responses)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');

/** Sends thousands of wrong passwords to instances that share a MariaDB, directly and through a proxy. */
export async function run(): Promise<Verdict[]> {
  const stage = await openStage({ durable: false });
  try {
    const context = await stage.createContext(production);
    const { LoginThrottle } = context.database.models;
    await buildTrainees(context, accounts + 1, 0, await context.hasher.hash(password, 10));
    const start = (settings: object) => times(instanceCount, () => stage.start({ ...production, ...settings }));
    const urlsOf = async (instances: ReturnType<typeof start>) => (await Promise.all(instances)).map(({ url }) => url);
    const direct = { urls: await urlsOf(start({})), storms: stormsOn, honest: undefined };
    const proxied = {
      urls: await urlsOf(start({ TRUST_PROXY: '1' })),
      storms: stormsThroughProxy,
      honest: '198.51.100.7',
    };
    const verdicts: Verdict[] = [];
    for (const { urls, storms, honest } of [direct, proxied])
      for (const storm of storms) {
        await LoginThrottle.destroy({ where: {} });
        const stopSigningIn = keepSigningIn(urls, honest);
        const responses = await send(storm, urls, stage.folder);
        const signedIn = await stopSigningIn();
        const through = responses['401'] ?? 0;
        const limit = storm.limit + urls.length;
        verdicts.push(
          {
            promised: `storm on ${storm.name}: at most ${limit} attempts pass, the rest is refused with 429 or 503`,
            measured: `${through} passed: ${listed(responses)}`,
            kept: through <= limit && through > 0 && Object.keys(responses).every((key) => /^(401|429|503)$/.test(key)),
          },
          {
            promised: `storm on ${storm.name}: another user signs in from another address meanwhile`,
            measured: listed(signedIn),
            kept: Object.keys(signedIn).join() === '200',
          },
        );
      }
    return verdicts;
  } finally {
    await stage.close();
  }
}
