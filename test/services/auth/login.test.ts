import { expect } from 'chai';
import type { Config } from '../../../src/config/config.js';
import { noPasswordFields } from '../../../src/services/accounts/invite.js';
import { login } from '../../../src/services/auth/login.js';
import type { Context } from '../../../src/services/context.js';
import { failureOf } from '../../db/support/failure.js';
import { buildUser, factoryPassword } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

describe('login()', () => {
  const harness = useHarness();
  const client = { ip: null, userAgent: null };

  /** Returns the context with other settings, and with work before each comparison. */
  function contextWith(
    auth: Partial<Config['auth']>,
    beforeCompare: (hash: string) => unknown = () => undefined,
  ): Context {
    const { config, hasher } = harness.context;
    const compare: Context['hasher']['compare'] = async (password, hash, by) => {
      await beforeCompare(hash);
      return hasher.compare(password, hash, by);
    };
    // Object.create() loses the type of its prototype.
    return Object.create(harness.context, {
      config: { value: { ...config, auth: { ...config.auth, ...auth } } },
      hasher: { value: { ...hasher, compare } },
    }) as Context;
  }

  const costOf = (hash: string) => Number(hash.split('$')[2]);

  it('compares a wrong password at the configured cost, whatever cost the stored hash has', async () => {
    const { config, hasher } = harness.context;
    const cost = config.auth.bcryptCost + 2;
    const compared: number[] = [];
    const context = contextWith({ bcryptCost: cost }, (hash) => compared.push(costOf(hash)));
    const costsOf = async (identifier: string) => {
      compared.length = 0;
      await login(context, { identifier, password: 'a wrong one' }, client).catch(() => undefined);
      return [...compared];
    };
    const cheap = await buildUser(context);
    const invited = await buildUser(context, noPasswordFields(context));
    const usual = await buildUser(context, { passwordHash: await hasher.hash('secret', cost) });
    expect(await costsOf('nobody@example.org')).to.deep.equal([cost]);
    expect(await costsOf(invited.email)).to.deep.equal([cost]);
    expect(await costsOf(usual.email)).to.deep.equal([cost]);
    expect(await costsOf(cheap.email)).to.deep.equal([cost - 2, cost]);
  });

  it('compares once for people who must not use a password, as without an account', async () => {
    const compared: number[] = [];
    const context = contextWith({ passwordLogin: false }, (hash) => compared.push(costOf(hash)));
    const { bcryptCost } = context.config.auth;
    const refused = [
      'nobody@example.org',
      (await buildUser(context, { role: 'trainer' })).email,
      (await buildUser(context, { passwordHash: await context.hasher.hash(factoryPassword, bcryptCost + 2) })).email,
    ];
    for (const identifier of refused) {
      compared.length = 0;
      const failure = await failureOf(() => login(context, { identifier, password: factoryPassword }, client));
      expect(failure.code).to.equal('NO_MATCHING_ACCOUNT');
      expect(compared).to.deep.equal([bcryptCost]);
    }
    const admin = await buildUser(context, { role: 'super_admin' });
    const signedIn = await login(context, { identifier: admin.email, password: factoryPassword }, client);
    expect(signedIn.user.id).to.equal(admin.id);
  });

  it('refuses a super admin whose role is transferred while the password is compared', async () => {
    const admin = await buildUser(harness.context, { role: 'super_admin' });
    const context = contextWith({ passwordLogin: false }, () => admin.update({ role: 'trainer' }));
    const input = { identifier: admin.email, password: factoryPassword };
    expect((await failureOf(() => login(context, input, client))).code).to.equal('NO_MATCHING_ACCOUNT');
  });
});
