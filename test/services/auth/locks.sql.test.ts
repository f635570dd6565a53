import { expect } from 'chai';
import { login } from '../../../src/services/auth/login.js';
import { sweepThrottle } from '../../../src/services/auth/throttle-locks.js';
import { addressSubject } from '../../../src/services/auth/throttle-rules.js';
import { failureOf } from '../../db/support/failure.js';
import { buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { racing } from '../../support/transactions.js';

const client = { ip: '192.0.2.1', userAgent: null };

describe('Locks after wrong passwords', () => {
  const harness = useHarness();
  const guess = (identifier: string, context = harness.context) =>
    failureOf(() => login(context, { identifier, password: 'a wrong password' }, client));

  it('keep failures that are counted during the cleanup', async () => {
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
