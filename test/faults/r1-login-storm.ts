import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { percentile } from '../../bench/statistics.js';
import { buildTrainees } from '../support/factories.js';
import { onThisMachine } from '../support/machine.js';
import { sendRaw } from '../support/raw-http.js';
import { atExit } from './cleanup.js';
import { type Instances, startInstances } from './instances.js';
import { listening } from './listening.js';
import type { Guess, Load } from './load.js';
import type { Verdict } from './report.js';

const instanceCount = 3;
/** What the throttle lets through, as docs/SECURITY.md says. */
const perIdentifier = 10;
const perAddress = 100;
const accounts = 1000;
const connections = 60;
const limitMs = onThisMachine(100);
/** How much later than a server that does nothing else, where the machine is too busy for the limit. */
const maxOfPlain = 2;

const password = 'a password that is known';
const guess = 'a wrong guess';
const loader = fileURLToPath(new URL('./load.ts', import.meta.url));
const plainServer = fileURLToPath(new URL('./plain-server.mjs', import.meta.url));

/** Sends logins from a process of its own. @returns answers by status */
async function storm(guesses: Guess[]): Promise<Record<string, number>> {
  const child = spawn(process.execPath, ['--import', 'tsx', loader], { stdio: ['pipe', 'pipe', 'inherit'] });
  const load: Load = { guesses, connections };
  child.stdin.end(JSON.stringify(load));
  return JSON.parse(await text(child.stdout)) as Record<string, number>;
}

/** Looks at the health of servers, again and again, until told to stop. @returns 99 of 100 answers came this fast */
function watchHealth(urls: readonly string[]) {
  const times: number[] = [];
  let over = false;
  const watching = Promise.all(
    urls.map(async (url) => {
      while (!over) {
        const { milliseconds } = await sendRaw(url, { method: 'GET', path: '/healthz' });
        times.push(milliseconds);
        await sleep(20);
      }
    }),
  );
  return async () => {
    over = true;
    await watching;
    return { p99: percentile(times, 0.99), count: times.length };
  };
}

interface Storm {
  name: string;
  guesses: Omit<Guess, 'url' | 'password'>[];
  limit: number;
}

const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const address = (n: number) => `203.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;

/** Storms that meet instances without a proxy: what they say of where they come from is passed over. */
const stormsOn = (emails: readonly string[]): Storm[] => [
  {
    name: 'one account',
    guesses: times(1500, () => ({ identifier: emails[0] ?? '' })),
    limit: perIdentifier,
  },
  {
    name: `${accounts} accounts`,
    guesses: times(3000, (n) => ({ identifier: emails[n % accounts] ?? '' })),
    limit: perAddress,
  },
  {
    name: 'unknown accounts',
    guesses: times(1500, (n) => ({ identifier: `nobody${n}@example.org` })),
    limit: perAddress,
  },
  {
    name: 'accounts, X-Forwarded-For made up',
    guesses: times(1500, (n) => ({ identifier: emails[n % accounts] ?? '', forwardedFor: address(n) })),
    limit: perAddress,
  },
];

/** Storms that come through a proxy, which writes the last hop. */
const stormsThroughProxy = (emails: readonly string[]): Storm[] => [
  {
    name: 'accounts behind a proxy, earlier hops made up',
    guesses: times(1500, (n) => ({ identifier: emails[n % accounts] ?? '', forwardedFor: `${address(n)}, 192.0.2.1` })),
    limit: perAddress,
  },
  {
    name: 'one account from a thousand addresses behind a proxy',
    guesses: times(1500, (n) => ({ identifier: emails[0] ?? '', forwardedFor: address(n % 1000) })),
    limit: perIdentifier,
  },
];

/** An account whose owner knows the password and uses another address. */
interface Honest {
  identifier: string;
  /** What the proxy says of where they come from; without one, they come from another of this machine's addresses. */
  forwardedFor?: string;
}

/** Signs in twice a second, at one instance after the other, until told to stop. @returns answers by status */
function keepSigningIn(urls: readonly string[], { identifier, forwardedFor }: Honest) {
  const request = {
    method: 'POST',
    path: '/api/auth/login',
    body: JSON.stringify({ identifier, password }),
    headers: {
      'content-type': 'application/json',
      ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    },
    ...(forwardedFor === undefined && { from: '127.0.0.2' }),
  };
  const answers: Record<string, number> = {};
  let over = false;
  const signingIn = (async () => {
    for (let n = 0; !over; n += 1) {
      const { status } = await sendRaw(urls[n % urls.length] ?? '', request);
      answers[status] = (answers[status] ?? 0) + 1;
      await sleep(500);
    }
  })();
  return async () => {
    over = true;
    await signingIn;
    return answers;
  };
}

const listed = (answers: Record<string, number>) =>
  Object.entries(answers)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');

async function meet(
  { name, guesses, limit }: Storm,
  { urls, context }: Pick<Instances, 'urls' | 'context'>,
  plainUrl: string,
  honest: Honest,
): Promise<Verdict[]> {
  await context.database.models.LoginThrottle.destroy({ where: {} });
  const stopWatching = watchHealth(urls);
  const stopWatchingPlain = watchHealth(urls.map(() => plainUrl));
  const stopSigningIn = keepSigningIn(urls, honest);
  const aimed = guesses.map((given, n) => ({ ...given, password: guess, url: urls[n % urls.length] ?? '' }));
  const answers = await storm(aimed);
  const [health, plain, signedIn] = await Promise.all([stopWatching(), stopWatchingPlain(), stopSigningIn()]);
  const through = answers['401'] ?? 0;
  return [
    {
      promised: `storm on ${name}: at most ${limit} + ${urls.length} attempts let through, the rest refused with 429 or 503`,
      measured: `${through} through: ${listed(answers)}`,
      kept:
        through <= limit + urls.length &&
        through > 0 &&
        !Object.keys(answers).some((key) => !/^(401|429|503)$/.test(key)),
    },
    {
      promised: `storm on ${name}: /healthz p99 under ${limitMs} ms meanwhile, or ${maxOfPlain} times that of a server that does nothing else`,
      measured: `${health.p99.toFixed(0)} ms of ${health.count}; the other ${plain.p99.toFixed(0)} ms`,
      kept: health.p99 < Math.max(limitMs, maxOfPlain * plain.p99),
      timed: true,
    },
    {
      promised: `storm on ${name}: another user signs in from another address meanwhile`,
      measured: listed(signedIn),
      kept: Object.keys(signedIn).join() === '200',
    },
  ];
}

/** Wrong passwords by the thousand, on instances of the built program that share a MariaDB, half of them behind a proxy. */
export async function run(): Promise<Verdict[]> {
  const plain = spawn(process.execPath, [plainServer], { stdio: ['ignore', 'pipe', 'inherit'] });
  atExit(() => void plain.kill());
  const plainUrl = await listening(plain);
  const { urls, context, close } = await startInstances([
    ...times(instanceCount, () => ({})),
    ...times(instanceCount, () => ({ TRUST_PROXY: '1' })),
  ]);
  const direct = { urls: urls.slice(0, instanceCount), context };
  const proxied = { urls: urls.slice(instanceCount), context };
  try {
    const passwordHash = await context.hasher.hash(password, 10);
    await buildTrainees(context, accounts + 1, 0, passwordHash);
    const emails = times(accounts + 1, (n) => `trainee${n}@example.com`);
    const identifier = emails[accounts] ?? '';
    // Of processes that have just begun, the first requests take as long as their code takes to be compiled.
    await storm(times(600, (n) => ({ url: urls[n % urls.length] ?? '', identifier: 'nobody', password: guess })));
    const verdicts: Verdict[] = [];
    for (const given of stormsOn(emails)) verdicts.push(...(await meet(given, direct, plainUrl, { identifier })));
    for (const given of stormsThroughProxy(emails))
      verdicts.push(...(await meet(given, proxied, plainUrl, { identifier, forwardedFor: '198.51.100.7' })));
    return verdicts;
  } finally {
    plain.kill();
    await close();
  }
}
