import { expect } from 'chai';
import request from 'supertest';
import { loadConfig } from '../../src/config/config.js';
import { type Context, createContext } from '../../src/context.js';
import { createApp } from '../../src/http/server/app.js';
import { testEnvironment } from '../support/environment.js';
import { buildUser, factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectFailure, messages } from './support/expectations.js';

describe('A session that is ended through one instance', () => {
  const harness = useHarness();
  let other: Context;
  let app: ReturnType<typeof createApp>;
  before(async () => {
    const { config, hasher, logger } = harness.context;
    const env = { ...testEnvironment, DATABASE_URL: harness.databaseUrl, DATA_DIR: config.dataDir };
    other = await createContext(loadConfig({ env, cwd: config.dataDir }), logger, { hasher });
    app = createApp(other);
  });
  after(async () => other.close());

  const atOther = (token: string) => request(app).get('/api/auth/me').set('Authorization', `Bearer ${token}`);

  for (const [what, method, path, body] of [
    ['a deactivation', 'put', '/status', { isActive: false }],
    ['another role', 'put', '', { role: 'trainer' }],
    ['a reset of the password', 'post', '/reset-password', {}],
  ] as const) {
    it(`by ${what} is refused by another at the next request`, async () => {
      const { token: admin } = await signIn(harness.context, { role: 'super_admin' });
      const { user, token } = await signIn(harness.context);
      await atOther(token).expect(200);
      await harness.api(method, `/api/users/${user.id}${path}`, admin).send(body).expect(200);
      expectFailure(await atOther(token), 401, messages.badToken);
    });
  }

  it('by logging out is refused by another at the next request', async () => {
    const { token } = await signIn(harness.context);
    await atOther(token).expect(200);
    await harness.api('post', '/api/auth/logout', token).expect(200);
    expectFailure(await atOther(token), 401, messages.badToken);
  });

  it('by a new password is refused by another, which lets the session go on that chose it', async () => {
    const user = await buildUser(harness.context);
    const login = async () => {
      const credentials = { identifier: user.email, password: factoryPassword };
      return (await harness.api('post', '/api/auth/login').send(credentials).expect(200)).body.token as string;
    };
    const [own, ended] = [await login(), await login()];
    const change = { currentPassword: factoryPassword, newPassword: 'another password' };
    await harness.api('put', '/api/auth/change-password', own).send(change).expect(200);
    expectFailure(await atOther(ended), 401, messages.badToken);
    expect((await atOther(own)).status).to.equal(200);
  });
});
