import { expect } from 'chai';
import { noPasswordFields } from '../../../src/services/accounts/invite.js';
import { login } from '../../../src/services/auth/login.js';
import type { Context } from '../../../src/services/context.js';
import { buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

describe('login()', () => {
  const harness = useHarness();

  it('compares a wrong password at the configured cost, whatever cost the stored hash has', async () => {
    const { config, hasher } = harness.context;
    const cost = config.auth.bcryptCost + 2;
    const compared: number[] = [];
    const compare: Context['hasher']['compare'] = (password, hash, by) => {
      compared.push(Number(hash.split('$')[2]));
      return hasher.compare(password, hash, by);
    };
    // Object.create() loses the type of its prototype.
    const context = Object.create(harness.context, {
      config: { value: { ...config, auth: { ...config.auth, bcryptCost: cost } } },
      hasher: { value: { ...hasher, compare } },
    }) as Context;
    const costsOf = async (identifier: string) => {
      compared.length = 0;
      const attempt = login(context, { identifier, password: 'a wrong one' }, { ip: null, userAgent: null });
      await attempt.catch(() => undefined);
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
});
