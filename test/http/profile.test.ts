import { expect } from 'chai';
import type { User } from '../../src/db/models/user.js';
import { buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, expectInvalid, without } from './support/expectations.js';

const person = without(ada, 'password');

describe('GET /api/auth/me', () => {
  const harness = useHarness();

  it('returns the listed fields of the caller for every role, with times in ISO 8601 UTC', async () => {
    for (const role of ['super_admin', 'trainer', 'trainee'] as const) {
      const { user, token } = await signIn(harness.context, { ...person, role });
      const shown = async () => (await harness.api('get', '/api/auth/me', token).expect(200)).body;
      const fields = { id: user.id, ...person, role };
      expect(await shown()).to.deep.equal({ user: { ...fields, avatar: null, lastLogin: null } });
      const avatar = '/uploads/ada.webp';
      await user.update({ avatar, lastLogin: new Date('2026-02-03T04:05:06.789Z') });
      expect(await shown()).to.deep.equal({ user: { ...fields, avatar, lastLogin: '2026-02-03T04:05:06.789Z' } });
      await user.destroy();
    }
  });
});

describe('PUT /api/auth/profile', () => {
  const harness = useHarness();
  let token: string;
  let user: User;
  beforeEach(async () => {
    ({ user, token } = await signIn(harness.context, person));
  });
  const update = (body: object) => harness.api('put', '/api/auth/profile', token).send(body);
  const kept = async () => {
    const { firstName, lastName, email, phone } = await user.reload();
    return { firstName, lastName, email, phone };
  };

  it('changes names and phone and nothing else, and returns the message and the listed fields of the user', async () => {
    const { passwordHash } = user;
    const changed = { firstName: 'Grace', lastName: 'Hopper', phone: '+1 202 555 0123' };
    const fixed = { email: 'new@example.org', role: 'super_admin', isActive: false, id: 'mine', avatar: 'x' };
    const { body } = await update({ ...changed, ...fixed, password: 'new password' }).expect(200);
    const fields = { ...changed, id: user.id, email: ada.email, role: 'trainee', avatar: null };
    expect(body).to.deep.equal({ message: 'Profile updated successfully.', user: fields });
    expect(await user.reload()).to.include({ ...fields, isActive: true, passwordHash });
    expect(user.searchKey).to.include('grace').and.not.to.include('ada lovelace');
  });

  it('does not change absent and empty fields, including the phone, and changes nothing if a field is invalid', async () => {
    const { body } = await update({ lastName: 'Byron' }).expect(200);
    expect(body.user).to.include({ ...person, lastName: 'Byron' });
    for (const empty of ['', '   ', null])
      await update({ firstName: empty, lastName: empty, phone: empty }).expect(200);
    for (const phone of [false, 0, [], {}]) await update({ phone }).expect(200);
    await harness.api('put', '/api/auth/profile', token).expect(200);
    expectInvalid(await update({ firstName: 'Grace', lastName: 'H' }), ['lastName']);
    expect(await kept()).to.deep.equal({ ...person, lastName: 'Byron' });
  });

  it('stores any phone text unchanged, and a number as text, but refuses texts that are too long', async () => {
    for (const phone of ['n/a', 'ext. 42 (mornings)', '☎ 12', '0', '9'.repeat(50), '+442079460001', 442079460002])
      expect((await update({ phone }).expect(200)).body.user.phone).to.equal(String(phone));
    expect((await user.reload()).phoneKey).to.equal('442079460002');
    for (const phone of ['9'.repeat(51), '12\u0007', '1\n2', true, ['1'], { value: '1' }])
      expectInvalid(await update({ phone }), ['phone']);
    const infinite = harness.api('put', '/api/auth/profile', token).set('Content-Type', 'application/json');
    expectInvalid(await infinite.send('{"phone":1e999}'), ['phone']);
  });

  it('refuses the phone of another account, in any notation', async () => {
    await buildUser(harness.context, { phone: '+1 (202) 555-0123' });
    await buildUser(harness.context, { phone: '12025550199' });
    for (const phone of ['+1 (202) 555-0123', '+12025550123', 12025550199])
      expectFailure(await update({ phone, firstName: 'Grace' }), 'PHONE_TAKEN');
    expect(await kept()).to.deep.equal(person);
  });

  it('releases the old phone for others; the user signs in by the new phone only', async () => {
    const login = (identifier: string) =>
      harness.api('post', '/api/auth/login').send({ identifier, password: ada.password });
    await user.update({ passwordHash: await harness.context.hasher.hash(ada.password, 4) });
    await update({ phone: '333 444' }).expect(200);
    await login('333444').expect(200);
    expectFailure(await login(ada.phone), 'NO_MATCHING_ACCOUNT');
    const other = await signIn(harness.context);
    await harness.api('put', '/api/auth/profile', other.token).send({ phone: ada.phone }).expect(200);
  });
});
