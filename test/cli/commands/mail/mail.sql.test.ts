import { expect } from 'chai';
import { startMailSender } from '../../../../src/services/mail/sender.js';
import { mailSettings, testEnvironment } from '../../../support/environment.js';
import { buildMail, buildUser } from '../../../support/factories.js';
import { useHarness } from '../../../support/harness.js';
import { transportTo, useMailServer } from '../../../support/mailbox.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { until } from '../../../support/until.js';

const ended = { nextAt: null, finishedAt: new Date() };

describe('coursectl mail', () => {
  const metricsToken = 'a-token-for-metrics';
  const harness = useHarness({ ...mailSettings, METRICS_TOKEN: metricsToken });
  const mailbox = useMailServer(harness);
  const cli = useCommandLine(() => ({
    ...testEnvironment,
    ...mailSettings,
    DATABASE_URL: harness.databaseUrl,
    SMTP_URL: mailbox.server.url,
  }));
  const failure = async (argv: readonly string[]) => {
    const { exitCode, stderr } = await cli.run(argv);
    expect(exitCode).to.be.oneOf([1, 2]);
    return stderr;
  };
  const failed = (lastError: string, addressUnknown = false) =>
    buildMail(harness.context, { state: 'failed', lastError, addressUnknown, ...ended });

  it('lists mails with filters, and shows one mail', async () => {
    const { id: userId } = await buildUser(harness.context, { email: 'ada@example.org' });
    const mail = await buildMail(harness.context, { userId, kind: 'completed' });
    await failed('550 no');
    const filters = ['--user', 'ada@example.org', '--kind', 'completed', '--state', 'queued', '--since', '2026-01-01'];
    const { mails } = await cli.json<{ mails: { id: string }[] }>(['mail', 'list', ...filters]);
    expect(mails.map(({ id }) => id)).to.deep.equal([mail.id]);
    const { stdout } = await cli.run(['mail', 'show', mail.id.slice(-8)]);
    expect(stdout)
      .to.match(/to +ada@example\.org\n/)
      .and.to.include(`<${mail.id}@courses.example.org>`);
  });

  it('does not reveal accounts with forgotten passwords', async () => {
    const { id: userId } = await buildUser(harness.context, { email: 'ada@example.org', lastName: 'Lovelace' });
    const { id } = await buildMail(harness.context, { userId, kind: 'reset', address: 'ada@example.org' });
    const outputs = [];
    for (const argv of [['list'], ['list', '--json'], ['show', id], ['withdraw', id, '--dry-run']]) {
      const { exitCode, stdout, stderr } = await cli.run(['mail', ...argv]);
      expect(exitCode, stderr).to.equal(0);
      outputs.push(stdout + stderr);
    }
    for (const output of outputs)
      expect(output)
        .to.include('reset')
        .and.not.match(/ada|lovelace/i);
    expect((await cli.run(['mail', 'withdraw', '--user', 'ada@example.org', '--yes'])).stdout).not.to.include('reset');
    const { mails } = await cli.json<{ mails: object[] }>(['mail', 'list', '--user', 'ada@example.org']);
    expect(mails).to.deep.equal([]);
  });

  it('retries failed mails, and sends due mails', async () => {
    await failed('550 no');
    await buildMail(harness.context, { state: 'sent', ...ended });
    const again = await cli.run(['mail', 'retry', '--kind', 'password-changed', '--yes']);
    expect(again.exitCode, again.stderr).to.equal(0);
    expect(again.stderr).to.equal(
      '1 mail queued again.\nNo service runs that sends mails. Start or restart it, or send them with: coursectl mail send\n',
    );
    const test = { kind: 'test', address: 'me@example.org' };
    await buildMail(harness.context, test);
    const { stdout, exitCode } = await cli.run(['mail', 'send']);
    // The recipient of the other mail doesn't exist.
    expect({ stdout, exitCode }).to.deep.equal({ stdout: '1 mail sent.\n', exitCode: 0 });
    expect(mailbox.server.mails.map(({ to }) => to)).to.deep.equal([['me@example.org']]);
  });

  it('retries mails to an address', async () => {
    const { id: userId } = await buildUser(harness.context, { email: 'ada@example.org' });
    await buildMail(harness.context, { userId, kind: 'completed', state: 'failed', ...ended });
    await failed('550 no');
    const { stderr } = await cli.run(['mail', 'retry', 'Ada@example.org', '--yes']);
    expect(stderr).to.match(/^1 mail queued again\./);
    const none = await cli.run(['mail', 'retry', 'ada@example.org', '--yes']);
    expect(none.exitCode).to.equal(1);
    expect(none.stdout).to.include('There is no mail to ada@example.org to send again.');
  });

  it('lists deferred mails, also if no mail is due', async () => {
    const { id: userId } = await buildUser(harness.context, { email: 'ada@example.org' });
    const nextAt = new Date(Date.now() + 20.5 * 60_000);
    await buildMail(harness.context, {
      userId,
      kind: 'completed',
      state: 'deferred',
      lastError: '450 greylisted',
      nextAt,
    });
    const { stdout } = await cli.run(['mail', 'send']);
    expect(stdout).to.equal(
      '0 mails sent.\nDeferred, and retried automatically:\n' +
        '  completed to ada@example.org in 20 minutes: 450 greylisted\n' +
        'To try them now: coursectl mail retry --state deferred\n',
    );
  });

  it('withdraws waiting mails, and refuses others with the reason', async () => {
    const [waiting, gone] = [await buildMail(harness.context), await failed('550 no')];
    const { exitCode, stdout } = await cli.run(['mail', 'withdraw', waiting.id, gone.id, '--yes']);
    expect(exitCode).to.equal(3);
    expect(stdout).to.include('only mails that are queued or deferred can be withdrawn');
    expect((await waiting.reload()).state).to.equal('withdrawn');
    expect(await failure(['mail', 'withdraw'])).to.include('A mail is missing: give its id, an address, or filters');
  });

  it("reports refused mails, and a server that can't be used", async () => {
    const mail = { kind: 'test', address: 'me@example.org' };
    await buildMail(harness.context, mail);
    mailbox.server.refuse('RCPT', { code: 550, text: '5.1.1 No such user' });
    const refused = await cli.run(['mail', 'send']);
    expect(refused).to.include({ exitCode: 1, stdout: '0 mails sent, 1 failed.\n' });
    await buildMail(harness.context, mail);
    mailbox.server.refuse('MAIL FROM', { code: 550, text: '5.7.1 Not you' });
    expect(await failure(['mail', 'send'])).to.include('5.7.1 Not you');
  });

  it('sends a test mail, and prints the answer of the server', async () => {
    const { stdout } = await cli.run(['mail', 'test', 'me@example.org']);
    expect(stdout).to.include('The mail server took the mail to me@example.org.');
    expect(mailbox.server.mails).to.have.length(1);
    mailbox.server.refuse('RCPT', { code: 550, text: '5.1.1 No such user' });
    expect(await failure(['mail', 'test', 'me@example.org'])).to.include('5.1.1 No such user');
    expect(await failure(['mail', 'test', 'me'])).to.include('valid email address');
  });

  it('refuses to send while the service runs', async () => {
    const sender = startMailSender(harness.context, { pollMs: 10, transport: transportTo(mailbox.server) });
    try {
      await buildMail(harness.context, { kind: 'test', address: 'me@example.org' });
      await until(() => Promise.resolve(mailbox.server.mails.length === 1));
      expect(await failure(['mail', 'send'])).to.include('Another process sends the mails');
      await failed('550 no');
      const { stderr } = await cli.run(['mail', 'retry', '--state', 'failed', '--yes']);
      expect(stderr).to.include('The service sends them now.');
    } finally {
      await sender.close();
    }
  });

  it('reports in full sentences that the server is down or refuses the login', async () => {
    const mail = await buildMail(harness.context, { kind: 'test', address: 'me@example.org' });
    const server = `The mail server 127.0.0.1:${mailbox.server.port}`;
    const expectReason = async (reason: string) => {
      for (const command of [['send'], ['test', 'me@example.org']])
        expect(await failure(['mail', ...command])).to.equal(`error: ${reason}\n`);
      expect((await mail.reload()).lastError).to.equal(reason);
      const { stdout } = await cli.run(['doctor']);
      const afterwards = ' -> The service tries again by itself; restart it after a change of the settings.';
      expect(stdout)
        .to.include(`FAILED   mail server: ${reason}`)
        .and.include(`no mail is sent: ${reason}${afterwards}`);
    };
    mailbox.server.refuse('AUTH', { code: 535, text: '5.7.8 Wrong' });
    await expectReason(
      `${server} refuses the login: 535 5.7.8 Wrong. Correct the user and password in SMTP_URL (percent-encoded).`,
    );
    await mailbox.server.close();
    await expectReason(`${server} refuses connections. Start it, or correct the port in SMTP_URL.`);
  });

  it('makes doctor advise a retry, or the correction of an address that does not exist', async () => {
    await failed('550 5.7.1 Spam');
    expect((await cli.run(['doctor'])).stdout)
      .to.include('mail retry --state failed')
      .and.not.include('users edit');
    await harness.context.database.models.Mail.destroy({ where: {} });
    await failed('550 5.1.1 No such user', true);
    expect((await cli.run(['doctor'])).stdout)
      .to.include('users edit <email> --email')
      .and.not.include('mail retry');
  });

  it('makes doctor and overview report failed or paused mails', async () => {
    await failed('550 5.7.1 Spam');
    await failed('550 5.1.1 No such user', true);
    await buildMail(harness.context, { lastError: 'the password is wrong' });
    const doctor = await cli.run(['doctor']);
    expect(doctor.stdout).to.include('mails: no mail is sent: the password is wrong');
    expect(doctor.stdout).to.include(`ok       mail server: 127.0.0.1:${mailbox.server.port} can be used`);
    const { stdout } = await cli.run(['overview']);
    for (const task of [
      '1 mail held back. No mail is sent: the password is wrong',
      '1 mail refused by the server, the last one because: 550 5.7.1 Spam',
      "1 mail to addresses that don't exist",
    ])
      expect(stdout).to.include(task);
    mailbox.server.refuse('AUTH', { code: 535, text: '5.7.8 Wrong' });
    expect((await cli.run(['doctor'])).stdout).to.match(/FAILED {3}mail server: .*535 5\.7\.8 Wrong/);
  });

  it('adds its counts to /metrics', async () => {
    const createdAt = new Date(Date.now() - 60_000);
    await buildMail(harness.context, { createdAt });
    await buildMail(harness.context, { state: 'deferred' });
    await failed('550 no');
    const { text } = await harness.api('get', '/metrics', metricsToken).expect(200);
    const counted = [...text.matchAll(/^coursectl_mails\{state="(\w+)"\} (\d+)$/gm)].map((found) => found.slice(1));
    expect(Object.fromEntries(counted)).to.deep.equal({ queued: '1', deferred: '1', sent: '0', failed: '1' });
    const [, age] = /^coursectl_mail_oldest_seconds (\S+)$/m.exec(text) ?? [];
    expect(Number(age)).to.be.within(60, 120);
  });
});
