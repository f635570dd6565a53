import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { AppError } from '../../../src/errors.js';
import { phoneKey } from '../../../src/schemas/keys.js';
import { phoneKeysOf } from '../../../src/schemas/phone-keys.js';
import { updateProfile } from '../../../src/services/accounts/profile.js';
import { findUser, listUsers } from '../../../src/services/accounts/queries.js';
import { phoneState, rekeyPhones } from '../../../src/services/accounts/rekey-phones.js';
import { insertAccount } from '../../../src/services/accounts/store.js';
import { login } from '../../../src/services/auth/login.js';
import type { Context } from '../../../src/services/context.js';
import { failureOf } from '../../db/support/failure.js';
import { buildTrainees, buildUser, factoryPassword, signIn, tokenFor } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { beforeTransactions } from '../../support/transactions.js';

/** What a killed process is for the database: nothing follows. */
const killed = new AppError('OVERLOADED', 'The process was killed.');

const national = '0151 1234567';
const spellings = ['+49 151 1234567', '0049 151 1234567', national];

/** Leaves the database as it was. */
const withoutCountry = ({ database }: Context) =>
  database.models.PhoneCountry.update({ country: '', nextCountry: null }, { where: { id: 1 } });

describe('The country for phones', () => {
  const harness = useHarness();
  afterEach(() => withoutCountry(harness.context));

  const rekey = (country: string | null, options = {}) => rekeyPhones(harness.context, country, options);
  const users = () => harness.context.database.models.User.findAll({ order: [['id', 'ASC']] });
  const keys = async () => (await users()).map((user) => user.phoneKey);
  const signInBy = (identifier: string) =>
    harness.api('post', '/api/auth/login').send({ identifier, password: factoryPassword });
  const register = (token: string, phone: string, email: string) => {
    const person = { firstName: 'New', lastName: 'Person', email, phone, password: 'long-enough-password' };
    return harness.api('post', '/api/auth/register', token).send({ ...person, role: 'trainee' });
  };

  /** All keys fit the country, and no other keys are left. */
  async function expectConsistent(): Promise<string | null> {
    const { country, misfits, interrupted } = await phoneState(harness.context);
    expect({ misfits, interrupted }).to.deep.equal({ misfits: 0, interrupted: undefined });
    expect((await users()).filter(({ nextPhoneKey }) => nextPhoneKey !== null)).to.deep.equal([]);
    return country;
  }

  it('signs in by all spellings of a phone, which no other account can have, and not after "none"', async () => {
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

  it('signs in through another instance that has seen another country last', async () => {
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

  it('counts failed logins of all spellings together, with an account and without', async () => {
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

  it('finds accounts by the beginning of a phone as it is written in the country', async () => {
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

  it('lists accounts that would have the same phone, and changes nothing', async () => {
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

  it('goes on after a fault between two batches, whose logins nobody notices', async () => {
    await buildTrainees(harness.context, 2500);
    await buildUser(harness.context, { phone: national });
    let taken = 0;
    // Taking the lease and beginning are the first two.
    const faulty = beforeTransactions(harness.context, (number) => {
      if (number === 4) throw killed;
    });
    expect(await failureOf(() => rekeyPhones(faulty, 'DE'))).to.equal(killed);
    const made = (await users()).filter(({ nextPhoneKey }) => nextPhoneKey !== null);
    expect(made).to.have.lengthOf(1000);
    expect(await phoneState(harness.context)).to.deep.include({
      country: null,
      misfits: 0,
      interrupted: { country: 'DE' },
    });
    await signInBy(national).expect(200);
    await signInBy('+49 151 1234567').expect(401);
    // One of them gets another phone: the key that was made is that of the former phone.
    const [changed] = made;
    if (!changed) throw new Error('No account was reached.');
    const caller = await signInAs(changed.id);
    await updateProfile(harness.context, caller, { phone: '0151 7654321' });
    expect((await rekey('DE', { onBatch: (accounts: number) => (taken = accounts) })).changed).to.equal(2);
    expect(taken).to.equal(1502);
    expect(await expectConsistent()).to.equal('DE');
    expect((await changed.reload()).phoneKey).to.equal('+491517654321');
    await signInBy('+49 151 1234567').expect(200);
  });

  async function signInAs(id: string) {
    const { User, Session } = harness.context.database.models;
    const user = await User.findByPk(id, { rejectOnEmpty: true });
    await tokenFor(harness.context, user);
    const session = await Session.findOne({ where: { userId: id }, rejectOnEmpty: true });
    return { user, sessionId: session.id, sessionExpiresAt: session.expiresAt, ip: null, userAgent: null };
  }

  it('begins anew with another country after an interrupted change', async () => {
    await buildUser(harness.context, { phone: national });
    for (const instead of ['AT', null]) {
      const faulty = beforeTransactions(harness.context, (number) => {
        if (number === 5) throw killed;
      });
      await failureOf(() => rekeyPhones(faulty, 'DE'));
      await rekey(instead);
      expect(await expectConsistent()).to.equal(instead);
      expect(await keys()).to.deep.equal([(await phoneKeysOf(instead ?? '')).keyOf(national)]);
    }
  });

  it('stops between two batches when it is told to', async () => {
    await buildTrainees(harness.context, 1500);
    const stopping = new AbortController();
    const failure = await failureOf(() => rekey('DE', { signal: stopping.signal, onBatch: () => stopping.abort() }));
    expect(failure).to.include({ code: 'INTERRUPTED' });
  });

  it('runs once at a time', async () => {
    await buildUser(harness.context, { phone: national });
    let other: Error | undefined;
    const meanwhile = beforeTransactions(harness.context, async (number) => {
      if (number === 3) other = await failureOf(() => rekey('AT'));
    });
    await rekeyPhones(meanwhile, 'DE');
    expect(other).to.include({ code: 'PHONES_BEING_REKEYED' });
    expect(await expectConsistent()).to.equal('DE');
  });

  it('finds the phone that somebody takes meanwhile, and changes nothing', async () => {
    const { token } = await signIn(harness.context, { phone: national, role: 'super_admin' });
    let status = 0;
    // When all have their next keys, before those are used.
    const late = beforeTransactions(harness.context, async (number) => {
      if (number !== 5) return;
      ({ status } = await register(token, '+49 151 1234567', 'new@x.org'));
    });
    const { conflicts } = await rekeyPhones(late, 'DE');
    expect(status).to.equal(201);
    expect(conflicts.map(({ accounts }) => accounts.map(({ phone }) => phone))).to.deep.equal([
      [national, '+49 151 1234567'],
    ]);
    expect(await expectConsistent()).to.equal(null);
  });

  it('waits for an account whose creation has begun', async () => {
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
      // In an object: the transaction would wait for it.
      return { result };
    });
    expect(await result).to.include({ changed: 1 });
    expect(await expectConsistent()).to.equal('DE');
    await signInBy('+49 151 1234567').expect(200);
  });

  it('overlaps registrations and logins without two accounts that share a phone', async () => {
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

  it('refuses what is no country', async () => {
    for (const country of ['XX', 'de', '', 'DEU'])
      expect(await failureOf(() => rekey(country)), country).to.include({ code: 'USAGE' });
  });
});
