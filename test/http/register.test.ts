import { expect } from 'chai';
import { buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, expectInvalid, without } from './support/expectations.js';

const newTrainee = { ...ada, role: 'trainee' };

describe('POST /api/auth/register', () => {
  const harness = useHarness();
  let token: string;
  beforeEach(async () => {
    ({ token } = await signIn(harness.context, { role: 'super_admin' }));
  });
  const register = (body: object, as = token) => harness.api('post', '/api/auth/register', as).send(body);
  const login = (identifier = ada.email) =>
    harness.api('post', '/api/auth/login').send({ identifier, password: ada.password });
  const models = () => harness.context.database.models;

  it('creates the account with the listed fields, and records the actor, without the password', async () => {
    const surplus = { id: 'mine', avatar: 'x', passwordHash: 'x', lastLogin: '2001-01-01' };
    const { body } = await register({ ...newTrainee, ...surplus }).expect(201);
    expect(body).to.have.all.keys('message', 'user');
    expect(body.message).to.equal('User created successfully.');
    const { id, ...user } = body.user;
    expect(id).to.be.a('string').that.is.not.equal('mine');
    expect(user).to.deep.equal({ ...without(ada, 'password'), role: 'trainee', isActive: true });
    const nothing = { avatar: null, lastLogin: null, initialPasswordExpiresAt: null, requiresPasswordChange: false };
    expect(await models().User.findByPk(id)).to.include(nothing);
    const [entry, ...others] = await models().AuditEntry.findAll();
    expect(others).to.deep.equal([]);
    expect(entry).to.include({ action: 'user.register', targetId: id, origin: 'http' });
    expect(entry?.actorId).to.be.a('string');
    expect(JSON.stringify(entry)).not.to.match(new RegExp(`\\$2[aby]\\$|${ada.password}`));
  });

  it('creates trainers and trainees, active or not, who can sign in', async () => {
    for (const [role, isActive] of [
      ['trainer', undefined],
      ['trainee', true],
      ['trainee', false],
    ] as const) {
      const given = { ...ada, role, email: `${role}.${isActive}@example.org`, phone: `+1 ${role} ${isActive}` };
      const { user } = (await register({ ...given, ...(isActive !== undefined && { isActive }) }).expect(201)).body;
      expect(user).to.include({ role, isActive: isActive ?? true });
      const signedIn = await login(given.phone);
      expect(signedIn.status).to.equal(isActive === false ? 401 : 200);
      if (isActive !== false) expect(signedIn.body.user).to.include({ id: user.id, requiresPasswordChange: false });
    }
  });

  it('normalises the email and leaves the phone unchanged', async () => {
    const { body } = await register({ ...newTrainee, email: ' Ada@EXAMPLE.org ', phone: ' (1) 2-3.4 ' }).expect(201);
    expect(body.user).to.include({ email: 'ada@example.org', phone: '(1) 2-3.4' });
  });

  it('names every invalid field, and requires every field except isActive', async () => {
    expectInvalid(await register({}), ['firstName', 'lastName', 'email', 'password', 'role', 'phone']);
    for (const field of Object.keys(newTrainee) as (keyof typeof newTrainee)[])
      expectInvalid(await register(without(newTrainee, field)), [field]);
    const texts = { lastName: 'Z'.repeat(60), email: 'canary-email', password: 'kanar', role: 'canary-role' };
    const sent = { ...texts, firstName: 'Q', phone: ' ', isActive: 1, requiresPasswordChange: null };
    const response = await register(sent);
    expectInvalid(response, Object.keys(sent));
    for (const value of Object.values(texts)) expect(response.text).not.to.include(value);
    for (const role of ['', 'Trainee', 'admin', ' trainee', 'super_admin,trainee'])
      expectInvalid(await register({ ...ada, role }), ['role']);
  });

  it('makes the password an initial one with requiresPasswordChange, with the same response', async () => {
    const { body } = await register({ ...newTrainee, requiresPasswordChange: true }).expect(201);
    expect(body.user).to.have.all.keys('id', 'firstName', 'lastName', 'email', 'role', 'phone', 'isActive');
    expect((await login().expect(200)).body.user.requiresPasswordChange).to.equal(true);
    harness.advance(harness.context.config.auth.initialPasswordDays * 86_400_000);
    expectFailure(await login(), 'WRONG_PASSWORD');
  });

  it('refuses an email or phone in use, in any notation, also by inactive accounts', async () => {
    await buildUser(harness.context, { email: ada.email, phone: '1', isActive: false });
    await buildUser(harness.context, { email: 'taken@example.org', phone: ada.phone });
    for (const email of [ada.email, 'ADA@example.org', ' ada@example.org ', 'ａｄａ@example.org'])
      expectFailure(await register({ ...newTrainee, email, phone: '2' }), 'EMAIL_TAKEN');
    for (const phone of [ada.phone, '+442079460001', '+44 20 7946 0001'])
      expectFailure(await register({ ...newTrainee, email: 'ada+1@example.org', phone }), 'PHONE_TAKEN');
    await register({ ...newTrainee, email: 'ada+1@example.org', phone: '+442079460002' }).expect(201);
  });

  it('checks the input first, then the email, the super admin and the phone', async () => {
    await buildUser(harness.context, { email: 'taken@example.org', phone: ada.phone });
    const superAdmin = { ...ada, role: 'super_admin', email: 'taken@example.org' };
    expectInvalid(await register({ ...superAdmin, firstName: '' }), ['firstName']);
    expectFailure(await register(superAdmin), 'EMAIL_TAKEN');
    expectFailure(await register({ ...superAdmin, email: ada.email }), 'SUPER_ADMIN_EXISTS');
    expectFailure(await register(newTrainee), 'PHONE_TAKEN');
    expect(await models().User.count({ where: { email: ada.email } })).to.equal(0);
  });
});
