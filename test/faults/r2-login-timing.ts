import { median } from '../../bench/statistics.js';
import type { Context } from '../../src/services/context.js';
import { buildUser } from '../support/factories.js';
import { sendRaw } from '../support/raw-http.js';
import type { Verdict } from './report.js';
import { openStage, production } from './stage.js';

/** Concurrent sequences of logins, so that both cores hash. Every kind of login meets the other sequences' load equally. */
const lanes = 2;
/** Logins of each kind in each sequence. */
const rounds = 100;
/** Maximum difference between the medians of two kinds, as a share of the smaller one. */
const limit = 0.1;

const password = 'a password that is known';

interface Kind {
  name: string;
  identifier: string;
  password: string;
  path: string;
}

async function kinds(context: Context): Promise<{ kinds: Kind[]; open(): Promise<Kind[]> }> {
  const passwordHash = await context.hasher.hash(password, 10);
  const plain = await buildUser(context, { passwordHash });
  const inactive = await buildUser(context, { passwordHash, isActive: false });
  const trainer = await buildUser(context, { passwordHash, role: 'trainer' });
  const fresh = await buildUser(context, {
    password,
    requiresPasswordChange: true,
    initialPasswordExpiresAt: new Date(Date.now() + 86_400_000),
  });
  const login = { password, path: '/api/auth/login' };
  const wrong = { password: 'a wrong guess', path: '/api/auth/login' };
  const kinds = [
    { name: 'unknown', identifier: 'nobody@example.org', ...login },
    { name: 'inactive', identifier: inactive.email, ...login },
    { name: 'wrong role', identifier: trainer.email, password, path: '/api/auth/trainee-login' },
    { name: 'wrong password', identifier: plain.email, ...wrong },
    { name: 'wrong password, generated hash', identifier: fresh.email, ...wrong },
    { name: 'impossible password', identifier: plain.email, ...wrong, password: 'x\0'.repeat(2000) },
    {
      name: 'unknown, impossible password',
      identifier: 'nobody@example.org',
      ...wrong,
      password: 'x\0'.repeat(2000),
    },
  ];
  return {
    kinds,
    async open() {
      await inactive.update({ isActive: true });
      return [inactive, trainer, plain, fresh].map(({ email }) => ({ name: email, identifier: email, ...login }));
    },
  };
}

/** Checks that the same accounts can sign in with correct input: the failures had no other reason. */
async function verifySignIns(url: string, all: readonly Kind[]): Promise<Verdict> {
  const statuses: number[] = [];
  for (const kind of all) statuses.push((await logIn(url, kind)).status);
  return {
    promised: 'the same accounts sign in if active, with the right password, on a route for their role',
    measured: statuses.join(', '),
    kept: statuses.length > 0 && statuses.every((status) => status === 200),
  };
}

function logIn(url: string, { identifier, password: text, path }: Kind) {
  const body = JSON.stringify({ identifier, password: text });
  return sendRaw(url, { method: 'POST', path, headers: { 'content-type': 'application/json' }, body });
}

/** Alternates failing logins of every kind. Their duration must not reveal the reason. */
export async function run(): Promise<Verdict[]> {
  const stage = await openStage({ durable: false });
  try {
    const context = await stage.createContext(production);
    const { LoginThrottle } = context.database.models;
    const { url } = await stage.start(production);
    const { kinds: failing, open } = await kinds(context);
    const all = failing.map((kind) => ({ kind, times: [] as number[], statuses: new Set<number>() }));
    const runLane = async (lane: number) => {
      for (let round = 0; round < rounds; round += 1) {
        // Resets the throttle, which would refuse later attempts.
        await LoginThrottle.destroy({ where: {} });
        for (let n = 0; n < all.length; n += 1) {
          // Each kind comes first, and after every other kind, equally often.
          const next = all[(n + round + lane) % all.length];
          if (!next) continue;
          const response = await logIn(url, next.kind);
          next.times.push(response.milliseconds);
          next.statuses.add(response.status);
        }
      }
    };
    await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)));
    await LoginThrottle.destroy({ where: {} });
    const controls = await verifySignIns(url, await open());
    const medians = all.map(({ times }) => median(times));
    const [least, most] = [Math.min(...medians), Math.max(...medians)];
    const verdicts = all.map(({ kind, times, statuses }): Verdict => {
      const own = median(times);
      const apart = Math.max(own / least, most / own) - 1;
      const areRefused = times.length === lanes * rounds && statuses.size === 1 && statuses.has(401);
      return {
        promised: `a login that fails takes as long as any other, within ${limit * 100} %: ${kind.name}`,
        measured: `median ${own.toFixed(1)} ms of ${times.length}, at most ${(apart * 100).toFixed(1)} % from another (${[...statuses].join()})`,
        kept: apart <= limit && areRefused,
        ...(areRefused && { timed: true }),
      };
    });
    return [...verdicts, controls];
  } finally {
    await stage.close();
  }
}
