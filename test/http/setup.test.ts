import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { buildLock, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, expectInvalid, without } from './support/expectations.js';

describe('POST /api/auth/setup', () => {
  const harness = useHarness();
  const setup = (body: object) => harness.api('post', '/api/auth/setup').send(body);
  const status = async () => (await harness.api('get', '/api/auth/setup-status').expect(200)).body;
  const models = () => harness.context.database.models;

  it('creates an active super admin for any input, returns a token and the listed fields, and completes the setup', async () => {
    for (const role of ['trainer', 'trainee'] as const) await buildUser(harness.context, { role });
    expect(await status()).to.deep.equal({ setupRequired: true, superAdminCount: 0 });
    const others = { role: 'trainee', id: 'mine', requiresPasswordChange: true, isActive: false };
    // The operation ignores tokens.
    const response = await harness.api('post', '/api/auth/setup', 'not-a-token').send({ ...ada, ...others });
    expect(response.status, response.text).to.equal(201);
    expect(response.body).to.have.all.keys('message', 'token', 'user');
    expect(response.body.message).to.be.a('string').that.is.not.empty;
    const { id, ...user } = response.body.user;
    expect(user).to.deep.equal({ ...without(ada, 'password'), role: 'super_admin' });
    const stored = await models().User.findByPk(id, { rejectOnEmpty: true });
    expect(stored).to.include({ isActive: true, requiresPasswordChange: false });
    expect(stored.passwordHash).to.match(/^\$2[aby]\$/);
    const me = await harness.api('get', '/api/auth/me', response.body.token).expect(200);
    expect(me.body.user.id).to.equal(id).and.not.to.equal('mine');
    expect(await status()).to.deep.equal({ setupRequired: false, superAdminCount: 1 });
    const entries = await models().AuditEntry.findAll();
    expect(entries.map(({ action, targetId, origin }) => ({ action, targetId, origin }))).to.deep.equal([
      { action: 'setup.complete', targetId: id, origin: 'http' },
    ]);
    for (const text of [response.text, JSON.stringify([entries])])
      expect(text).not.to.match(new RegExp(`\\$2[aby]\\$|${ada.password}`));
  });

  it('makes the super admin known at this address, so that strangers elsewhere cannot lock the account there', async () => {
    const { id } = (await setup(ada).expect(201)).body.user;
    await buildLock(harness.context, { accountId: id });
    await harness.api('post', '/api/auth/login').send({ identifier: ada.email, password: ada.password }).expect(200);
  });

  it('names every invalid field, and requires each field except the boolean isActive', async () => {
    expectInvalid(await setup({}), ['firstName', 'lastName', 'email', 'password', 'phone']);
    const all = { firstName: 'A', lastName: '', email: 'nobody', password: '12345', phone: ' ', isActive: 'yes' };
    expectInvalid(await setup(all), Object.keys(all));
    for (const field of Object.keys(ada) as (keyof typeof ada)[])
      expectInvalid(await setup(without(ada, field)), [field]);
    for (const isActive of ['false', 0, null]) expectInvalid(await setup({ ...ada, isActive }), ['isActive']);
  });

  it('refuses every request once a super admin exists, and before that every body that is not JSON', async () => {
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
        // Sends the text unchanged.
        .serialize((text) => text)
        .send(body);
    for (const body of bodies) {
      const { status, text, headers } = await send(body);
      expect(status, `${body.type} ${text}`).to.equal(body.refused);
      expect(headers['error-code']).not.to.equal('SETUP_COMPLETED');
    }
    await buildUser(harness.context, { role: 'super_admin' });
    for (const body of bodies) expectFailure(await send(body), 'SETUP_COMPLETED');
    for (const body of [ada, {}, { email: 7 }, []]) expectFailure(await setup(body), 'SETUP_COMPLETED');
    expect(await models().User.count()).to.equal(1);
  });

  it('checks the input first, then the email and then the phone of other users, in any notation', async () => {
    await buildUser(harness.context, { phone: ada.phone });
    await buildUser(harness.context, { email: ada.email });
    expectInvalid(await setup({ ...ada, password: '12345' }), ['password']);
    for (const email of [ada.email, ' ADA@EXAMPLE.ORG ']) expectFailure(await setup({ ...ada, email }), 'EMAIL_TAKEN');
    const email = 'countess@example.org';
    for (const phone of [ada.phone, '+442079460001', '+44-20.7946 0001'])
      expectFailure(await setup({ ...ada, email, phone }), 'PHONE_TAKEN');
    await setup({ ...ada, email, phone: '1' }).expect(201);
  });
});
