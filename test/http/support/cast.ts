import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { User } from '../../../src/db/models/user.js';
import type { Context } from '../../../src/services/context.js';
import { signIn } from '../../support/factories.js';
import type { Harness } from '../../support/harness.js';

/** An account with a token. */
export interface Person {
  user: User;
  token: string;
}

/** One caller of each kind. `owner` is the trainer of the tested courses, `foreign` another trainer. */
export interface Cast {
  admin: Person;
  owner: Person;
  foreign: Person;
  trainee: Person;
}

export async function castOf(context: Context): Promise<Cast> {
  return {
    admin: await signIn(context, { role: 'super_admin' }),
    owner: await signIn(context, { role: 'trainer', firstName: 'Grace', lastName: 'Hopper' }),
    foreign: await signIn(context, { role: 'trainer', firstName: 'Alan', lastName: 'Turing' }),
    trainee: await signIn(context, { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org' }),
  };
}

/** Gives the enclosing `describe` a new cast for each test. */
export function useCast(harness: Harness): Cast {
  const cast = {} as Cast;
  beforeEach(async () => {
    Object.assign(cast, await castOf(harness.context));
  });
  return cast;
}

/** An audit entry without id and time. */
interface Recorded {
  action: string;
  actorId: string | null;
  origin: string;
  ip: string | null;
  targetType: string;
  targetId: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** Returns the audit entries of a target, oldest first. */
async function auditOf(harness: Harness, { admin }: Cast, targetId: string): Promise<Recorded[]> {
  const { body } = await harness.api('get', `/api/audit?targetId=${targetId}&limit=100`, admin.token).expect(200);
  const entries = body.entries as (Recorded & { id: string; at: string })[];
  return entries.map(({ id: _id, at: _at, ...recorded }) => recorded).reverse();
}

/** Returns the recorded changes of a target. @throws if the actor or the origin of an entry is another one */
export async function changesOf(harness: Harness, cast: Cast, targetId: string, actor: Person) {
  const entries = await auditOf(harness, cast, targetId);
  return entries.map(({ action, actorId, origin, ip, targetType: _, targetId: __, before, after }) => {
    if (actorId !== actor.user.id || origin !== 'http' || !/^(::ffff:)?127\.0\.0\.1$|^::1$/.test(ip ?? ''))
      throw new Error(`An audit entry names another account: ${actorId} by ${origin} from ${ip}.`);
    return { action, before, after };
  });
}

/** Starts a server for an app, for concurrent requests. */
export async function serve(app: Express): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
