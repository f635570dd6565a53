import { createHmac, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { setUserActive } from '../../src/services/accounts/commands.js';
import { operator } from '../../src/services/core.js';
import { base64url } from '../support/base64url.js';
import { testEnvironment } from '../support/environment.js';
import { factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, messages } from './support/expectations.js';

const secret = testEnvironment.JWT_SECRET;
const day = 86_400_000;
/** A token put together by hand, so that it may be as wrong as we like. */
function forge(header: unknown, payload: unknown, key = secret): string {
  const signed = `${base64url(header)}.${base64url(payload)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

/** forged-tokens.test.ts has what else is refused. */
describe('The token', () => {
  const harness = useHarness();
  const me = (token?: string) => harness.api('get', '/api/auth/me', token);
  const withHeader = (authorization: string) => harness.api('get', '/api/auth/me').set('Authorization', authorization);

  async function expectRefused(token: string): Promise<void> {
    const response = await me(token);
    expectFailure(response, 401, messages.badToken);
    expect(response.headers['www-authenticate']).to.equal('Bearer error="invalid_token"');
  }
  /** Claims that are right in every way. */
  async function claims() {
    const { user, token } = await signIn(harness.context);
    const { sid, iat, exp } = jwt.decode(token) as { sid: string; iat: number; exp: number };
    return { userId: user.id, sid, iat, exp };
  }

  it('is presented as "Authorization: Bearer <token>", the scheme in any case', async () => {
    const { token } = await signIn(harness.context);
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) await withHeader(`${scheme} ${token}`).expect(200);
    await withHeader(`Bearer   ${token}  `).expect(200);
  });

  for (const path of ['setup', 'login', 'trainee-login']) {
    it(`of ${path} is signed with HS256, carries the user's id as userId and lives 7 days`, async () => {
      if (path !== 'setup') await signIn(harness.context, { email: ada.email });
      const body = path === 'setup' ? ada : { identifier: ada.email, password: factoryPassword };
      const answer = await harness.api('post', `/api/auth/${path}`).send(body);
      const { header, payload } = jwt.verify(answer.body.token, secret, { complete: true });
      expect(header).to.deep.equal({ alg: 'HS256', typ: 'JWT' });
      expect(payload).to.have.all.keys('userId', 'sid', 'iat', 'exp');
      const { userId, iat = 0, exp = 0 } = payload as jwt.JwtPayload;
      expect(userId).to.equal(answer.body.user.id);
      expect(exp - iat).to.equal(7 * 86_400);
    });
  }

  it('is accepted when made with the right secret and claims', async () => {
    await me(forge({ alg: 'HS256', typ: 'JWT' }, await claims())).expect(200);
  });

  it('is missed: 401 with WWW-Authenticate: Bearer', async () => {
    const response = await me();
    expectFailure(response, 401, messages.noToken);
    expect(response.headers['www-authenticate']).to.equal('Bearer');
  });

  it('is missed where another scheme, or no token after the scheme, is sent', async () => {
    const { token } = await signIn(harness.context);
    for (const authorization of ['Basic YTpi', token, `Token ${token}`, 'Bearer', 'Bearer ', `Bearer${token}`, '']) {
      const response = await withHeader(authorization);
      expectFailure(response, 401, messages.noToken);
      expect(response.headers['www-authenticate']).to.equal('Bearer');
    }
  });

  it('is not looked for anywhere but in the header', async () => {
    const { token } = await signIn(harness.context);
    const path = `/api/auth/me?token=${token}&access_token=${token}`;
    expectFailure(await harness.api('get', path).set('Cookie', `token=${token}`), 401, messages.noToken);
  });

  it('is refused when its parts are not the JSON they claim to be', async () => {
    const header = { alg: 'HS256', typ: 'JWT' };
    for (const payload of ['not json', '', '[]', '"text"', '7', '{"userId":']) {
      await expectRefused(forge(header, payload));
      await expectRefused(forge(header, payload, 'a secret that is not ours'));
    }
    for (const bad of ['not json', 'null', '[]', '{}', '7']) await expectRefused(forge(bad, await claims()));
  });

  it('is refused when its signature or its payload was changed', async () => {
    const { token } = await signIn(harness.context);
    const [head, payload, signature = ''] = token.split('.');
    await expectRefused(`${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`);
    const other = await signIn(harness.context);
    await expectRefused(`${head}.${other.token.split('.')[1]}.${signature}`);
  });

  it('is refused where it was made later than clocks can differ, or says no time', async () => {
    const right = await claims();
    for (const iat of [right.iat + 600, right.iat + 86_400, 2 ** 40, undefined, null])
      await expectRefused(forge({ alg: 'HS256', typ: 'JWT' }, { ...right, iat }));
    await me(forge({ alg: 'HS256', typ: 'JWT' }, { ...right, iat: right.iat + 60 })).expect(200);
  });

  it('is refused where user and session do not exist or do not belong together', async () => {
    const [one, other] = [await claims(), await claims()];
    for (const pair of [
      { userId: randomUUID() },
      { sid: randomUUID() },
      { userId: other.userId },
      { sid: other.sid },
    ]) {
      await expectRefused(forge({ alg: 'HS256', typ: 'JWT' }, { ...one, ...pair }));
    }
  });

  it('is refused once it has expired', async () => {
    const { token } = await signIn(harness.context);
    harness.advance(7 * day - 60_000);
    await me(token).expect(200);
    harness.advance(60_000);
    await expectRefused(token);
  });

  it('is refused once its session is revoked', async () => {
    const { user, token } = await signIn(harness.context);
    await harness.context.database.models.Session.destroy({ where: { userId: user.id } });
    await expectRefused(token);
  });

  it('is refused once the account is deactivated, and stays refused when it is activated again', async () => {
    const { user, token } = await signIn(harness.context);
    await setUserActive(harness.context, operator, user.id, false);
    await expectRefused(token);
    await setUserActive(harness.context, operator, user.id, true);
    await expectRefused(token);
  });

  it('is refused while the row of the account says inactive', async () => {
    const { user, token } = await signIn(harness.context);
    await user.update({ isActive: false });
    await expectRefused(token);
  });

  it('is refused once the account is gone', async () => {
    const { user, token } = await signIn(harness.context);
    await user.destroy();
    await expectRefused(token);
  });

  it("acts with the account's present role", async () => {
    const { user, token } = await signIn(harness.context, { role: 'trainer' });
    await harness.api('get', `/api/courses/trainer/${user.id}`, token).expect(200);
    await user.update({ role: 'trainee' });
    await harness.api('get', `/api/courses/trainer/${user.id}`, token).expect(403);
  });
});

describe('The lifetime of the token', () => {
  const harness = useHarness({ JWT_EXPIRES_IN: '1h' });

  it('comes from the configuration', async () => {
    const { token } = await signIn(harness.context);
    const { iat = 0, exp = 0 } = jwt.decode(token) as jwt.JwtPayload;
    expect(exp - iat).to.equal(3600);
    harness.advance(3600_000);
    expectFailure(await harness.api('get', '/api/auth/me', token), 401, messages.badToken);
  });
});

describe('The signing secret', () => {
  const current = 'the secret that came after, longer than 32 bytes';
  const harness = useHarness({ JWT_SECRET: current, JWT_SECRET_PREVIOUS: secret });

  it('signs new tokens, while those of the previous secret are still accepted', async () => {
    const { token } = await signIn(harness.context);
    const claims = jwt.verify(token, current) as jwt.JwtPayload;
    await harness.api('get', '/api/auth/me', token).expect(200);
    await harness.api('get', '/api/auth/me', forge({ alg: 'HS256', typ: 'JWT' }, claims, secret)).expect(200);
  });

  it('is one of these two only', async () => {
    const { token } = await signIn(harness.context);
    const claims = jwt.decode(token);
    const older = forge({ alg: 'HS256', typ: 'JWT' }, claims, 'the secret before the previous, longer than 32 bytes');
    expectFailure(await harness.api('get', '/api/auth/me', older), 401, messages.badToken);
  });
});

describe('The signing secret that comes next', () => {
  const next = 'the secret that comes next, longer than 32 bytes';
  const harness = useHarness({ JWT_SECRET_PREVIOUS: next });

  it('is known beforehand: tokens of an instance that signs with it are accepted, none are made', async () => {
    const { token } = await signIn(harness.context);
    const claims = jwt.verify(token, secret) as jwt.JwtPayload;
    await harness.api('get', '/api/auth/me', forge({ alg: 'HS256', typ: 'JWT' }, claims, next)).expect(200);
  });
});
