import { expect } from 'chai';
import type { User } from '../../src/db/models/user.js';
import { buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, expectInvalid, messages, without } from './support/expectations.js';

describe('GET /api/auth/me', () => {
  const harness = useHarness();

  it('answers with the listed fields of the caller', async () => {
    const { user, token } = await signIn(harness.context, { ...without(ada, 'password'), role: 'trainer' });
    const { body } = await harness.api('get', '/api/auth/me', token).expect(200);
    expect(body).to.deep.equal({
      user: { id: user.id, ...without(ada, 'password'), role: 'trainer', avatar: null, lastLogin: null },
    });
  });

  it('shows avatar and lastLogin, the latter in ISO 8601 UTC', async () => {
    const { user, token } = await signIn(harness.context);
    await user.update({ avatar: '/uploads/ada.webp', lastLogin: new Date('2026-02-03T04:05:06.789Z') });
    const { body } = await harness.api('get', '/api/auth/me', token).expect(200);
    expect(body.user).to.include({ avatar: '/uploads/ada.webp', lastLogin: '2026-02-03T04:05:06.789Z' });
  });

  for (const role of ['super_admin', 'trainer', 'trainee'] as const) {
    it(`is open to a ${role}`, async () => {
      const { user, token } = await signIn(harness.context, { role });
      const { body } = await harness.api('get', '/api/auth/me', token).expect(200);
      expect(body.user).to.include({ id: user.id, role });
    });
  }
});

describe('PUT /api/auth/profile', () => {
  const harness = useHarness();
  let token: string;
  let user: User;
  beforeEach(async () => {
    ({ user, token } = await signIn(harness.context, without(ada, 'password')));
  });
  const update = (body: object) => harness.api('put', '/api/auth/profile', token).send(body);

  it('changes names and phone and answers with message and the listed fields of the user', async () => {
    const { body } = await update({ firstName: 'Grace', lastName: 'Hopper', phone: '+1 202 555 0123' }).expect(200);
    expect(body).to.deep.equal({
      message: 'Profile updated successfully.',
      user: {
        id: user.id,
        firstName: 'Grace',
        lastName: 'Hopper',
        email: ada.email,
        role: 'trainee',
        avatar: null,
        phone: '+1 202 555 0123',
      },
    });
    const me = await harness.api('get', '/api/auth/me', token).expect(200);
    expect(me.body.user).to.include({ firstName: 'Grace', lastName: 'Hopper', phone: '+1 202 555 0123' });
  });

  it('leaves absent fields unchanged', async () => {
    const { body } = await update({ lastName: 'Byron' }).expect(200);
    expect(body.user).to.include({ firstName: 'Ada', lastName: 'Byron', phone: ada.phone });
    await update({}).expect(200);
    await harness.api('put', '/api/auth/profile', token).expect(200);
    const me = await harness.api('get', '/api/auth/me', token);
    expect(me.body.user).to.include({ firstName: 'Ada', lastName: 'Byron', phone: ada.phone });
  });

  it('leaves empty fields unchanged', async () => {
    for (const empty of ['', '   ', null]) {
      const { body } = await update({ firstName: empty, lastName: empty, phone: empty }).expect(200);
      expect(body.user).to.include({ firstName: 'Ada', lastName: 'Lovelace', phone: ada.phone });
    }
  });

  it('leaves the phone unchanged for every empty value, of which it takes any', async () => {
    for (const phone of [false, 0, [], {}]) {
      const { body } = await update({ firstName: 'Augusta', phone }).expect(200);
      expect(body.user).to.include({ firstName: 'Augusta', phone: ada.phone });
    }
  });

  it('counts and stores names in NFC', async () => {
    const decomposed = 'e\u0301'.repeat(50);
    const { body } = await update({ firstName: decomposed, lastName: 'Zoe\u0308' }).expect(200);
    expect(body.user).to.include({ firstName: '\u00e9'.repeat(50), lastName: 'Zo\u00eb' });
    for (const firstName of ['e\u0301', 'e\u0301'.repeat(51)])
      expectInvalid(await update({ firstName }), ['firstName']);
  });

  it('takes names of 2 to 50 characters', async () => {
    for (const name of ['A', 'x'.repeat(51)]) {
      expectInvalid(await update({ firstName: name, lastName: name }), ['firstName', 'lastName']);
    }
    await update({ firstName: 'Li', lastName: 'x'.repeat(50) }).expect(200);
  });

  it('changes nothing when a field is invalid', async () => {
    expectInvalid(await update({ firstName: 'Grace', lastName: 'H' }), ['lastName']);
    expect(await user.reload()).to.include({ firstName: 'Ada', lastName: 'Lovelace' });
  });

  it('stores a phone given as a number as its text', async () => {
    const { body } = await update({ phone: 442079460002 }).expect(200);
    expect(body.user.phone).to.equal('442079460002');
    await harness
      .api('post', '/api/auth/login')
      .send({ identifier: '44-2079460002', password: ada.password })
      .expect(401);
    expect(await user.reload()).to.include({ phone: '442079460002', phoneKey: '442079460002' });
  });

  it('takes any phone text as given', async () => {
    for (const phone of ['n/a', 'ext. 42 (mornings)', '☎ 12', '0', '9'.repeat(50)]) {
      const { body } = await update({ phone }).expect(200);
      expect(body.user.phone).to.equal(phone);
    }
  });

  it('refuses a phone that is longer than it can keep, and what is neither text nor number', async () => {
    for (const phone of ['9'.repeat(51), '12\u0007', '1\n2', true, ['1'], { value: '1' }])
      expectInvalid(await update({ phone }), ['phone']);
    const infinite = harness.api('put', '/api/auth/profile', token).set('Content-Type', 'application/json');
    expectInvalid(await infinite.send('{"phone":1e999}'), ['phone']);
    expect((await user.reload()).phone).to.equal(ada.phone);
  });

  it('refuses the phone of another account, in any writing', async () => {
    await buildUser(harness.context, { phone: '+1 (202) 555-0123' });
    await buildUser(harness.context, { phone: '12025550199' });
    for (const phone of ['+1 (202) 555-0123', '+12025550123', 12025550199]) {
      expectFailure(await update({ phone, firstName: 'Grace' }), 400, messages.phoneTaken);
    }
    expect(await user.reload()).to.include({ firstName: 'Ada', phone: ada.phone });
  });

  it("takes the caller's own phone in another writing", async () => {
    const { body } = await update({ phone: '+442079460001' }).expect(200);
    expect(body.user.phone).to.equal('+442079460001');
  });

  it('frees the old phone for others', async () => {
    await update({ phone: '+1 202 555 0123' }).expect(200);
    const other = await signIn(harness.context);
    await harness.api('put', '/api/auth/profile', other.token).send({ phone: ada.phone }).expect(200);
  });

  it('lets the user sign in by the new phone, and no more by the old', async () => {
    const { token: own } = await signIn(harness.context, { phone: '111 222', password: ada.password });
    await harness.api('put', '/api/auth/profile', own).send({ phone: '333 444' }).expect(200);
    const login = (identifier: string) =>
      harness.api('post', '/api/auth/login').send({ identifier, password: ada.password });
    await login('333444').expect(200);
    expectFailure(await login('111222'), 401, messages.noMatch);
  });

  it('changes neither email nor role, nor anything else', async () => {
    const attempt = {
      email: 'new@example.org',
      role: 'super_admin',
      isActive: false,
      id: 'mine',
      avatar: 'x',
      password: 'new password',
    };
    const { passwordHash } = user;
    const { body } = await update(attempt).expect(200);
    expect(body.user).to.include({ id: user.id, email: ada.email, role: 'trainee', avatar: null });
    const stored = await user.reload();
    expect(stored).to.include({ email: ada.email, role: 'trainee', isActive: true, avatar: null });
    expect(stored.passwordHash).to.equal(passwordHash);
  });

  it('finds the user by the new name in searches', async () => {
    await update({ firstName: 'Grace' }).expect(200);
    expect((await user.reload()).searchKey)
      .to.include('grace')
      .and.not.to.include('ada lovelace');
  });
});
