import { expect } from 'chai';
import { unlockUser } from '../../../src/services/accounts/update-user.js';
import { login } from '../../../src/services/auth/login.js';
import { sweepThrottle } from '../../../src/services/auth/throttle-locks.js';
import { addressSubject } from '../../../src/services/auth/throttle-rules.js';
import { operator } from '../../../src/services/core.js';
import { failureOf } from '../../db/support/failure.js';
import { buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { racing } from '../../support/transactions.js';

const client = { ip: '192.0.2.1', userAgent: null };

describe('Locks after wrong passwords', () => {
  const harness = useHarness();
  const guess = (identifier: string, context = harness.context) =>
    failureOf(() => login(context, { identifier, password: 'a wrong password' }, client));

  it('begin again with the shortest after an unlock', async () => {
    const { id, email } = await buildUser(harness.context);
    // The message tells the seconds that are left.
    const now = harness.context.now();
    const context = { ...harness.context, now: () => now };
    const lock = async () => {
      for (let tries = 0; tries < 10; tries += 1) expect((await guess(email, context)).code).to.equal('WRONG_PASSWORD');
      const { code, message } = await guess(email, context);
      expect(code).to.equal('TOO_MANY_ATTEMPTS');
      return message;
    };
    const first = await lock();
    await unlockUser(context, operator, id);
    expect(await lock()).to.equal(first);
  });

  it('keep the failures that are counted while the cleanup runs', async () => {
    const { email } = await buildUser(harness.context);
    await guess(email);
    harness.advance(25 * 3_600_000);
    await sweepThrottle(
      racing(harness.context, () => guess(email)),
      AbortSignal.abort(),
    );
    const row = await harness.context.database.models.LoginThrottle.findByPk(addressSubject(client.ip));
    expect(row?.failures).to.equal(1);
  });
});
