import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import { setUserActive } from '../../../src/services/accounts/update-user.js';
import { login } from '../../../src/services/auth/login.js';
import { authenticate, isSignedIn, startSession } from '../../../src/services/auth/sessions.js';
import { operator } from '../../../src/services/core.js';
import { failureOf } from '../../db/support/failure.js';
import { buildUser, factoryPassword, signIn } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

const minute = 60_000;
const client = { ip: '192.0.2.1', userAgent: null };

describe('Sessions', () => {
  const harness = useHarness();
  const models = () => harness.context.database.models;

  it('do not start if the account is deactivated during the password comparison', async () => {
    const { context } = harness;
    const user = await buildUser(context);
    const compare: typeof context.hasher.compare = async (...given) => {
      const matches = await context.hasher.compare(...given);
      await setUserActive(context, operator, user.id, false);
      return matches;
    };
    const slow = { ...context, hasher: { ...context.hasher, compare } };
    const input = { identifier: user.email, password: factoryPassword };
    expect((await failureOf(() => login(slow, input, client))).code).to.equal('NO_MATCHING_ACCOUNT');
    expect(await models().Session.count()).to.equal(0);
    expect(await user.reload()).to.include({ lastLogin: null });
  });

  it('do not start if the password is replaced during its comparison', async () => {
    const { context } = harness;
    const user = await buildUser(context);
    const passwordHash = await context.hasher.hash('another password', 4);
    const compare: typeof context.hasher.compare = async (...given) => {
      const matches = await context.hasher.compare(...given);
      await user.update({ passwordHash });
      return matches;
    };
    const slow = { ...context, hasher: { ...context.hasher, compare } };
    const input = { identifier: user.email, password: factoryPassword };
    expect((await failureOf(() => login(slow, input, client))).code).to.equal('WRONG_PASSWORD');
    expect(await models().Session.count()).to.equal(0);
  });

  it('expire during running requests, too', async () => {
    const { context } = harness;
    const { user, token } = await signIn(context);
    const { sessionId } = await authenticate(context, token, client);
    expect(await isSignedIn(context, { sessionId, user })).to.equal(true);
    harness.advance(context.config.auth.tokenLifetimeSeconds * 1000);
    expect(await isSignedIn(context, { sessionId, user })).to.equal(false);
  });

  it('over the limit are ended, but never the new one, even if another instance has a clock that is ahead', async () => {
    const { context } = harness;
    const user = await buildUser(context);
    const most = context.config.auth.maxSessions;
    const createdAt = new Date(Date.now() + minute);
    const expiresAt = new Date(Date.now() + 60 * minute);
    const session = { userId: user.id, createdAt, expiresAt, ip: null, userAgent: null };
    await models().Session.bulkCreate(Array.from({ length: most + 1 }, () => ({ id: uuidv7(), ...session })));
    const { token } = await context.database.inTransaction((transaction) =>
      startSession(context, user, client, transaction),
    );
    await harness.api('get', '/api/auth/me', token).expect(200);
    expect(await models().Session.count()).to.equal(most);
  });

  it('record no use for a minute after recording failed, so that requests do not wait', async () => {
    const { context } = harness;
    const { token } = await signIn(context);
    harness.advance(6 * minute);
    let tries = 0;
    const inStatement: typeof context.database.inStatement = async () => {
      tries += 1;
      throw new Error('The database takes no writes.');
    };
    const failing = { ...context, database: { ...context.database, inStatement } };
    for (let time = 0; time < 3; time += 1) await authenticate(failing, token, client);
    expect(tries).to.equal(1);
    harness.advance(minute + 1000);
    await authenticate(failing, token, client);
    expect(tries).to.equal(2);
  });
});
