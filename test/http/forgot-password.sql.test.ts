import { expect } from 'chai';
import type { Response } from 'supertest';
import { lockedAddresses } from '../../src/services/auth/throttle-locks.js';
import { mailSettings } from '../support/environment.js';
import { buildUser, factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { tokenOf, useMailServer } from '../support/mailbox.js';
import { statementsOf } from '../support/statements.js';
import { expectFailure, expectInvalid } from './support/expectations.js';

describe('A forgotten password', () => {
  const harness = useHarness({ ...mailSettings, TRUST_PROXY: '1' });

  const forget = (identifier: unknown, address = '192.0.2.1') =>
    harness.api('post', '/api/forgot-password').set('X-Forwarded-For', address).send({ identifier });
  const queued = async () =>
    (await harness.context.database.models.Mail.findAll({ order: ['id'] })).map(
      ({ kind, userId, identifier, state }) => ({ kind, userId, identifier, state }),
    );

  /** Returns the SQL statements of work, without values. */
  async function statementsIn(work: () => Promise<unknown>): Promise<string[]> {
    const { statements } = await statementsOf(harness.context.database.sequelize, work);
    return statements.map((sql) => sql.replace(/'[^']*'/g, '?'));
  }

  it('gets the same response and the same rows for every identifier', async () => {
    const { email, phone } = await buildUser(harness.context);
    const { email: inactive } = await buildUser(harness.context, { isActive: false });
    const { email: admin } = await buildUser(harness.context, { role: 'super_admin' });
    const identifiers = [
      email,
      phone,
      inactive,
      admin,
      'nobody@example.org',
      '+49 151 99',
      'x'.repeat(5000),
      '\0',
      'ä',
    ];
    const responses: Pick<Response, 'status' | 'body' | 'headers'>[] = [];
    const works: string[][] = [];
    for (const [index, identifier] of identifiers.entries()) {
      const work = async () => {
        const { status, body, headers } = await forget(identifier, `192.0.2.${index}`);
        const { date: _, 'x-request-id': __, ...others } = headers;
        responses.push({ status, body, headers: others });
      };
      works.push(await statementsIn(work));
    }
    expect(responses[0]?.status).to.equal(202);
    expect(responses[0]?.body.message).to.include('If there is an account');
    for (const [index, identifier] of identifiers.entries()) {
      expect(responses[index], identifier).to.deep.equal(responses[0]);
      expect(works[index], identifier).to.deep.equal(works[0]);
    }
    expect(works[0]?.filter((sql) => /users/.test(sql))).to.deep.equal([]);
    expect(await queued()).to.have.length(identifiers.length);
  });

  it('is queued with the normalised identifier and without an account; the sender finds the account', async () => {
    for (const identifier of ['  ADA@Example.org ', '+44 (20) 7946-0001', 'İ'.repeat(200)])
      await forget(identifier).expect(202);
    const reset = { kind: 'reset', userId: null, state: 'queued' };
    expect(await queued()).to.deep.equal([
      { ...reset, identifier: 'ada@example.org' },
      { ...reset, identifier: '+44 (20) 7946-0001' },
      { ...reset, identifier: '' },
    ]);
    expectInvalid(await forget(5), ['identifier']);
  });

  it('is accepted 100 times an hour from an IP address; logins do not count towards this limit', async () => {
    const { email } = await buildUser(harness.context);
    for (let count = 0; count < 100; count += 1) await forget(email).expect(202);
    const refused = await forget('nobody@example.org');
    expectFailure(refused, 'TOO_MANY_ATTEMPTS', 'Too many forgotten passwords. Try again in 60 minutes.');
    expect(Number(refused.headers['retry-after'])).to.be.within(3540, 3600);
    expect(await queued()).to.have.length(100);
    await forget(email, '192.0.2.2').expect(202);
    expect(await lockedAddresses(harness.context)).to.deep.equal([]);
    const login = { identifier: email, password: factoryPassword };
    await harness.api('post', '/api/auth/login').set('X-Forwarded-For', '192.0.2.1').send(login).expect(200);
    harness.advance(60 * 60_000);
    await forget(email).expect(202);
  });

  it('is available if mail is set up', async () => {
    const { body } = await harness.api('get', '/api/forgot-password').expect(200);
    expect(body).to.deep.equal({ available: true });
  });
});

describe('A mail for a forgotten password', () => {
  const harness = useHarness(mailSettings);
  const mailbox = useMailServer(harness);

  it('goes only to the address of the account, also for a phone, and its link sets another password', async () => {
    const { email, phone } = await buildUser(harness.context);
    const { email: inactive } = await buildUser(harness.context, { isActive: false });
    for (const identifier of ['nobody@example.org', inactive, phone])
      await harness.api('post', '/api/forgot-password').send({ identifier }).expect(202);
    const [mail, ...others] = await mailbox.deliver();
    if (!mail) throw new Error('No mail has arrived.');
    expect([mail.to, others]).to.deep.equal([[email], []]);
    const body = { token: tokenOf(mail), newPassword: 'a password of my own' };
    await harness.api('post', '/api/links/set-password').send(body).expect(200);
    const login = { identifier: email, password: body.newPassword };
    await harness.api('post', '/api/auth/login').send(login).expect(200);
    const [notice] = await mailbox.deliver();
    expect(notice?.to).to.deep.equal([email]);
    expect(notice?.raw).not.to.include(body.newPassword);
  });
});

describe('A link that the super admin has mailed', () => {
  const harness = useHarness(mailSettings);

  it('is queued only once and audited, and leaves the password and the sessions unchanged', async () => {
    const { token: admin } = await signIn(harness.context, { role: 'super_admin' });
    const { user, token } = await signIn(harness.context);
    const reset = () => harness.api('post', `/api/users/${user.id}/reset-password`, admin).send({ link: true });
    for (const _ of [1, 2])
      expect((await reset().expect(200)).body).to.deep.equal({
        message: 'A link to set a password is on its way.',
        temporaryPassword: null,
      });
    const rows = await harness.context.database.models.Mail.findAll();
    expect(rows.map(({ kind, userId }) => ({ kind, userId }))).to.deep.equal([{ kind: 'reset', userId: user.id }]);
    await harness.api('get', '/api/auth/me', token).expect(200);
    const login = { identifier: user.email, password: factoryPassword };
    await harness.api('post', '/api/auth/login').send(login).expect(200);
    const { body } = await harness.api('get', `/api/audit?targetId=${user.id}`, admin).expect(200);
    expect(body.entries[0]).to.include({ action: 'user.mail-reset-link' });
  });

  it('goes to many accounts, but not to inactive ones', async () => {
    const { token: admin } = await signIn(harness.context, { role: 'super_admin' });
    const user = await buildUser(harness.context);
    const inactive = await buildUser(harness.context, { isActive: false });
    expectFailure(
      await harness.api('post', `/api/users/${inactive.id}/reset-password`, admin).send({ link: true }),
      'ACCOUNT_INACTIVE',
    );
    const ids = [inactive.id, user.id];
    const { body } = await harness
      .api('post', '/api/users/bulk', admin)
      .send({ action: 'mail_reset_link', ids })
      .expect(200);
    expect(body.counts).to.deep.equal({ done: 1, unchanged: 0, refused: 1 });
    expect(body.outcomes[0]).to.include({ outcome: 'refused', code: 'ACCOUNT_INACTIVE' });
    const [mail, ...others] = await harness.context.database.models.Mail.findAll();
    expect([mail?.userId, others]).to.deep.equal([user.id, []]);
  });
});

describe('A forgotten password without mail', () => {
  const harness = useHarness();

  it('is refused, and nothing is queued', async () => {
    const { body } = await harness.api('get', '/api/forgot-password').expect(200);
    expect(body).to.deep.equal({ available: false });
    const response = await harness.api('post', '/api/forgot-password').send({ identifier: 'ada@example.org' });
    expect(response.status).to.equal(400);
    expect(response.headers['error-code']).to.equal('MAIL_NOT_SET_UP');
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { id } = await buildUser(harness.context);
    for (const [path, body] of [
      [`/api/users/${id}/reset-password`, { link: true }],
      ['/api/users/bulk', { action: 'mail_reset_link', ids: [id], dryRun: true }],
    ] as const) {
      const { status, headers } = await harness.api('post', path, token).send(body);
      expect([status, headers['error-code']]).to.deep.equal([400, 'MAIL_NOT_SET_UP']);
    }
    expect(await harness.context.database.models.Mail.count()).to.equal(0);
  });
});
