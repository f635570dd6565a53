import jwt from 'jsonwebtoken';
import request from 'supertest';
import { askAs, callers, expectedStatus, operations, walk } from '../http/support/authorization.js';
import { forge, forgeries, guarded, outdated, statusWith, tryEverywhere } from '../http/support/forged-tokens.js';
import { testEnvironment } from '../support/environment.js';
import { signIn } from '../support/factories.js';
import { emptyDatabase } from '../support/harness.js';
import { type InProcess, startInProcess } from './in-process.js';
import type { Verdict } from './report.js';

const secret = testEnvironment.JWT_SECRET;
const previous = 'the secret that was before, longer than 32 bytes';

/** Who may do what, from end to end: every operation as every kind of caller. */
async function walkAll({ context, server }: InProcess): Promise<Verdict> {
  const api = (method: 'get' | 'post' | 'put' | 'delete', path: string, token?: string) => {
    const call = request(server.url)[method](path);
    return token === undefined ? call : call.set('Authorization', `Bearer ${token}`);
  };
  const counts: Record<number, number> = {};
  let wrong = 0;
  for (const step of walk) {
    await emptyDatabase(context);
    const { status, text } = await askAs({ context, api }, step);
    counts[status] = (counts[status] ?? 0) + 1;
    if (status === expectedStatus(step)) continue;
    wrong += 1;
    console.log(`${JSON.stringify(step)}: ${status} instead of ${expectedStatus(step)}: ${text.slice(0, 300)}`);
  }
  const walked = new Set(walk.map(({ name }) => name)).size;
  const listed = Object.entries(counts).map(([status, count]) => `${count} × ${status}`);
  return {
    promised: 'every operation is open to those whom the contract names, and to no other',
    measured: `${walked} operations, ${callers.length} kinds of callers, ${walk.length} requests, ${wrong} answered wrongly: ${listed.join(', ')}`,
    kept: wrong === 0 && walked === operations.length && walk.length >= operations.length * callers.length,
  };
}

/** Forged and outdated tokens at every operation that looks at one; tokens of the previous secret while it is rotated. */
export async function run(): Promise<Verdict[]> {
  const service = await startInProcess({ JWT_SECRET_PREVIOUS: previous });
  try {
    const { url } = service.server;
    // Of the super admin, so that a flaw shows in every operation.
    const { token } = await signIn(service.context, { role: 'super_admin' });
    const tokens = [...forgeries(token, secret), ...(await outdated(service.context))];
    const { sent, problems } = await tryEverywhere(url, tokens);
    for (const problem of problems) console.log(problem);
    const claims = jwt.decode(token) as object;
    const rotated = await statusWith(url, forge({ alg: 'HS256', typ: 'JWT' }, claims, previous));
    const ancient = await statusWith(url, forge({ alg: 'HS256', typ: 'JWT' }, claims, `${previous}, and one before`));
    const huge = await statusWith(url, `${token}${'A'.repeat(100_000)}`);
    const opens = await statusWith(url, token);
    return [
      {
        promised: 'a token that is forged, malformed, outdated or revoked is answered 401 everywhere',
        measured: `${tokens.length} tokens at ${guarded.length} operations: ${sent - problems.length} of ${sent} are`,
        kept: problems.length === 0 && sent === tokens.length * guarded.length && sent > 0,
      },
      {
        promised: 'while secrets are rotated, a token of the previous one is accepted, and of none before it',
        measured: `${rotated} and ${ancient}`,
        kept: rotated === 200 && ancient === 401,
      },
      {
        promised: 'headers above 16 KiB, such as a token of 100 kB, are refused with 431 before the program reads them',
        measured: String(huge),
        kept: huge === 431,
      },
      {
        promised: 'the genuine token opens what it should after all that',
        measured: String(opens),
        kept: opens === 200,
      },
      await walkAll(service),
    ];
  } finally {
    await service.close();
  }
}
