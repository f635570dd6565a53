import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, expectInvalid, messages, without } from './support/expectations.js';

describe('GET /api/auth/setup-status', () => {
  const harness = useHarness();

  it('says that setup is required while there is no super admin', async () => {
    const response = await harness.api('get', '/api/auth/setup-status').expect(200);
    expect(response.body).to.deep.equal({ setupRequired: true, superAdminCount: 0 });
  });

  it('says that setup is not required once there is a super admin', async () => {
    await buildUser(harness.context, { role: 'super_admin' });
    const response = await harness.api('get', '/api/auth/setup-status').expect(200);
    expect(response.body).to.deep.equal({ setupRequired: false, superAdminCount: 1 });
  });

  it('counts super admins only', async () => {
    await buildUser(harness.context, { role: 'trainer' });
    await buildUser(harness.context, { role: 'trainee' });
    const response = await harness.api('get', '/api/auth/setup-status').expect(200);
    expect(response.body).to.deep.equal({ setupRequired: true, superAdminCount: 0 });
  });
});

describe('POST /api/auth/setup', () => {
  const harness = useHarness();
  const setup = (body: object) => harness.api('post', '/api/auth/setup').send(body);

  it('creates the super admin and answers 201 with message, token and the listed fields of the user', async () => {
    const response = await setup(ada).expect(201);
    expect(response.body).to.have.all.keys('message', 'token', 'user');
    expect(response.body.message).to.be.a('string').that.is.not.empty;
    const { id, ...user } = response.body.user;
    expect(id).to.be.a('string').that.is.not.empty;
    expect(user).to.deep.equal({ ...without(ada, 'password'), role: 'super_admin' });
  });

  it('gives a token that signs the super admin in', async () => {
    const { body } = await setup(ada).expect(201);
    const me = await harness.api('get', '/api/auth/me', body.token).expect(200);
    expect(me.body.user.id).to.equal(body.user.id);
  });

  it('completes the setup', async () => {
    await setup(ada).expect(201);
    const response = await harness.api('get', '/api/auth/setup-status').expect(200);
    expect(response.body).to.deep.equal({ setupRequired: false, superAdminCount: 1 });
  });

  it('stores the password as a hash and never answers with it', async () => {
    const response = await setup(ada).expect(201);
    const [stored] = await harness.context.database.models.User.findAll();
    expect(stored?.passwordHash).to.match(/^\$2[aby]\$/);
    expect(JSON.stringify(stored)).not.to.include(ada.password);
    expect(response.text).not.to.include(ada.password).and.not.to.include(stored?.passwordHash);
  });

  it('creates an active account whatever isActive says', async () => {
    await setup({ ...ada, isActive: false }).expect(201);
    const [stored] = await harness.context.database.models.User.findAll();
    expect(stored?.isActive).to.equal(true);
    await harness.api('post', '/api/auth/login').send({ identifier: ada.email, password: ada.password }).expect(200);
  });

  it('validates isActive as a boolean', async () => {
    for (const isActive of ['false', 'true', 0, 1, null, [], {}]) {
      expectInvalid(await setup({ ...ada, isActive }), ['isActive']);
    }
    await setup({ ...ada, isActive: true }).expect(201);
  });

  it('ignores a role and other unknown keys', async () => {
    const { body } = await setup({ ...ada, role: 'trainee', id: 'mine', requiresPasswordChange: true }).expect(201);
    expect(body.user).to.include({ role: 'super_admin' });
    expect(body.user.id).not.to.equal('mine');
    const login = await harness.api('post', '/api/auth/login').send({ identifier: ada.email, password: ada.password });
    expect(login.body.user.requiresPasswordChange).to.equal(false);
  });

  it('needs no token, and ignores one', async () => {
    await harness.api('post', '/api/auth/setup', 'not-a-token').send(ada).expect(201);
  });

  it('names every invalid field', async () => {
    expectInvalid(await setup({}), ['firstName', 'lastName', 'email', 'password', 'phone']);
    const all = { firstName: 'A', lastName: '', email: 'nobody', password: '12345', phone: ' ', isActive: 'yes' };
    expectInvalid(await setup(all), ['firstName', 'lastName', 'email', 'password', 'phone', 'isActive']);
  });

  it('requires each field but isActive', async () => {
    for (const field of Object.keys(ada) as (keyof typeof ada)[]) {
      expectInvalid(await setup(without(ada, field)), [field]);
    }
  });

  it('takes names of 2 to 50 characters, counted as people do', async () => {
    for (const name of ['A', ' A ', 'x'.repeat(51), '😀'.repeat(51)]) {
      expectInvalid(await setup({ ...ada, firstName: name }), ['firstName']);
      expectInvalid(await setup({ ...ada, lastName: name }), ['lastName']);
    }
    const { body } = await setup({ ...ada, firstName: '😀'.repeat(50), lastName: 'Li' }).expect(201);
    expect(body.user).to.include({ firstName: '😀'.repeat(50), lastName: 'Li' });
  });

  it('takes a valid email address only, and normalises it', async () => {
    for (const email of ['ada', 'ada@', '@example.org', 'ada@example', 'a da@example.org', 'ada@example.org,b@c.de']) {
      expectInvalid(await setup({ ...ada, email }), ['email']);
    }
    const { body } = await setup({ ...ada, email: '  ＡDA@Example.ORG ' }).expect(201);
    expect(body.user.email).to.equal('ada@example.org');
  });

  it('takes any phone that is not empty, trimmed and otherwise as given', async () => {
    for (const phone of ['', '   ']) expectInvalid(await setup({ ...ada, phone }), ['phone']);
    const { body } = await setup({ ...ada, phone: '  (020) 79.46-00 01 ' }).expect(201);
    expect(body.user.phone).to.equal('(020) 79.46-00 01');
  });

  it('refuses once a super admin exists, before any validation', async () => {
    await buildUser(harness.context, { role: 'super_admin' });
    for (const body of [ada, {}, { email: 7 }, []]) expectFailure(await setup(body), 400, messages.setupCompleted);
    expectFailure(await harness.api('post', '/api/auth/setup'), 400, messages.setupCompleted);
    expect(await harness.context.database.models.User.count()).to.equal(1);
  });

  it('refuses once a super admin exists whatever the body is, and until then a body that is no JSON', async () => {
    const bodies = [
      { refused: 415, type: 'application/x-www-form-urlencoded', body: 'email=ada' },
      { refused: 415, type: 'text/plain', body: 'ada' },
      { refused: 400, type: 'application/json', body: '{' },
      { refused: 413, type: 'application/json', body: JSON.stringify({ firstName: 'x'.repeat(33_000) }) },
      { refused: 415, type: 'application/json', encoding: 'gzip', body: gzipSync('{}') },
    ];
    const send = ({ type, encoding = 'identity', body }: (typeof bodies)[number]) =>
      harness
        .api('post', '/api/auth/setup')
        .set({ 'Content-Type': type, 'Content-Encoding': encoding })
        // Sent as it is, not as a value.
        .serialize((text) => text)
        .send(body);
    for (const body of bodies) {
      const { status, text } = await send(body);
      expect(status, `${body.type} ${text}`).to.equal(body.refused);
      expect(text).not.to.include(messages.setupCompleted);
    }
    await buildUser(harness.context, { role: 'super_admin' });
    for (const body of bodies) expectFailure(await send(body), 400, messages.setupCompleted);
  });

  it('validates before it looks for other accounts', async () => {
    await buildUser(harness.context, { email: ada.email, phone: ada.phone });
    expectInvalid(await setup({ ...ada, password: '12345' }), ['password']);
  });

  it('refuses the email of another user, in any writing', async () => {
    await buildUser(harness.context, { email: ada.email });
    for (const email of [ada.email, ' ADA@EXAMPLE.ORG ']) {
      expectFailure(await setup({ ...ada, email }), 400, messages.emailTaken);
    }
  });

  it('refuses the phone of another user, in any writing', async () => {
    await buildUser(harness.context, { phone: ada.phone });
    for (const phone of [ada.phone, '+442079460001', '+44-20.7946 0001']) {
      expectFailure(await setup({ ...ada, phone }), 400, messages.phoneTaken);
    }
  });

  it('reports the email first when both are taken', async () => {
    await buildUser(harness.context, { phone: ada.phone });
    await buildUser(harness.context, { email: ada.email });
    expectFailure(await setup(ada), 400, messages.emailTaken);
  });

  it('leaves the setup required after a refusal', async () => {
    await buildUser(harness.context, { email: ada.email });
    await setup(ada).expect(400);
    await setup({ ...ada, email: 'countess@example.org' }).expect(201);
  });

  it('records the setup in the audit log, without the password', async () => {
    const { body } = await setup(ada).expect(201);
    const entries = await harness.context.database.models.AuditEntry.findAll();
    expect(entries.map(({ action, targetId, origin }) => ({ action, targetId, origin }))).to.deep.equal([
      { action: 'setup.complete', targetId: body.user.id, origin: 'http' },
    ]);
    expect(JSON.stringify(entries))
      .not.to.include(ada.password)
      .and.not.to.match(/\$2[aby]\$/);
  });
});
