import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { base64url } from '../support/base64url.js';
import { atDepth } from '../support/depth.js';
import { testEnvironment } from '../support/environment.js';
import { signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { operations, pathOf } from './support/examples.js';

const secret = testEnvironment.JWT_SECRET;

/** Creates a token by hand, which may be invalid in any way. */
function forge(header: object, payload: object, key: string = secret, hash = 'sha256'): string {
  const signed = `${base64url({ alg: 'HS256', typ: 'JWT', ...header })}.${base64url(payload)}`;
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`;
}

/** Creates invalid tokens from a valid one. test/services/credentials/tokens.test.ts tests more tokens of each kind. */
function forgeries(genuine: string): Record<string, string> {
  const [head = '', payload = '', signature = ''] = genuine.split('.');
  const right = jwt.decode(genuine) as { userId: string; sid: string; iat: number; exp: number };
  return {
    unsigned: `${base64url({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    'without its signature': `${head}.${payload}.`,
    'with a signature of another': `${head}.${payload}.${signature.replaceAll(/./g, 'A')}`,
    'with another secret': forge({}, right, 'a secret of another service, longer than 32 bytes'),
    'with no secret': forge({}, right, ''),
    'with another algorithm': forge({ alg: 'HS512' }, right, secret, 'sha512'),
    'with a key of its own': forge(
      { jwk: { kty: 'oct', k: base64url('mine'), kid: 'mine' }, kid: 'mine' },
      right,
      'mine',
    ),
    'with an extension': forge({ crit: ['exp'] }, right),
    'for another audience': forge({}, { ...right, aud: 'https://courses.example.org' }),
    'for a download': forge({}, { ...right, purpose: 'download' }),
    'of another type': forge({ typ: 'at+jwt' }, right),
    'that has expired': forge({}, { ...right, exp: right.iat - 1 }),
    'without an expiry': forge({}, { ...right, exp: undefined }),
    'from the future': forge({}, { ...right, nbf: right.iat + 3600 }),
    'of nobody': forge({}, { ...right, userId: '018f0000-0000-7000-8000-000000000000' }),
    'of the session of another': forge({}, { ...right, userId: right.sid }),
    'with a list of users': forge({}, { ...right, userId: [right.userId] }),
    'with an operator as its session': forge({}, { ...right, sid: { '[Op.ne]': '' } }),
    'of a session with a space': forge({}, { ...right, sid: `${right.sid} ` }),
    'in capitals': forge({}, { ...right, sid: right.sid.toUpperCase() }),
    'that is garbage': '{{7*7}}',
    'that is long': 'a.'.repeat(4000),
  };
}

describe('Every operation that reads a token', () => {
  const harness = useHarness();

  /**
   * Sends the tokens to all operations. Each operation gets every n-th token, and the first token differs between
   * operations.
   * @returns the responses other than 401 with a challenge
   */
  async function openedBy(tokens: Record<string, string>, each = 1): Promise<string[]> {
    const opened: string[] = [];
    const guarded = operations.filter(([, { access }]) => access.kind !== 'public');
    for (const [index, [name, { method, path }]] of guarded.entries())
      for (const [what, token] of Object.entries(tokens).filter((_, n) => (n + index) % each === 0)) {
        const { status, headers } = await harness.api(method, pathOf(path, {}), token);
        if (status !== 401 || headers['www-authenticate'] !== 'Bearer error="invalid_token"')
          opened.push(`${name}, a token ${what}: ${status}`);
      }
    return opened;
  }

  it('refuses tokens that were valid before', async () => {
    const { context } = harness;
    const { Session } = context.database.models;
    const [revoked, inactive, gone] = [await signIn(context), await signIn(context), await signIn(context)];
    await Session.destroy({ where: { userId: revoked.user.id } });
    await inactive.user.update({ isActive: false });
    await gone.user.destroy();
    const expired = await signIn(context);
    await Session.update({ expiresAt: new Date(Date.now() - 1000) }, { where: { userId: expired.user.id } });
    const tokens = {
      'of a revoked session': revoked.token,
      'of a deactivated account': inactive.token,
      'of a deleted account': gone.token,
      'of a session that has expired': expired.token,
    };
    expect(await openedBy(tokens)).to.deep.equal([]);
  });

  it('refuses forged tokens', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    expect(await openedBy(forgeries(token), atDepth(4, 1))).to.deep.equal([]);
    await harness.api('get', '/api/auth/me', token).expect(200);
  });
});
