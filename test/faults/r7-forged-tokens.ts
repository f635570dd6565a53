import jwt from 'jsonwebtoken';
import { forge, forgeries, guarded, outdated, statusWith, tryEverywhere } from '../http/forged-tokens.js';
import { signIn } from '../support/factories.js';
import { testEnvironment } from '../support/harness.js';
import { startInProcess } from './in-process.js';
import type { Verdict } from './report.js';

const secret = testEnvironment.JWT_SECRET;
const previous = 'the secret that was before, longer than 32 bytes';

/** Forged and outdated tokens at every operation that looks at one; tokens of the previous secret while it is rotated. */
export async function run(): Promise<Verdict[]> {
  const service = await startInProcess({ JWT_SECRET_PREVIOUS: previous });
  try {
    const { url } = service.server;
    // Of somebody who may do everything: whatever opens shows.
    const { token } = await signIn(service.context, { role: 'super_admin' });
    const tokens = [...forgeries(token, secret), ...(await outdated(service.context))];
    const { sent, problems } = await tryEverywhere(url, tokens);
    for (const problem of problems) console.log(problem);
    const claims = jwt.decode(token) as object;
    const rotated = await statusWith(url, forge({ alg: 'HS256', typ: 'JWT' }, claims, previous));
    const ancient = await statusWith(url, forge({ alg: 'HS256', typ: 'JWT' }, claims, `${previous}, and one before`));
    const huge = await statusWith(url, `${token}${'A'.repeat(100_000)}`);
    return [
      {
        promised: 'a token that is forged, malformed, outdated or revoked is answered 401 everywhere',
        measured: `${tokens.length} tokens at ${guarded.length} operations: ${sent - problems.length} of ${sent} are`,
        kept: problems.length === 0 && sent > 0,
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
        measured: String(await statusWith(url, token)),
        kept: (await statusWith(url, token)) === 200,
      },
    ];
  } finally {
    await service.close();
  }
}
