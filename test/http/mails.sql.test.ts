import { expect } from 'chai';
import type { Mail } from '../../src/db/models/mail.js';
import type { User } from '../../src/db/models/user.js';
import { mailSettings } from '../support/environment.js';
import { buildMail, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';

const dayMs = 86_400_000;

/** Fields of a finished mail. */
const ended = { nextAt: null, finishedAt: new Date() };

describe('Mails of the outbox', () => {
  const harness = useHarness(mailSettings);
  let token: string;
  let person: User;
  beforeEach(async () => {
    ({ token } = await signIn(harness.context, { role: 'super_admin' }));
    person = await buildUser(harness.context);
  });
  const list = async (query = '') => (await harness.api('get', `/api/mails${query}`, token).expect(200)).body;
  const idsOf = async (query: string) => (await list(query)).mails.map(({ id }: Mail) => id);
  const change = async (action: string, ...mails: Mail[]) => {
    const body = { action, ids: mails.map(({ id }) => id) };
    return (await harness.api('post', '/api/mails/bulk', token).send(body).expect(200)).body.outcomes;
  };
  const codesOf = (outcomes: { code: string | null }[]) => outcomes.map(({ code }) => code);

  it('are listed with recipient and state, but without their content', async () => {
    const data = '{"message":"a canary"}';
    const mail = await buildMail(harness.context, { kind: 'invitation', userId: person.id, data, lastError: 'busy' });
    const { mails, pagination } = await list();
    expect(pagination.totalItems).to.equal(1);
    const { id, firstName, lastName, email } = person;
    const shown = {
      id: mail.id,
      kind: 'invitation',
      state: 'queued',
      address: email,
      user: { id, firstName, lastName, email },
      courseId: null,
      importId: null,
      attempts: 0,
      nextAt: mail.nextAt?.toISOString(),
      lastError: 'busy',
      messageId: `<${mail.id}@courses.example.org>`,
      createdAt: mail.createdAt.toISOString(),
      finishedAt: null,
    };
    expect(mails).to.deep.equal([shown]);
    const { body } = await harness.api('get', `/api/mails/${mail.id}`, token).expect(200);
    expect(body).to.deep.equal({ mail: shown });
  });

  it('are listed newest first, filtered by state, kind, person, import and time', async () => {
    const { context } = harness;
    const old = await buildMail(context, { createdAt: new Date(Date.now() - 2 * dayMs), importId: person.id });
    const failed = await buildMail(context, { state: 'failed', userId: person.id, ...ended });
    const test = await buildMail(context, { kind: 'test', address: 'me@example.org' });
    expect(await idsOf('')).to.deep.equal([test.id, failed.id, old.id]);
    expect(await idsOf('?state=failed')).to.deep.equal([failed.id]);
    expect(await idsOf('?kind=test')).to.deep.equal([test.id]);
    expect(await idsOf(`?userId=${person.id}`)).to.deep.equal([failed.id]);
    expect(await idsOf(`?importId=${person.id}`)).to.deep.equal([old.id]);
    expect(await idsOf(`?since=${new Date(Date.now() - dayMs).toISOString()}`)).to.deep.equal([test.id, failed.id]);
  });

  it('for a forgotten password are never listed, shown or changed before the sender has looked up the account', async () => {
    const mail = await buildMail(harness.context, { kind: 'reset', identifier: 'ada@example.org' });
    expect(await idsOf('')).to.deep.equal([]);
    await harness.api('get', `/api/mails/${mail.id}`, token).expect(404);
    expect(codesOf(await change('withdraw', mail))).to.deep.equal(['NOT_FOUND']);
  });

  it('never reveal who has forgotten a password, with any filter', async () => {
    const { id: userId, email: address } = person;
    const mail = await buildMail(harness.context, {
      kind: 'reset',
      userId,
      address,
      state: 'deferred',
      nextAt: new Date(),
    });
    const page = await list('?kind=reset');
    expect(page.mails[0]).to.include({ id: mail.id, user: null, address: null });
    const { body } = await harness.api('get', `/api/mails/${mail.id}`, token).expect(200);
    expect(body.mail).to.deep.equal(page.mails[0]);
    for (const query of [`?userId=${userId}`, `?userId=${userId}&kind=reset`])
      expect((await list(query)).pagination.totalItems).to.equal(0);
    // Refusing only replaced mails would reveal that the person got a newer mail.
    expect(codesOf(await change('retry', mail))).to.deep.equal(['MAIL_CONFLICT']);
    expect(codesOf(await change('withdraw', mail))).to.deep.equal([null]);
    const audit = await harness.api('get', `/api/audit?targetId=${mail.id}`, token).expect(200);
    expect(audit.body.entries).to.have.length(1);
    for (const shown of [page, audit.body])
      for (const telling of [userId, address, person.lastName]) expect(JSON.stringify(shown)).not.to.include(telling);
  });

  it('that failed or are deferred can be sent again, and keep counting their attempts', async () => {
    const { context } = harness;
    const failed = await buildMail(context, { state: 'failed', attempts: 3, lastError: '550 no', ...ended });
    const deferred = await buildMail(context, { state: 'deferred', attempts: 2, nextAt: new Date(Date.now() + dayMs) });
    expect(codesOf(await change('retry', failed, deferred))).to.deep.equal([null, null]);
    for (const mail of [failed, deferred]) {
      await mail.reload();
      const { state, lastError, finishedAt, nextAt } = mail;
      expect({ state, lastError, finishedAt }).to.deep.equal({ state: 'queued', lastError: null, finishedAt: null });
      expect(nextAt?.getTime()).to.be.at.most(Date.now());
    }
    expect([failed.attempts, deferred.attempts]).to.deep.equal([3, 2]);
  });

  it('that wait can be withdrawn', async () => {
    const mail = await buildMail(harness.context, { dedupeKey: 'one' });
    expect(codesOf(await change('withdraw', mail))).to.deep.equal([null]);
    const { state, nextAt, dedupeKey, finishedAt } = await mail.reload();
    expect({ state, nextAt, dedupeKey }).to.deep.equal({ state: 'withdrawn', nextAt: null, dedupeKey: null });
    expect(finishedAt).to.be.an.instanceOf(Date);
  });

  it('in other states are not changed', async () => {
    const { context } = harness;
    const sent = await buildMail(context, { state: 'sent', ...ended });
    const sending = await buildMail(context, { state: 'sending', nextAt: null });
    const failed = await buildMail(context, { state: 'failed', ...ended });
    expect(codesOf(await change('retry', sent, sending))).to.deep.equal(['MAIL_CONFLICT', 'MAIL_CONFLICT']);
    const outcomes = await change('withdraw', sent, sending, failed);
    expect(codesOf(outcomes)).to.deep.equal(['MAIL_CONFLICT', 'MAIL_CONFLICT', 'MAIL_CONFLICT']);
    expect(outcomes[2].message).to.equal(
      'The mail is failed: only mails that are queued or deferred can be withdrawn.',
    );
  });

  it('that are too old or replaced by a newer link are not sent again', async () => {
    const { context } = harness;
    const createdAt = new Date(Date.now() - 4 * dayMs);
    const old = await buildMail(context, { state: 'failed', createdAt, ...ended });
    const invitation = { kind: 'invitation', userId: person.id };
    const first = await buildMail(context, { ...invitation, state: 'failed', ...ended });
    await buildMail(context, invitation);
    expect(codesOf(await change('retry', old, first))).to.deep.equal(['MAIL_TOO_OLD', 'MAIL_REPLACED']);
  });

  it('of invitations update the state of the invitation, but not the update time of the account', async () => {
    const { context } = harness;
    await person.update({ inviteState: 'failed', invitedAt: new Date() });
    const { updatedAt: before } = await person.reload();
    const mail = await buildMail(context, { kind: 'invitation', userId: person.id, state: 'failed', ...ended });
    await change('retry', mail);
    expect((await person.reload()).inviteState).to.equal('queued');
    await change('withdraw', mail);
    const { inviteState, invitedAt, updatedAt } = await person.reload();
    expect({ inviteState, invitedAt, updatedAt }).to.deep.equal({
      inviteState: null,
      invitedAt: null,
      updatedAt: before,
    });
  });

  it('are recorded in the audit log with their address when changed', async () => {
    const mail = await buildMail(harness.context, { userId: person.id });
    await change('withdraw', mail);
    const { body } = await harness.api('get', `/api/audit?targetType=mail&targetId=${mail.id}`, token).expect(200);
    const [{ action, targetName, before, after }] = body.entries;
    expect({ action, targetName, before, after }).to.deep.equal({
      action: 'mail.withdraw',
      targetName: person.email,
      before: { state: 'queued' },
      after: { state: 'withdrawn' },
    });
  });

  it('can be queued as a test', async () => {
    await harness.api('post', '/api/mails/test', token).send({ email: 'Me@Example.org' }).expect(200);
    const [{ kind, state, address, user }] = (await list()).mails;
    expect({ kind, state, address, user }).to.deep.equal({
      kind: 'test',
      state: 'queued',
      address: 'me@example.org',
      user: null,
    });
  });
});

describe('Mails without a mail server', () => {
  const harness = useHarness();

  it('cannot be sent again or queued, but can be withdrawn', async () => {
    const { context, api } = harness;
    const { token } = await signIn(context, { role: 'super_admin' });
    const { id } = await buildMail(context);
    const change = (action: string) => api('post', '/api/mails/bulk', token).send({ action, ids: [id] });
    expect((await change('retry').expect(400)).headers['error-code']).to.equal('MAIL_NOT_SET_UP');
    const { headers } = await api('post', '/api/mails/test', token).send({ email: 'me@example.org' }).expect(400);
    expect(headers['error-code']).to.equal('MAIL_NOT_SET_UP');
    await change('withdraw').expect(200);
  });
});
