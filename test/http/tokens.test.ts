import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { testEnvironment } from '../support/environment.js';
import { signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure } from './support/expectations.js';

const secret = testEnvironment.JWT_SECRET;

/** forged-tokens.test.ts tests invalid tokens. */
describe('The token', () => {
  const harness = useHarness();
  const withHeader = (authorization: string) => harness.api('get', '/api/auth/me').set('Authorization', authorization);

  it("of setup and both logins is signed with HS256, carries the user's id as userId and lives 7 days", async () => {
    for (const path of ['setup', 'login', 'trainee-login']) {
      if (path === 'trainee-login')
        await harness.context.database.models.User.update({ role: 'trainee' }, { where: {} });
      const body = path === 'setup' ? ada : { identifier: ada.email, password: ada.password };
      const response = await harness.api('post', `/api/auth/${path}`).send(body);
      const { header, payload } = jwt.verify(response.body.token, secret, { complete: true });
      expect(header).to.deep.equal({ alg: 'HS256', typ: 'JWT' });
      expect(payload).to.have.all.keys('userId', 'sid', 'iat', 'exp');
      const { userId, iat = 0, exp = 0 } = payload as jwt.JwtPayload;
      expect(userId).to.equal(response.body.user.id);
      expect(exp - iat).to.equal(7 * 86_400);
    }
  });

  it('is accepted only as "Authorization: Bearer <token>", with the scheme in upper or lower case', async () => {
    const { token } = await signIn(harness.context);
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) await withHeader(`${scheme} ${token}`).expect(200);
    await withHeader(`Bearer   ${token}  `).expect(200);
    const path = `/api/auth/me?token=${token}&access_token=${token}`;
    const elsewhere = await harness.api('get', path).set('Cookie', `token=${token}`);
    const others = ['Basic YTpi', token, `Token ${token}`, 'Bearer', 'Bearer ', `Bearer${token}`, ''];
    for (const response of [elsewhere, ...(await Promise.all(others.map(withHeader)))]) {
      expectFailure(response, 'TOKEN_MISSING');
      expect(response.headers['www-authenticate']).to.equal('Bearer');
    }
  });

  it("acts with the account's current role", async () => {
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
    harness.advance(3_540_000);
    await harness.api('get', '/api/auth/me', token).expect(200);
    harness.advance(60_000);
    expectFailure(await harness.api('get', '/api/auth/me', token), 'TOKEN_INVALID');
  });
});
