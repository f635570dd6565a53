import { expect } from 'chai';
import type { User } from '../../../src/db/models/user.js';
import { type Context, createContext } from '../../../src/services/context.js';
import { findLink } from '../../../src/services/mail/links.js';
import { type NewMail, queueMails, withdrawMails } from '../../../src/services/mail/outbox.js';
import { sendDueMails, startMailSender } from '../../../src/services/mail/sender.js';
import { openTransport } from '../../../src/services/mail/smtp.js';
import { failureOf } from '../../db/support/failure.js';
import { mailSettings } from '../../support/environment.js';
import { buildCourse, buildEnrollment, buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { linksOf, tokenOf, transportTo, useMailServer } from '../../support/mailbox.js';
import { until } from '../../support/until.js';

const minuteMs = 60_000;

describe('The mail sender', () => {
  const harness = useHarness(mailSettings);
  const mailbox = useMailServer(harness);

  const queue = (...mails: NewMail[]) =>
    harness.context.database.inTransaction((transaction) => queueMails(harness.context, mails, transaction));
  const rows = () => harness.context.database.models.Mail.findAll({ order: ['id'] });
  const only = async () => {
    const [mail, ...others] = await rows();
    expect(others).to.have.length(0);
    if (!mail) throw new Error('There is no mail.');
    return mail;
  };
  /** Creates an account with the given columns about mails. */
  async function build(notes: Partial<User>, given: Parameters<typeof buildUser>[1] = {}): Promise<User> {
    const user = await buildUser(harness.context, given);
    return user.update(notes, { silent: true });
  }
  const invited = (notes: Partial<User> = {}, given = {}) =>
    build({ hasPassword: false, inviteState: 'queued', ...notes }, given);

  it('sends queued mails with a link, and stores only a hash of the link', async () => {
    const user = await invited({ language: 'de' }, { firstName: 'Ada' });
    await queue({ kind: 'invitation', userId: user.id, data: { message: 'Bis bald!' } });
    const [mail] = await mailbox.deliver();
    if (!mail) throw new Error('No mail has arrived.');
    expect(mail.to).to.deep.equal([user.email]);
    expect(mail.from).to.equal('training@example.org');
    expect(mail.headers['auto-submitted']).to.equal('auto-generated');
    expect(mail.text).to.include('Hallo Ada').and.include('Bis bald!');
    expect(linksOf(mail)[0]).to.match(/^https:\/\/courses\.example\.org\/set-password#[\w-]{43}$/);

    const sent = await only();
    expect(mail.messageId).to.equal(`<${sent.id}@courses.example.org>`);
    expect(sent).to.include({ state: 'sent', attempts: 1, address: user.email, nextAt: null, lastError: null });
    expect((await user.reload()).inviteState).to.equal('sent');
    const { Link } = harness.context.database.models;
    const stored = JSON.stringify([await rows(), await Link.findAll()]);
    expect(stored).to.include('"purpose":"invite"').and.not.include(tokenOf(mail));
  });

  it("shows a person's name in the header without links and encoded addresses", async () => {
    const encoded = '=?utf-8?B?Ym9zc0BleGFtcGxlLm9yZw==?=';
    for (const [firstName, lastName] of [
      ['www.evil.example/pay', 'boss@example.org'],
      [encoded, encoded],
      ['Ada, "Countess"', 'Lovelace <boss@example.org>'],
    ] as const) {
      const user = await invited({}, { firstName, lastName });
      await queue({ kind: 'invitation', userId: user.id });
      const [mail] = await mailbox.deliver();
      const { to = '' } = mail?.headers ?? {};
      expect(mail?.to).to.deep.equal([user.email]);
      expect(to.replaceAll('\u200b', '')).to.include(firstName).and.include(lastName);
      expect(to.replace(`<${user.email}>`, '')).not.to.match(/boss@example|=\?|www\.evil|evil\.example/);
    }
  });

  it('does not change updatedAt of an account', async () => {
    const user = await invited();
    const before = user.updatedAt;
    harness.advance(minuteMs);
    await queue({ kind: 'invitation', userId: user.id });
    await mailbox.deliver();
    expect((await user.reload()).updatedAt).to.deep.equal(before);
  });

  it('records no failure of an address that the account no longer has', async () => {
    const user = await buildUser(harness.context);
    await queue({ kind: 'password-changed', userId: user.id, address: user.email });
    await user.update({ email: 'another@example.org' });
    mailbox.server.refuse('RCPT', { code: 550, text: '5.1.1 No such user' });
    expect(await mailbox.send()).to.deep.equal({ sent: 0, failed: 1, deferred: 0 });
    expect((await user.reload()).mailFailedAt).to.equal(null);
  });

  it('fails a mail with a permanently refused recipient, and records an unknown address', async () => {
    const [gone, refused] = [await invited(), await invited()];
    await queue({ kind: 'invitation', userId: gone.id }, { kind: 'invitation', userId: refused.id });
    mailbox.server.refuse('RCPT', (address) =>
      address === gone.email ? { code: 550, text: '5.1.1 No such user' } : { code: 550, text: '5.7.1 Spam' },
    );
    expect(await mailbox.send()).to.deep.equal({ sent: 0, failed: 2, deferred: 0 });
    const failed = (await rows()).map(({ state, lastError, addressUnknown }) => [state, lastError, addressUnknown]);
    expect(failed).to.deep.equal([
      ['failed', '550 5.1.1 No such user', true],
      ['failed', '550 5.7.1 Spam', false],
    ]);
    expect((await gone.reload()).mailFailedAt).to.be.instanceOf(Date);
    expect((await refused.reload()).mailFailedAt).to.equal(null);
    expect(refused.inviteState).to.equal('failed');
  });

  it('stores nothing that reveals the recipient of a forgotten password: no text of the server, no failure on the account', async () => {
    const user = await buildUser(harness.context);
    const ask = () => queue({ kind: 'reset', userId: user.id });
    await ask();
    mailbox.server.refuse('RCPT', (address) => ({ code: 550, text: `5.1.1 <${address}> is unknown` }));
    expect((await mailbox.send()).failed).to.equal(1);
    expect(await only()).to.include({ state: 'failed', lastError: '550 5.1.1' });
    expect((await user.reload()).mailFailedAt).to.equal(null);

    await ask();
    mailbox.server.refuse('RCPT', (address) => ({ code: 530, text: `5.7.0 Log in to write to ${address}` }));
    const { message } = await failureOf(() => mailbox.send());
    const reasons = (await rows()).map(({ lastError }) => lastError);
    for (const text of [message, ...reasons]) expect(text).to.include('5').and.not.include(user.email);
  });

  it('retries after growing delays with the same Message-ID', async () => {
    const user = await invited();
    await queue({ kind: 'invitation', userId: user.id });
    mailbox.server.refuse('RCPT', { code: 451, text: '4.7.1 Greylisted' });
    for (const minutes of [1, 2, 4]) {
      expect((await mailbox.send()).deferred).to.equal(1);
      const { state, nextAt } = await only();
      const waits = (nextAt?.getTime() ?? 0) - harness.context.now().getTime();
      expect(state).to.equal('deferred');
      expect(waits).to.be.within((minutes - 0.5) * minuteMs, minutes * minuteMs);
      expect(await mailbox.send()).to.deep.equal({ sent: 0, failed: 0, deferred: 0 });
      harness.advance(minutes * minuteMs);
    }
    mailbox.server.refuse('RCPT', undefined);
    const [mail] = await mailbox.deliver();
    expect(mail?.messageId).to.include((await only()).id);
  });

  it('stops if the server refuses everything, without failing a mail', async () => {
    const users = [await invited(), await invited()];
    await queue(...users.map(({ id }) => ({ kind: 'invitation' as const, userId: id })));
    mailbox.server.refuse('AUTH', { code: 535, text: '5.7.8 Wrong password' });
    const failure = await failureOf(() => mailbox.send());
    expect(failure.code).to.equal('MAIL_SERVER_UNUSABLE');
    const queuedMails = await rows();
    expect(queuedMails.map(({ state, attempts }) => [state, attempts])).to.deep.equal([
      ['queued', 0],
      ['queued', 0],
    ]);
    expect(queuedMails.filter(({ lastError }) => lastError?.includes('Wrong password'))).to.have.length(1);

    mailbox.server.refuse('AUTH', undefined);
    expect(await mailbox.deliver()).to.have.length(2);
    expect((await rows()).map(({ lastError }) => lastError)).to.deep.equal([null, null]);
  });

  it('sends other mails if one mail makes the server close its connections', async () => {
    const [odd, other] = [await invited(), await invited()];
    await queue({ kind: 'password-changed', userId: odd.id }, { kind: 'invitation', userId: other.id });
    mailbox.server.refuse('RCPT', (address) =>
      address === odd.email ? { code: 530, text: '5.7.0 Not for you' } : undefined,
    );
    const transport = transportTo(mailbox.server);
    const sender = startMailSender(harness.context, { pollMs: 10, pauseMs: 10, transport });
    try {
      const [mail] = await mailbox.server.waitFor(1);
      expect(mail?.to).to.deep.equal([other.email]);
    } finally {
      await sender.close();
    }
    expect((await rows()).map(({ state }) => state)).to.deep.equal(['deferred', 'sent']);
  });

  it('sends a mail again if the server accepted it without a response', async () => {
    await queue({ kind: 'test', address: 'me@example.org' });
    mailbox.server.dieAfterData = true;
    await mailbox.send();
    mailbox.server.dieAfterData = false;
    harness.advance(minuteMs);
    await mailbox.send();
    const ids = mailbox.server.mails.map(({ messageId }) => messageId);
    expect(ids).to.have.length(2);
    expect(new Set(ids)).to.have.length(1);
    expect((await only()).state).to.equal('sent');
  });

  it('defers a mail that fails with a bug, and sends later mails', async () => {
    const user = await invited();
    await queue({ kind: 'invitation', userId: user.id });
    await (await only()).update({ data: '{"message"' });
    await queue({ kind: 'invitation', userId: (await invited()).id });
    expect(await mailbox.deliver()).to.have.length(1);
    const [broken] = await rows();
    expect(broken)
      .to.include({ state: 'deferred', attempts: 1 })
      .and.have.property('lastError')
      .match(/has failed/);

    await broken?.update({ data: '{}' });
    harness.advance(minuteMs);
    const transport = transportTo(mailbox.server);
    const send = () => Promise.reject(new TypeError('a bug'));
    const done = await sendDueMails(harness.context, { transport: { ...transport, send } });
    expect(done).to.deep.equal({ sent: 0, failed: 0, deferred: 1 });
    harness.advance(2 * minuteMs);
    expect(await mailbox.deliver()).to.have.length(1);
  });

  it('sends mails of a dead sender again', async () => {
    await queue({ kind: 'test', address: 'me@example.org' });
    const begun = { state: 'sending', attempts: 1, nextAt: null } as const;
    await (await only()).update(begun);
    expect(await mailbox.deliver()).to.have.length(1);
    expect((await only()).attempts).to.equal(2);
  });

  it('sends forgotten passwords before invitations, which wait for the rate', async () => {
    const { context } = harness;
    const slow: Context = {
      ...context,
      tokens: context.tokens,
      config: { ...context.config, mail: { ...context.config.mail, perMinute: 60 } },
    };
    const people = [await invited(), await invited(), await invited(), await invited()];
    await queue(...people.map(({ id }) => ({ kind: 'invitation' as const, userId: id })));
    const known = await buildUser(context);
    const sender = startMailSender(slow, { pollMs: 10, transport: transportTo(mailbox.server) });
    try {
      await mailbox.server.waitFor(1);
      await queue({ kind: 'reset', identifier: known.email });
      await mailbox.server.waitFor(({ to }) => to.includes(known.email));
      expect(mailbox.server.mails.length).to.be.at.most(3);
    } finally {
      await sender.close();
    }
  });

  it('sends invitations before news, and alternates between owners of news, including new owners', async () => {
    const { context } = harness;
    /** Queues news of a trainer. @returns the addresses */
    async function complete(count: number): Promise<string[]> {
      const trainer = await buildUser(context, { role: 'trainer' });
      const course = await buildCourse(context, trainer, { isPublished: true });
      const people = [];
      for (let number = 0; number < count; number += 1) {
        const person = await buildUser(context);
        await buildEnrollment(context, person, course, { status: 'completed' });
        people.push(person);
      }
      const news = { kind: 'completed', courseId: course.id, queueOwner: trainer.id } as const;
      await queue(...people.map(({ id }) => ({ ...news, userId: id })));
      return people.map(({ email }) => email);
    }
    const first = await complete(4);
    const second = await complete(3);
    const { id, email } = await invited();
    await queue({ kind: 'invitation', userId: id });
    const third: string[] = [];
    const transport = transportTo(mailbox.server);
    const send: typeof transport.send = async (mail) => {
      if (mail.to.address === second[0]) third.push(...(await complete(1)));
      return transport.send(mail);
    };
    await sendDueMails(context, { transport: { ...transport, send } });
    const [a1, a2, a3, a4] = first;
    const [b1, b2, b3] = second;
    expect(mailbox.server.mails.map(({ to }) => to[0])).to.deep.equal([email, a1, b1, third[0], a2, b2, a3, b3, a4]);
  });

  it('gives links the same lifetime on instances with different clocks', async () => {
    const { context } = harness;
    const hourMs = 60 * minuteMs;
    for (const offMs of [hourMs, -hourMs]) {
      const { config, logger, hasher } = context;
      const now = () => new Date(Date.now() + offMs);
      const other = await createContext(config, logger, { hasher, now });
      try {
        for (const [from, through] of [
          [context, other],
          [other, context],
        ] as const) {
          const user = await buildUser(context);
          const reset = { kind: 'reset', userId: user.id } as const;
          await from.database.inTransaction((transaction) => queueMails(from, [reset], transaction));
          await sendDueMails(through, { transport: transportTo(mailbox.server) });
          const mail = mailbox.server.mails.find(({ to }) => to[0] === user.email);
          if (!mail) throw new Error(`No link has arrived, with a clock ${offMs} ms off.`);
          const { link } = await findLink(from, tokenOf(mail), ['reset']);
          expect(link.expiresAt.getTime() - Date.now()).to.be.within(hourMs - minuteMs, hourMs);
          await link.update({ expiresAt: new Date(Date.now() - 1) });
          for (const instance of [context, other])
            expect((await failureOf(() => findLink(instance, tokenOf(mail), ['reset']))).code).to.equal('LINK_INVALID');
        }
      } finally {
        await other.close();
      }
    }
  });

  it('looks up forgotten passwords by email or phone when sending, and deletes requests without an account', async () => {
    const user = await buildUser(harness.context, { phone: '+49 30 901820' });
    const inactive = await buildUser(harness.context, { isActive: false });
    const identifiers = [user.email.toUpperCase(), '+4930901820', 'nobody@example.org', inactive.email, ''];
    await queue(...identifiers.map((identifier) => ({ kind: 'reset' as const, identifier })));
    const arrived = await mailbox.deliver();
    expect(arrived.map(({ to }) => to)).to.deep.equal([[user.email], [user.email]]);
    expect((await rows()).map(({ userId, identifier }) => [userId, identifier])).to.deep.equal([
      [user.id, null],
      [user.id, null],
    ]);
  });

  it('sends at most three links for a forgotten password an hour, and ten a day', async () => {
    const { email } = await buildUser(harness.context);
    const ask = async () => {
      await queue(...Array.from({ length: 5 }, () => ({ kind: 'reset' as const, identifier: email })));
      return (await mailbox.deliver()).length;
    };
    const counts = [];
    for (let hour = 0; hour < 5; hour += 1) {
      counts.push(await ask());
      harness.advance(61 * minuteMs);
    }
    expect(counts).to.deep.equal([3, 3, 3, 1, 0]);
  });

  it('withdraws mails whose reason no longer exists, and mails that are too old', async () => {
    const accepted = await invited();
    const inactive = await invited({ isActive: false });
    const trainee = await build({ mailOff: 'completed' });
    const course = await buildCourse(harness.context, await buildUser(harness.context, { role: 'trainer' }));
    await buildEnrollment(harness.context, trainee, course, { status: 'completed' });
    const ofCourse = { courseId: course.id, queueOwner: course.trainerId };
    await queue(
      { kind: 'invitation', userId: accepted.id },
      { kind: 'invitation', userId: inactive.id },
      { kind: 'accepted', userId: trainee.id, ...ofCourse },
      { kind: 'completed', userId: trainee.id, ...ofCourse },
      { kind: 'requests', userId: course.trainerId, ...ofCourse },
    );
    await accepted.update({ hasPassword: true });
    expect(await mailbox.deliver()).to.have.length(0);
    expect((await rows()).map(({ state }) => state)).to.deep.equal(Array(5).fill('withdrawn'));

    await queue({ kind: 'test', address: 'me@example.org' });
    harness.advance(61 * minuteMs);
    expect(await mailbox.deliver()).to.have.length(0);
  });

  it('records a failed invitation if it could not be sent for days', async () => {
    const user = await invited();
    await queue({ kind: 'invitation', userId: user.id });
    harness.advance(73 * 60 * minuteMs);
    expect(await mailbox.deliver()).to.have.length(0);
    expect((await user.reload()).inviteState).to.equal('failed');
  });

  it('sends a trainer one digest of requests', async () => {
    const trainer = await buildUser(harness.context, { role: 'trainer' });
    const course = await buildCourse(harness.context, trainer, { title: 'Welding' });
    const digest = {
      kind: 'requests',
      userId: trainer.id,
      queueOwner: trainer.id,
      dedupeKey: `requests:${trainer.id}`,
      delayMs: 15 * minuteMs,
    };
    for (let count = 0; count < 2; count += 1) {
      await buildEnrollment(harness.context, await buildUser(harness.context), course, { status: 'pending' });
      await queue({ ...digest, kind: 'requests' });
    }
    expect(await mailbox.deliver()).to.have.length(0);
    harness.advance(15 * minuteMs);
    const [mail, ...others] = await mailbox.deliver();
    expect(others).to.have.length(0);
    expect(mail?.text).to.include('Welding: 2 requests');
    await queue({ ...digest, kind: 'requests' });
    expect(await rows()).to.have.length(2);
  });

  it('withdraws queued mails only', async () => {
    const user = await invited();
    await queue({ kind: 'invitation', userId: user.id }, { kind: 'test', address: 'me@example.org' });
    const withdraw = () =>
      harness.context.database.inTransaction((transaction) =>
        withdrawMails(harness.context, { userId: user.id }, transaction),
      );
    expect(await withdraw()).to.equal(1);
    expect(await withdraw()).to.equal(0);
    expect(await mailbox.deliver()).to.have.length(1);
  });

  it('runs in only one of several processes', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => invited()));
    const senders = [1, 2, 3].map(() =>
      startMailSender(harness.context, { pollMs: 10, transport: transportTo(mailbox.server) }),
    );
    try {
      await queue(...people.map(({ id }) => ({ kind: 'invitation' as const, userId: id })));
      await mailbox.server.waitFor(20);
      await until(async () => (await rows()).every(({ state }) => state === 'sent'));
    } finally {
      await Promise.all(senders.map((sender) => sender.close()));
    }
    expect(mailbox.server.mails.map(({ to }) => to[0])).to.have.members(people.map(({ email }) => email));
    expect((await failureOf(() => send())).code).to.equal('MAIL_SENDER_BUSY');

    async function send() {
      const sender = startMailSender(harness.context, { pollMs: 10, transport: transportTo(mailbox.server) });
      try {
        await queue({ kind: 'test', address: 'me@example.org' });
        await mailbox.server.waitFor(21);
        return await mailbox.send();
      } finally {
        await sender.close();
      }
    }
  });

  it('closes although the server is silent, and keeps the mail queued', async () => {
    const sender = startMailSender(harness.context, {
      pollMs: 10,
      lastMailMs: 10,
      transport: transportTo(mailbox.server),
    });
    mailbox.server.delay = 2 ** 30;
    await queue({ kind: 'test', address: 'me@example.org' });
    await until(async () => mailbox.server.connections > 0 && (await only()).state === 'sending');
    await sender.close();
    expect(await only()).to.include({ state: 'queued', attempts: 0 });
  });

  it('pauses, and resumes when the server is available again', async () => {
    const transport = openTransport({
      server: { secure: false, host: '127.0.0.1', port: 1 },
      tls: 'required',
      from: { name: '', address: 'training@example.org' },
    });
    let isUp = false;
    const sender = startMailSender(harness.context, {
      pollMs: 10,
      pauseMs: 10,
      transport: {
        ...transport,
        send: (mail) => (isUp ? transportTo(mailbox.server).send(mail) : transport.send(mail)),
      },
    });
    try {
      await queue({ kind: 'test', address: 'me@example.org' });
      await until(async () => (await only()).lastError?.includes('refuses connections') ?? false);
      expect(await only()).to.include({ state: 'queued', attempts: 0 });
      isUp = true;
      await mailbox.server.waitFor(1);
    } finally {
      await sender.close();
    }
  });
});
