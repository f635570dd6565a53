import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { phoneKey } from '../../../src/schemas/keys.js';
import { findUser, listUsers } from '../../../src/services/accounts/queries.js';
import { phoneState, rekeyPhones } from '../../../src/services/accounts/rekey-phones.js';
import { insertAccount } from '../../../src/services/accounts/rows.js';
import { login } from '../../../src/services/auth/login.js';
import type { Context } from '../../../src/services/context.js';
import { failureOf } from '../../db/support/failure.js';
import { buildUser, factoryPassword, signIn } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

const national = '0151 1234567';
const spellings = ['+49 151 1234567', '0049 151 1234567', national];

/** Resets the country of the shared database. */
const withoutCountry = ({ database }: Context) =>
  database.models.PhoneCountry.update({ country: '' }, { where: { id: 1 } });

describe('The country for phones', () => {
  const harness = useHarness();
  afterEach(() => withoutCountry(harness.context));

  const rekey = (country: string | null, signal?: AbortSignal) => rekeyPhones(harness.context, country, signal);
  const users = () => harness.context.database.models.User.findAll({ order: [['id', 'ASC']] });
  const keys = async () => (await users()).map((user) => user.phoneKey);
  const signInBy = (identifier: string) =>
    harness.api('post', '/api/auth/login').send({ identifier, password: factoryPassword });
  const register = (token: string, phone: string, email: string) => {
    const person = { firstName: 'New', lastName: 'Person', email, phone, password: 'long-enough-password' };
    return harness.api('post', '/api/auth/register', token).send({ ...person, role: 'trainee' });
  };

  /** Asserts that all keys fit the country. @returns the country */
  async function expectConsistent(): Promise<string | null> {
    const { country, misfits } = await phoneState(harness.context);
    expect(misfits).to.equal(0);
    return country;
  }

  it('accepts all spellings of a phone for one account, until the country is set to "none"', async () => {
    const { user, token } = await signIn(harness.context, { phone: national, role: 'super_admin' });
    const { user: other, token: others } = await signIn(harness.context, { phone: '+49 30 1234567' });
    await signInBy('+49 151 1234567').expect(401);
    expect(await rekey('DE')).to.deep.include({ country: 'DE', changed: 1, conflicts: [] });
    for (const spelling of spellings) {
      const { body } = await signInBy(spelling).expect(200);
      expect(body.user).to.include({ id: user.id, phone: national });
      const refused = await register(token, spelling, 'new@x.org').expect(400);
      expect(refused.body.error).to.equal('User with this phone number already exists.');
      await harness.api('put', '/api/auth/profile', others).send({ phone: spelling }).expect(400);
      expect((await findUser(harness.context, spelling)).id).to.equal(user.id);
    }
    await harness.api('put', '/api/auth/profile', others).send({ phone: '030 1234567' }).expect(200);
    expect((await other.reload()).phoneKey).to.equal('+49301234567');
    await expectConsistent();
    expect(await rekey(null)).to.deep.equal({ country: null, changed: 2, conflicts: [], hasMore: false });
    await signInBy('+49 151 1234567').expect(401);
    await signInBy(national).expect(200);
    expect(await keys()).to.deep.equal([national, '030 1234567'].map(phoneKey));
    expect(await expectConsistent()).to.equal(null);
  });

  it('applies a new country immediately on instances that have used the old country', async () => {
    const other = { ...harness.context, database: { ...harness.context.database } };
    const by = (identifier: string) =>
      login(other, { identifier, password: factoryPassword }, { ip: null, userAgent: null });
    await buildUser(harness.context, { phone: national });
    await by(national);
    await rekey('DE');
    await by('0049 151 1234567');
    await rekey('AT');
    expect(await failureOf(() => by('+49 151 1234567'))).to.include({ code: 'NO_MATCHING_ACCOUNT' });
    await by('+43 151 1234567');
  });

  it('counts failed logins with all spellings of a phone together, even without an account', async () => {
    await buildUser(harness.context, { phone: national });
    await rekey('DE');
    for (const number of ['1234567', '7654321']) {
      const tried = Array.from({ length: 10 }, (_, index) => ['+49 151', '0049 151', '0151'][index % 3]);
      for (const start of tried)
        await harness
          .api('post', '/api/auth/login')
          .send({ identifier: `${start} ${number}`, password: 'a wrong guess' });
      for (const start of ['+49 151', '0151']) await signInBy(`${start} ${number}`).expect(429);
    }
  });

  it('finds accounts by the beginning of a phone in national or international form', async () => {
    await buildUser(harness.context, { phone: '+49 151 1234567', email: 'ada@x.org' });
    await rekey('DE');
    for (const search of ['0151 12', '0049 151', '+49 151', '1234567']) {
      const { items } = await listUsers(harness.context, { search });
      expect(
        items.map(({ email }) => email),
        search,
      ).to.deep.equal(['ada@x.org']);
    }
  });

  it('lists accounts whose phones would become equal, and changes nothing', async () => {
    const [ada, ben, eve] = [
      await buildUser(harness.context, { phone: national }),
      await buildUser(harness.context, { phone: '+49 151 1234567' }),
      await buildUser(harness.context, { phone: '0049 151 1234567' }),
    ];
    await buildUser(harness.context, { phone: '030 1234567' });
    const before = await keys();
    const { conflicts, changed } = await rekey('DE');
    expect(changed).to.equal(0);
    expect(conflicts.map(({ key, accounts }) => [key, accounts.map(({ id }) => id)])).to.deep.equal([
      ['+491511234567', [ada.id, ben.id, eve.id]],
    ]);
    expect(await keys()).to.deep.equal(before);
    expect(await expectConsistent()).to.equal(null);
    for (const spelling of spellings) await signInBy(spelling).expect(200);
  });

  it('swaps the phone keys of two accounts', async () => {
    await rekey('US');
    // Both orders: the key of one phone in the United States is the key of the other one in Germany.
    const phones = ['011 49 151 1234567', '0049 151 1234567', '0049 151 7654321', '011 49 151 7654321'];
    for (const phone of phones) await buildUser(harness.context, { phone });
    const [first, , , last] = await keys();
    expect([first, last]).to.deep.equal(['+491511234567', '+491517654321']);
    expect(await rekey('DE')).to.deep.include({ changed: 4, conflicts: [] });
    expect((await keys()).slice(1, 3)).to.deep.equal([first, last]);
    expect(await expectConsistent()).to.equal('DE');
  });

  it('changes nothing when it is interrupted', async () => {
    await buildUser(harness.context, { phone: national });
    const before = await keys();
    expect(await failureOf(() => rekey('DE', AbortSignal.abort()))).to.include({ code: 'INTERRUPTED' });
    expect(await keys()).to.deep.equal(before);
    expect(await expectConsistent()).to.equal(null);
  });

  it('waits for the running creation of an account', async () => {
    await buildUser(harness.context);
    const account = {
      firstName: 'Ada',
      lastName: 'King',
      email: 'ada@x.org',
      phone: national,
      role: 'trainee' as const,
      isActive: true,
      requiresPasswordChange: false,
      initialPasswordExpiresAt: null,
      passwordHash: await harness.context.hasher.hash(factoryPassword, 4),
    };
    const { result } = await harness.context.database.inTransaction(async (transaction) => {
      await insertAccount(harness.context, account, transaction);
      const result = rekey('DE');
      await sleep(300);
      // Wrapped in an object, because the transaction would wait for a promise.
      return { result };
    });
    expect(await result).to.include({ changed: 1 });
    expect(await expectConsistent()).to.equal('DE');
    await signInBy('+49 151 1234567').expect(200);
  });

  it('never lets two accounts share a phone while people register and sign in', async () => {
    const numbers = Array.from({ length: 12 }, (_, index) => String(1_234_500 + index));
    for (const number of numbers) await buildUser(harness.context, { phone: `0151 ${number}` });
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const [outcome, taken, added, logins] = await Promise.all([
      rekey('DE'),
      Promise.all(numbers.map((number, index) => register(token, `+49 151 ${number}`, `new${index}@x.org`))),
      Promise.all(numbers.map((number, index) => register(token, `0152 ${number}`, `fresh${index}@x.org`))),
      Promise.all(numbers.map((number) => signInBy(`0151 ${number}`))),
    ]);
    const country = await expectConsistent();
    const created = taken.filter(({ status }) => status === 201).length;
    expect(country).to.equal(outcome.conflicts.length > 0 ? null : 'DE');
    expect(created > 0, 'a phone was taken').to.equal(outcome.conflicts.length > 0);
    for (const { status } of taken) expect(status).to.be.oneOf([201, 400]);
    for (const { status } of added) expect(status).to.equal(201);
    for (const { status } of logins) expect(status).to.equal(200);
  });

  it('rejects unknown countries', async () => {
    for (const country of ['XX', 'de', '', 'DEU'])
      expect(await failureOf(() => rekey(country)), country).to.include({ code: 'USAGE' });
  });
});
