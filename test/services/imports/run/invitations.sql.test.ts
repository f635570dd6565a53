import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { inviteUser } from '../../../../src/services/accounts/invite.js';
import { operator } from '../../../../src/services/core.js';
import { unmatchableHash } from '../../../../src/services/credentials/passwords.js';
import { sendDueMails } from '../../../../src/services/mail/sender.js';
import { mailSettings } from '../../../support/environment.js';
import { buildUser, signIn } from '../../../support/factories.js';
import { startMailServer } from '../../../support/mail-server.js';
import { transportTo } from '../../../support/mailbox.js';

import { breakAt } from '../support/fault.js';
import { emailsOf, people, recordsOf, useImporting } from '../support/importing.js';
import { importFile, importFirstBatch } from '../support/running.js';
import { runToEnd, runToPlan, submit } from '../support/submitting.js';

const header = 'firstName,lastName,email,phone,isActive,password\n';
/** One person without a password, one with a password, and one who may not sign in yet. */
const three = `${header}Ada,King,ada@x.org,+1 1,,\nBen,Low,ben@x.org,+1 2,,own-password-2\nCyn,May,cyn@x.org,+1 3,false,\n`;

describe('An import that invites', () => {
  const importing = useImporting(mailSettings);
  const { models } = importing;
  const account = (email: string) => models().User.findOne({ where: { email }, rejectOnEmpty: true });
  const login = (identifier: string, password: string) =>
    importing.api('post', '/api/auth/login').send({ identifier, password });
  /** Addresses of the mails in the outbox in order, with their state and import. */
  async function mails() {
    const found = await models().Mail.findAll();
    const users = await models().User.findAll({ attributes: ['id', 'email'] });
    const emailOf = new Map(users.map(({ id, email }) => [id, email]));
    const shown = found.map(({ userId, kind, state, importId }) => [emailOf.get(userId ?? ''), kind, state, importId]);
    return shown.sort(([one = ''], [other = '']) => String(one).localeCompare(String(other)));
  }
  const states = async () =>
    (await models().User.findAll({ order: ['email'] })).map(({ email, hasPassword, inviteState }) => [
      email,
      hasPassword,
      inviteState,
    ]);

  it('creates accounts without passwords and queues their mails; passwords in the file are kept', async () => {
    const file = importing.write('people.csv', three);
    const { stdout } = await importing.run(file, '--invite', '--dry-run');
    expect(stdout).to.include('\n  3 accounts to create (3 trainees)\n').and.include('\n  1 invitation to mail\n');
    const { id, counts } = await importing.json(file, '--invite');
    expect(counts).to.include({ created: 3 });
    expect(await mails()).to.deep.equal([['ada@x.org', 'invitation', 'queued', id]]);
    expect(await states()).to.deep.equal([
      ['ada@x.org', false, 'queued'],
      ['ben@x.org', true, null],
      ['cyn@x.org', false, 'queued'],
    ]);
    expect(importing.files()).not.to.include('people.credentials.csv');
    const { passwordHash } = await account('ada@x.org');
    // The accounts have a constant instead of a hash.
    expect(passwordHash).to.equal(unmatchableHash(importing.context.config.auth.bcryptCost));
    await login('ben@x.org', 'own-password-2').expect(200);
  });

  it("doesn't mail addresses with non-ASCII local parts if the server lacks SMTPUTF8, and says so", async () => {
    const server = await startMailServer({ utf8: false });
    try {
      await importing.json(`${process.cwd()}/test/fixtures/meaning/mail-addresses.csv`, '--invite');
      await sendDueMails(importing.context, { transport: transportTo(server) });
    } finally {
      await server.close();
    }
    const failed = await models().Mail.findAll({ where: { state: 'failed' } });
    const users = await models().User.findAll({ where: { id: failed.map(({ userId }) => userId ?? '') } });
    expect(users.map(({ email, inviteState }) => [email, inviteState])).to.deep.equal([
      ['jürgen@mail.example', 'failed'],
    ]);
    expect(failed[0]?.lastError).to.include('it offers no SMTPUTF8');
    const reached = server.mails.flatMap(({ to }) => to);
    expect(reached).to.include.members(['joerg@bücher.example', 'taro@例え.テスト', "o'neil@mail.example"]);
    expect(reached.join('')).not.to.include('jürgen');
  });

  it('also gives passwords if a file for them is named', async () => {
    const file = importing.write('people.csv', three);
    const { credentialsFile } = await importing.json(file, '--invite', '--credentials', 'both.csv');
    const records = recordsOf(credentialsFile);
    expect(records.map(({ email }) => email)).to.deep.equal(['ada@x.org', 'cyn@x.org']);
    expect((await mails()).map(([email]) => email)).to.deep.equal(['ada@x.org']);
    expect((await account('ada@x.org')).hasPassword).to.equal(false);
    await login('ada@x.org', records[0]?.password ?? '').expect(200);
  });

  it('refuses to reset passwords of other accounts', async () => {
    const file = importing.write('people.csv', three);
    const refused = await importing.run(file, '--invite', '--on-existing', 'update', '--reset-passwords', '--yes');
    expect(refused.exitCode).to.equal(2);
    expect(refused.stderr).to.include("--invite can't be given together with --reset-passwords");
  });

  it('shows the number of mails in the plan over HTTP, and queues them', async () => {
    const { token } = await signIn(importing.context, { role: 'super_admin', email: 'boss@x.org' });
    const { id } = await submit(importing, three, { invite: true, plan: true });
    await runToPlan(importing, id);
    const { plan } = (await importing.api('get', `/api/imports/${id}`, token)).body.import;
    expect(plan).to.include({ invitations: 1, generatedPasswords: 0 });
    await importing.api('post', `/api/imports/${id}/apply`, token).send({}).expect(202);
    await runToEnd(importing, id);
    const ended = (await importing.api('get', `/api/imports/${id}`, token)).body.import;
    expect(ended).to.include({ status: 'completed', hasCredentials: false });
    expect(await mails()).to.deep.equal([['ada@x.org', 'invitation', 'queued', id]]);
  });

  it('queues each mail a single time in the transaction of its account, even if it is interrupted', async () => {
    const emails = emailsOf(120);
    const file = importing.write('people.csv', people(120));
    const { context } = importing;
    await importFirstBatch(context, file, {}, { invite: true });
    expect(await mails()).to.have.length(await models().User.count());
    // This is the last statement of a batch: if it fails, accounts and mails are rolled back.
    const repair = await breakAt(context, { event: 'UPDATE', table: 'imports', when: 'NEW.rows_done > 60' });
    const failed = await importFile(context, file, {}, { invite: true }).catch(() => undefined);
    await repair();
    expect(failed).to.equal(undefined);
    expect(await mails()).to.have.length(await models().User.count());
    await importFile(context, file, {}, { invite: true });
    expect((await mails()).map(([email]) => email)).to.deep.equal([...emails].sort());
  });

  it('is undone with its mails and links, and the undo counts the sent mails', async () => {
    const file = importing.write('people.csv', people(3));
    const { id, number } = await importing.json(file, '--invite');
    const [sent] = await models().Mail.findAll({ order: ['id'] });
    await sent?.update({ state: 'sent', nextAt: null, finishedAt: new Date() });
    const user = await models().User.findByPk(sent?.userId ?? '', { rejectOnEmpty: true });
    await user.update({ inviteState: 'sent' }, { silent: true });
    const link = { tokenHash: 'a'.repeat(64), userId: user.id, purpose: 'invite' as const, email: user.email };
    await models().Link.create({ ...link, createdAt: new Date(), expiresAt: new Date(Date.now() + 60_000) });
    const left = '\n1 mail had been sent already; links in sent mails no longer work.\n';
    const dryRun = await importing.cli('imports', 'undo', String(number), '--dry-run');
    expect(dryRun.stdout).to.include('3 accounts removed').and.include(left);
    const undone = await importing.cli('imports', 'undo', id, '--yes', '--json');
    expect(JSON.parse(undone.stdout).undo).to.deep.equal({ removed: 3, restored: 0, kept: [], mailsSent: 1 });
    expect([await models().User.count(), await models().Mail.count(), await models().Link.count()]).to.deep.equal([
      0, 0, 0,
    ]);
  });

  it('can be undone after its people were invited, even if it gave or reset passwords', async () => {
    const { context } = importing;
    const user = await buildUser(context, { email: 'ada@x.org', phone: '+1 1', password: 'chosen-before' });
    const file = importing.write(
      'people.csv',
      'firstName,lastName,email,phone\nAda,King,ada@x.org,+1 1\nBo,Li,bo@x.org,+1 2\n',
    );
    const { number } = await importing.json(file, '--on-existing', 'update', '--reset-passwords');
    for (const { id } of await models().User.findAll()) await inviteUser(context, operator, id);
    const undone = await importing.cli('imports', 'undo', String(number), '--yes');
    expect(undone).to.include({ exitCode: 0 });
    expect(await states()).to.deep.equal([['ada@x.org', true, null]]);
    expect(await mails()).to.deep.equal([[user.email, 'invitation', 'withdrawn', null]]);
    await login(user.email, 'chosen-before').expect(200);
  });
});

describe('An import that sends mails without a mail server', () => {
  const importing = useImporting();

  it('is refused before anything is written', async () => {
    const file = importing.write('people.csv', three);
    const before = await importing.contents();
    for (const option of ['--invite', '--notify']) {
      const { exitCode, stderr } = await importing.run(file, option, '--yes');
      const message = 'error: Mail is not set up. Set SMTP_URL, MAIL_FROM and PUBLIC_URL.\n';
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 1, stderr: message });
    }
    expect(await importing.contents()).to.equal(before);
    expect(existsSync(`${importing.folder}/people.credentials.csv`)).to.equal(false);
    const { token } = await signIn(importing.context, { role: 'super_admin' });
    for (const field of ['invite', 'notify']) {
      const post = importing.api('post', '/api/imports', token).field(field, 'true');
      const { body } = await post.attach('file', Buffer.from(three), 'people.csv').expect(400);
      expect(body.error).to.match(/^Mail is not set up\./);
    }
    expect(await importing.context.database.models.Import.count()).to.equal(0);
  });
});
