import { expect } from 'chai';
import { buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, expectInvalid, messages, without } from './support/expectations.js';

const newTrainee = { ...ada, role: 'trainee' };

describe('POST /api/auth/register', () => {
  const harness = useHarness();
  let token: string;
  beforeEach(async () => {
    ({ token } = await signIn(harness.context, { role: 'super_admin' }));
  });
  const register = (body: object, as = token) => harness.api('post', '/api/auth/register', as).send(body);
  const accounts = () => harness.context.database.models.User.count({ where: { email: ada.email } });

  it('creates the account and answers 201 with message and the listed fields of the user', async () => {
    const { body } = await register(newTrainee).expect(201);
    expect(body).to.have.all.keys('message', 'user');
    expect(body.message).to.equal('User created successfully.');
    const { id, ...user } = body.user;
    expect(id).to.be.a('string').that.is.not.empty;
    expect(user).to.deep.equal({ ...without(ada, 'password'), role: 'trainee', isActive: true });
  });

  for (const role of ['trainer', 'trainee']) {
    it(`creates a ${role} who can sign in`, async () => {
      const { body } = await register({ ...ada, role }).expect(201);
      expect(body.user.role).to.equal(role);
      const login = await harness
        .api('post', '/api/auth/login')
        .send({ identifier: ada.phone, password: ada.password })
        .expect(200);
      expect(login.body.user).to.include({ id: body.user.id, role, requiresPasswordChange: false });
    });
  }

  it('sets isActive to the value supplied', async () => {
    for (const isActive of [true, false]) {
      const given = { ...newTrainee, email: `${isActive}@example.org`, phone: `${isActive}`, isActive };
      const { body } = await register(given).expect(201);
      expect(body.user.isActive).to.equal(isActive);
      const login = harness.api('post', '/api/auth/login').send({ identifier: given.email, password: ada.password });
      await login.expect(isActive ? 200 : 401);
    }
  });

  it('normalises the email and keeps the phone as given', async () => {
    const { body } = await register({ ...newTrainee, email: ' Ada@EXAMPLE.org ', phone: ' (1) 2-3.4 ' }).expect(201);
    expect(body.user).to.include({ email: 'ada@example.org', phone: '(1) 2-3.4' });
  });

  it('ignores unknown keys', async () => {
    const surplus = {
      id: 'mine',
      avatar: 'x',
      passwordHash: 'x',
      lastLogin: '2001-01-01',
    };
    const { body } = await register({ ...newTrainee, ...surplus }).expect(201);
    const stored = await harness.context.database.models.User.findByPk(body.user.id);
    expect(stored).to.include({ avatar: null, lastLogin: null });
  });

  it('names every invalid field', async () => {
    expectInvalid(await register({}), ['firstName', 'lastName', 'email', 'password', 'role', 'phone']);
    const all = { firstName: 'A', lastName: 'x'.repeat(51), email: 'a@b', password: '12345', role: 'admin', phone: '' };
    expectInvalid(await register({ ...all, isActive: 1 }), [...Object.keys(all), 'isActive']);
  });

  it('requires each field but isActive', async () => {
    for (const field of Object.keys(newTrainee) as (keyof typeof newTrainee)[]) {
      expectInvalid(await register(without(newTrainee, field)), [field]);
    }
  });

  it('takes one of the three roles only', async () => {
    for (const role of ['', 'Trainee', 'admin', ' trainee', 'super_admin,trainee', ['trainee'], null]) {
      expectInvalid(await register({ ...ada, role }), ['role']);
    }
  });

  for (const field of ['isActive', 'requiresPasswordChange'])
    it(`validates ${field} as a boolean`, async () => {
      for (const value of ['true', 1, null, []])
        expectInvalid(await register({ ...newTrainee, [field]: value }), [field]);
    });

  it('makes the password an initial one with requiresPasswordChange, and answers as without', async () => {
    const { body } = await register({ ...newTrainee, requiresPasswordChange: true }).expect(201);
    expect(body.user).to.have.all.keys('id', 'firstName', 'lastName', 'email', 'role', 'phone', 'isActive');
    const credentials = { identifier: ada.email, password: ada.password };
    const login = await harness.api('post', '/api/auth/login').send(credentials).expect(200);
    expect(login.body.user.requiresPasswordChange).to.equal(true);
    harness.advance(harness.context.config.auth.initialPasswordDays * 86_400_000);
    expectFailure(await harness.api('post', '/api/auth/login').send(credentials), 401, messages.wrongPassword);
  });

  it('needs no change of the password otherwise', async () => {
    const { body } = await register({ ...newTrainee, requiresPasswordChange: false }).expect(201);
    const stored = await harness.context.database.models.User.findByPk(body.user.id);
    expect(stored).to.include({ requiresPasswordChange: false, initialPasswordExpiresAt: null });
  });

  it('never repeats what was sent', async () => {
    const sent = {
      firstName: 'Q',
      lastName: 'Z'.repeat(60),
      email: 'canary-email',
      password: 'kanar',
      phone: ' ',
      role: 'canary-role',
    };
    const response = await register(sent);
    expectInvalid(response, Object.keys(sent));
    for (const value of [sent.lastName, sent.email, sent.password, sent.role])
      expect(response.text).not.to.include(value);
  });

  it('refuses an email that is used, in any writing', async () => {
    await buildUser(harness.context, { email: ada.email });
    for (const email of [ada.email, 'ADA@example.org', ' ada@example.org ', 'ａｄａ@example.org']) {
      expectFailure(await register({ ...newTrainee, email }), 400, messages.emailTaken);
    }
    expect(await accounts()).to.equal(1);
  });

  it("refuses an inactive account's email as well", async () => {
    await buildUser(harness.context, { email: ada.email, isActive: false });
    expectFailure(await register(newTrainee), 400, messages.emailTaken);
  });

  it('refuses a second super admin', async () => {
    expectFailure(await register({ ...ada, role: 'super_admin' }), 400, messages.superAdminExists);
    expect(await accounts()).to.equal(0);
  });

  it('refuses a phone that is used, in any writing', async () => {
    await buildUser(harness.context, { phone: ada.phone });
    for (const phone of [ada.phone, '+442079460001', '+44 20 7946 0001']) {
      expectFailure(await register({ ...newTrainee, phone }), 400, messages.phoneTaken);
    }
  });

  it('looks at the email first, then at the super admin, then at the phone', async () => {
    await buildUser(harness.context, { email: 'taken@example.org', phone: ada.phone });
    const superAdmin = { ...ada, role: 'super_admin' };
    expectFailure(await register({ ...superAdmin, email: 'taken@example.org' }), 400, messages.emailTaken);
    expectFailure(await register(superAdmin), 400, messages.superAdminExists);
    expectFailure(await register(newTrainee), 400, messages.phoneTaken);
  });

  it('validates before it looks for other accounts', async () => {
    await buildUser(harness.context, { email: ada.email, phone: ada.phone });
    expectInvalid(await register({ ...ada, role: 'super_admin', firstName: '' }), ['firstName']);
  });

  it('takes an email and a phone that differ from those used', async () => {
    await buildUser(harness.context, { email: 'ada+1@example.org', phone: '+442079460002' });
    await register(newTrainee).expect(201);
  });

  for (const role of ['trainer', 'trainee'] as const) {
    it(`is refused to a ${role}, before any validation`, async () => {
      const caller = await signIn(harness.context, { role });
      for (const body of [newTrainee, {}]) {
        expectFailure(await register(body, caller.token), 403, 'Access denied. Super admin role required.');
      }
      expect(await accounts()).to.equal(0);
    });
  }

  it('needs a token', async () => {
    expectFailure(await harness.api('post', '/api/auth/register').send(newTrainee), 401, messages.noToken);
  });

  it('records who created the account, without the password', async () => {
    const { body } = await register(newTrainee).expect(201);
    const entries = await harness.context.database.models.AuditEntry.findAll();
    expect(entries).to.have.length(1);
    expect(entries[0]).to.include({ action: 'user.register', targetId: body.user.id, origin: 'http' });
    expect(entries[0]?.actorId).to.be.a('string');
    expect(JSON.stringify(entries))
      .not.to.include(ada.password)
      .and.not.to.match(/\$2[aby]\$/);
  });
});
