import { buildUser } from '../support/factories.js';
import { sendRaw } from '../support/raw-http.js';
import { type Instances, startInstances } from './instances.js';
import type { Verdict } from './report.js';

/** Logins of each kind. */
const rounds = 200;
/** How far the median of a kind may be from that of all, as a share of it. */
const limit = 0.1;

const password = 'a password that is known';

interface Kind {
  name: string;
  identifier: string;
  password: string;
  path: string;
}

async function kinds({ context }: Instances): Promise<Kind[]> {
  const passwordHash = await context.hasher.hash(password, 10);
  const plain = await buildUser(context, { passwordHash });
  const inactive = await buildUser(context, { passwordHash, isActive: false });
  const trainer = await buildUser(context, { passwordHash, role: 'trainer' });
  const fresh = await buildUser(context, {
    ...{ password, requiresPasswordChange: true },
    initialPasswordExpiresAt: new Date(Date.now() + 86_400_000),
  });
  const login = { password, path: '/api/auth/login' };
  const wrong = { password: 'a wrong guess', path: '/api/auth/login' };
  return [
    { name: 'unknown', identifier: 'nobody@example.org', ...login },
    { name: 'inactive', identifier: inactive.email, ...login },
    { name: 'wrong role', identifier: trainer.email, password, path: '/api/auth/trainee-login' },
    { name: 'wrong password', identifier: plain.email, ...wrong },
    { name: 'wrong password, generated hash', identifier: fresh.email, ...wrong },
  ];
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Logins that fail, of every kind, in turn: how long they take tells nobody why. */
export async function run(): Promise<Verdict[]> {
  const instances = await startInstances([{}]);
  try {
    const [url = ''] = instances.urls;
    const all = (await kinds(instances)).map((kind) => ({ kind, times: [] as number[], statuses: new Set<number>() }));
    for (let round = 0; round < rounds; round += 1) {
      // As if each were the first: the throttle would refuse them.
      await instances.context.database.models.LoginThrottle.destroy({ where: {} });
      for (let n = 0; n < all.length; n += 1) {
        // Each comes first, and after each of the others, as often.
        const next = all[(n + round) % all.length];
        if (!next) continue;
        const body = JSON.stringify({ identifier: next.kind.identifier, password: next.kind.password });
        const headers = { 'content-type': 'application/json' };
        const answer = await sendRaw(url, { method: 'POST', path: next.kind.path, headers, body });
        next.times.push(answer.milliseconds);
        next.statuses.add(answer.status);
      }
    }
    const middle = median(all.map(({ times }) => median(times)));
    return all.map(({ kind, times, statuses }) => {
      const off = median(times) / middle - 1;
      return {
        promised: `a login that fails takes as long as any other, within ${limit * 100} %: ${kind.name}`,
        measured: `median ${median(times).toFixed(1)} ms of ${times.length}, ${(off * 100).toFixed(1)} % off (${[...statuses].join()})`,
        kept: Math.abs(off) <= limit && statuses.size === 1 && statuses.has(401),
      };
    });
  } finally {
    await instances.close();
  }
}
