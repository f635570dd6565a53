import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectFailure } from './support/expectations.js';

const trainers = ['trainer1@example.com', 'trainer2@example.com', 'trainer3@example.com'];
const loaded = { status: 'loaded', accounts: trainers, password: 'demo-password' };
const withoutAccounts = { accounts: [], password: null };

describe('The demo programme', () => {
  const harness = useHarness();
  const show = async (token: string) => (await harness.api('get', '/api/demo', token).expect(200)).body.demo;
  const load = (token: string) => harness.api('post', '/api/demo', token);
  const accounts = () => harness.context.database.models.User.count();

  it('is loaded only once, into a database with only the super admin, and returns how to log in', async () => {
    const { token, user } = await signIn(harness.context, { role: 'super_admin', email: 'admin@example.com' });
    expect(await show(token)).to.deep.equal({ status: 'available', ...withoutAccounts });
    for (const { status, body } of [...(await Promise.all([load(token), load(token), load(token)])), await load(token)])
      expect({ status, body }).to.deep.equal({
        status: 201,
        body: { message: 'Demo programme loaded.', demo: loaded },
      });
    expect(await show(token)).to.deep.equal(loaded);
    expect(await accounts()).to.equal(204);
    for (const identifier of [...trainers, 'olivia.bennett@example.com'])
      await harness.api('post', '/api/auth/login').send({ identifier, password: loaded.password }).expect(200);
    const { body } = await harness.api('get', '/api/audit?action=demo.load', token).expect(200);
    expect(body.entries).to.have.length(1);
    expect(body.entries[0]).to.include({ actorId: user.id, origin: 'http', targetType: 'user', targetId: user.id });
  });

  it('is refused if other accounts exist, and changes nothing', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    await buildUser(harness.context);
    expect(await show(token)).to.deep.equal({ status: 'unavailable', ...withoutAccounts });
    expectFailure(await load(token), 'DATABASE_NOT_EMPTY');
    expect(await accounts()).to.equal(2);
  });

  const taken = { email: 'trainer1@example.com', phone: '+44 7700 900110' };
  for (const field of ['email', 'phone'] as const)
    it(`is refused while the super admin has the ${field} of a demo account, and changes nothing`, async () => {
      const { token, user } = await signIn(harness.context, { role: 'super_admin', [field]: taken[field] });
      expectFailure(
        await load(token),
        'DATABASE_NOT_EMPTY',
        'An account has the email or phone number of a demo account: change it, then load the demo programme again.',
      );
      expect(await accounts()).to.equal(1);
      const change = { firstName: 'Ada', [field]: field === 'email' ? 'ada@example.org' : '+44 20 7946 0001' };
      await harness.api('put', `/api/users/${user.id}`, token).send(change).expect(200);
      await load(token).expect(201);
    });
});

describe('The demo programme in production', () => {
  const harness = useHarness({ NODE_ENV: 'production', BCRYPT_COST: '12', JWT_SECRET: 'R4nd0m'.repeat(8) });

  it('is refused, because its password is public', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { body } = await harness.api('get', '/api/demo', token).expect(200);
    expect(body.demo).to.deep.equal({ status: 'unavailable', ...withoutAccounts });
    expectFailure(await harness.api('post', '/api/demo', token), 'SEED_REFUSED');
    expect(await harness.context.database.models.User.count()).to.equal(1);
  });
});

describe('The example of an import', () => {
  const harness = useHarness();

  it('is the file of the package', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { text, headers } = await harness.api('get', '/api/imports/example.csv', token).expect(200);
    expect(text).to.equal(readFileSync(new URL('../../examples/trainees.csv', import.meta.url), 'utf8'));
    expect(headers['content-disposition']).to.include('trainees.csv');
  });
});
