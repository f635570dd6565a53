import { expect } from 'chai';
import { parseSmtpUrl } from '../../../src/config/mail-settings.js';
import { isAppError } from '../../../src/errors.js';
import {
  type Delivery,
  type MailTransport,
  type OutgoingMail,
  openTransport,
  type TransportOptions,
} from '../../../src/services/mail/smtp.js';
import { makeCertificate } from '../../support/certificate.js';
import { type MailServer, type MailServerOptions, type SmtpStage, startMailServer } from '../../support/mail-server.js';

const token = 'q8Zk3nT0vYxW2uLr5sHcJ7dMfB1pGaE9oIyNtXwVeRk';
const mail: OutgoingMail = {
  to: { name: 'Grace Höpper', address: 'grace@example.org' },
  subject: 'Your account – welcome',
  text: `Choose a password:\nhttps://courses.example.org/set-password#${token}\n`,
  html: `<p>Choose a <a href="https://courses.example.org/set-password#${token}">password</a></p>`,
  messageId: '<0190-1@courses.example.org>',
};
const from = { name: 'Courses', address: 'courses@example.org' };
const shortTimeouts = { connect: 300, stall: 1_000 };
const longTimeouts = { connect: 10_000, stall: 10_000 };
/** Address that reaches loopback on Linux, but isn't recognised as loopback. */
const elsewhere = '0.0.0.0';

describe('Sending by SMTP', () => {
  let server: MailServer;
  let transports: MailTransport[];
  const started: MailServer[] = [];

  async function start(options?: MailServerOptions): Promise<MailServer> {
    server = await startMailServer(options);
    started.push(server);
    return server;
  }

  interface Way extends Partial<TransportOptions> {
    host?: string;
    password?: string | undefined;
    timeouts?: typeof shortTimeouts;
    ca?: string;
  }

  function open({ host, timeouts = longTimeouts, ca, ...options }: Way = {}): MailTransport {
    const named = parseSmtpUrl(server.url);
    const transport = openTransport(
      { server: { ...named, host: host ?? named.host }, tls: host ? 'required' : 'opportunistic', from, ...options },
      { timeouts, ...(ca !== undefined && { ca }) },
    );
    transports.push(transport);
    return transport;
  }

  const send = (way?: Way, other: Partial<OutgoingMail> = {}): Promise<Delivery> =>
    open(way).send({ ...mail, ...other });

  /** Returns the reason why the server can't be used. */
  async function verificationError(way: Way): Promise<string> {
    const error: unknown = await open(way)
      .verify()
      .catch((reason: unknown) => reason);
    if (!isAppError(error, 'MAIL_SERVER_UNUSABLE')) throw new Error(`No such failure: ${error}`);
    return error.message;
  }

  beforeEach(() => {
    transports = [];
  });
  afterEach(async () => {
    for (const transport of transports) transport.close();
    for (const running of started.splice(0)) await running.close();
  });

  it('sends all parts of a mail to one recipient, and marks the mail as generated', async () => {
    await start();
    expect(await send({ replyTo: { name: '', address: 'office@example.org' } })).to.deep.equal({ outcome: 'accepted' });
    const [received] = server.mails;
    expect(received).to.deep.include({
      from: from.address,
      to: [mail.to.address],
      user: server.user,
      secure: true,
      subject: mail.subject,
      messageId: mail.messageId,
      text: mail.text,
      html: mail.html,
    });
    expect(received?.headers).to.include({
      from: 'Courses <courses@example.org>',
      to: 'Grace Höpper <grace@example.org>',
      'reply-to': 'office@example.org',
      'auto-submitted': 'auto-generated',
    });
    expect(Math.abs(Date.now() - Date.parse(received?.headers.date ?? ''))).to.be.below(60_000);
  });

  it('sends to non-ASCII letters before the @ only if the server offers SMTPUTF8', async () => {
    const jürgen = { to: { name: 'Jürgen', address: 'jürgen@bücher.example' } };
    const ascii = { to: { name: 'Jürgen', address: 'juergen@bücher.example' } };
    for (const tls of ['none', 'starttls'] as const) {
      await start({ utf8: false, auth: false, tls });
      const transport = open();
      const { port } = server;
      expect(await transport.send({ ...mail, ...jürgen })).to.deep.equal({
        outcome: 'failed',
        reason: `The mail server 127.0.0.1:${port} takes only ASCII letters before the @ (it offers no SMTPUTF8). Give the person another address.`,
        isAddressUnknown: false,
      });
      expect(await transport.send({ ...mail, ...ascii })).to.deep.equal({ outcome: 'accepted' });
      expect(await transport.send({ ...mail, ...jürgen })).to.include({ outcome: 'failed' });
      expect(server.mails.map(({ to }) => to)).to.deep.equal([['juergen@bücher.example']]);
      await start({ auth: false, tls });
      const modern = open();
      expect(await modern.send({ ...mail, ...ascii })).to.deep.equal({ outcome: 'accepted' });
      expect(await modern.send({ ...mail, ...jürgen })).to.deep.equal({ outcome: 'accepted' });
      expect(server.mails[1]?.to).to.deep.equal(['jürgen@bücher.example']);
    }
  });

  it('asks for SMTPUTF8 again after the server was down', async () => {
    await start({ utf8: false });
    const jürgen = { to: { name: '', address: 'jürgen@example.org' } };
    const transport = open();
    const { port } = server;
    await server.close();
    expect(await transport.send({ ...mail, ...jürgen })).to.deep.equal({
      outcome: 'paused',
      reason: `The mail server 127.0.0.1:${port} refuses connections. Start it, or correct the port in SMTP_URL.`,
    });
    await start({ utf8: false, port });
    expect(await transport.send({ ...mail, ...jürgen })).to.include({ outcome: 'failed' });
  });

  it('sends long lines with all their spaces', async () => {
    await start();
    const text = `${'Wähle bitte ein Passwort. '.repeat(20)}Danke!\n`;
    await send({}, { text });
    expect(server.mails[0]?.text).to.equal(text);
  });

  it('accepts frozen settings and mails', async () => {
    await start();
    const frozen = (address: string) => Object.freeze({ name: 'Training', address });
    const delivery = await send(
      { from: frozen('training@example.org'), replyTo: frozen('answers@example.org') },
      { to: frozen('grace@example.org') },
    );
    expect(delivery).to.deep.equal({ outcome: 'accepted' });
  });

  it('keeps one connection for several mails', async () => {
    await start();
    const transport = open();
    for (const id of ['1', '2', '3']) await transport.send({ ...mail, messageId: `<${id}@example.org>` });
    expect([server.mails.length, server.connections]).to.deep.equal([3, 1]);
  });

  const refusals: [stage: SmtpStage, code: number, text: string, outcome: Delivery['outcome'], isUnknown?: boolean][] =
    [
      ['connect', 554, 'No service', 'paused'],
      ['connect', 421, 'Too many connections', 'paused'],
      ['EHLO', 550, 'Go away', 'paused'],
      ['AUTH', 535, '5.7.8 Wrong', 'paused'],
      ['AUTH', 454, '4.7.0 Later', 'paused'],
      ['MAIL FROM', 550, '5.1.8 No such sender', 'paused'],
      ['MAIL FROM', 451, '4.3.0 Later', 'paused'],
      ['MAIL FROM', 421, '4.3.2 Shutting down', 'paused'],
      ['RCPT', 450, '4.2.0 Greylisted', 'deferred', false],
      ['RCPT', 421, '4.7.0 Too fast', 'deferred', false],
      ['RCPT', 550, '5.1.1 No such user', 'failed', true],
      ['RCPT', 550, '5.1.2 No such domain', 'failed', true],
      ['RCPT', 553, '5.1.3 No address', 'failed', true],
      ['RCPT', 556, '5.1.10 Takes no mail', 'failed', true],
      ['RCPT', 550, '5.2.1 Disabled', 'failed', true],
      ['RCPT', 550, '5.1.16 Unheard of', 'failed', false],
      ['RCPT', 550, '5.7.1 Relaying denied', 'failed', false],
      ['RCPT', 530, '5.7.0 Authentication required', 'paused'],
      ['DATA', 554, '5.1.1 Spam', 'failed', false],
      ['DATA', 451, '4.7.1 Later', 'deferred', false],
      ['DATA', 421, '4.7.0 Shutting down', 'deferred', false],
    ];
  for (const [stage, code, text, outcome, isAddressUnknown] of refusals)
    it(`classifies the reply ${code} ${text} to ${stage} as ${outcome}`, async () => {
      await start();
      server.refuse(stage, { code, text });
      const delivery = await send();
      expect(delivery).to.deep.include({ outcome, ...(isAddressUnknown !== undefined && { isAddressUnknown }) });
      expect(delivery).to.have.property('reason').that.includes(text);
      expect(server.mails).to.deep.equal([]);
    });

  it('continues after a refused mail', async () => {
    await start();
    server.refuse('RCPT', (address) => (address === mail.to.address ? { code: 550, text: '5.1.1 Nobody' } : undefined));
    const transport = open();
    expect(await transport.send(mail)).to.include({ outcome: 'failed' });
    expect(await transport.send({ ...mail, to: from })).to.deep.equal({ outcome: 'accepted' });
  });

  it('does not pause if the server closes connections between mails', async () => {
    await start();
    const transport = open();
    await transport.send(mail);
    server.refuse('MAIL FROM', () => {
      server.refuse('MAIL FROM', undefined);
      return { code: 421, text: '4.7.0 Enough of this connection' };
    });
    expect(await transport.send(mail)).to.deep.equal({ outcome: 'accepted' });
    expect([server.mails.length, server.connections]).to.deep.equal([2, 2]);
  });

  it('pauses if the server is not found, does not listen, or never responds', async () => {
    await start();
    expect(await send({ host: 'mail.invalid', timeouts: shortTimeouts })).to.include({ outcome: 'paused' });
    server.silent = true;
    const delivery = await send({ timeouts: shortTimeouts });
    const named = `The mail server 127.0.0.1:${server.port}`;
    expect(delivery).to.include({ outcome: 'paused' });
    expect(delivery)
      .to.have.property('reason')
      .that.includes(`${named} doesn't answer (Greeting never received). Check the firewall`);
    await server.close();
    const reason = `${named} refuses connections. Start it, or correct the port in SMTP_URL.`;
    expect(await send()).to.deep.equal({ outcome: 'paused', reason });
  });

  it('defers a mail if the server is silent after the content', async () => {
    await start();
    server.delay = 20_000;
    expect(await send({ timeouts: { connect: 10_000, stall: 3_000 } })).to.include({ outcome: 'deferred' });
  });

  it('defers a mail if the server dies after the content, and retries with the same Message-ID', async () => {
    await start();
    server.dieAfterData = true;
    const transport = open();
    expect(await transport.send(mail)).to.include({ outcome: 'deferred', isAddressUnknown: false });
    server.dieAfterData = false;
    expect(await transport.send(mail)).to.deep.equal({ outcome: 'accepted' });
    expect(server.mails.map(({ messageId }) => messageId)).to.deep.equal([mail.messageId, mail.messageId]);
  });

  it('adds no recipient or header for a comma or a line break', async () => {
    await start();
    const transport = open();
    const name = 'Eve, eve@evil.example\r\nBcc: eve@evil.example';
    await transport.send({ ...mail, to: { name, address: mail.to.address }, subject: 'Hi\r\nBcc: eve@evil.example' });
    await transport.send({ ...mail, to: { name, address: 'a@example.org,eve@evil.example' } });
    expect(server.mails.map(({ to }) => to).filter((to) => to.length !== 1)).to.deep.equal([]);
    expect(server.mails.flatMap(({ to }) => to)).not.to.include('eve@evil.example');
    for (const { headers } of server.mails) expect(headers).not.to.have.property('bcc');
    const broken = { name: '', address: 'grace@example.org>\r\nRCPT TO:<eve@evil.example' };
    expect(await transport.send({ ...mail, to: broken })).to.include({ outcome: 'failed', isAddressUnknown: false });
  });

  it('throws the error of a bug', async () => {
    await start();
    const broken = {
      ...mail,
      get subject(): string {
        throw new TypeError('a bug');
      },
    };
    const transport = open();
    const error: unknown = await transport.send(broken).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(TypeError);
  });

  it('returns reasons as one line of 300 characters, without passwords and content', async () => {
    await start();
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const login = [server.password, base64(server.user), base64(`\0${server.user}\0${server.password}`)];
    const said = ['Refused\u0007', ...login, token, `https://courses.example.org/set-password#${token}`, mail.subject];
    server.refuse('DATA', { code: 554, text: `${said.join(' | ')} ${'spam '.repeat(100)}` });
    const delivery = await send();
    const { reason } = delivery as { reason: string };
    expect(reason).to.match(/^554 Refused [^\p{Cc}]*spam …?/u);
    expect(reason.length).to.be.at.most(300);
    for (const secret of [...login, token, mail.subject]) expect(reason).not.to.include(secret);
  });

  it('returns reasons of a pause with the remedy, without passwords and content', async () => {
    await start();
    server.refuse('MAIL FROM', { code: 550, text: `${server.password} ${token} ${'no '.repeat(200)}` });
    const { reason } = (await send()) as { reason: string };
    expect(reason)
      .to.match(/^The mail server 127\.0\.0\.1:\d+ answers: 550 … … no .*…\. Check SMTP_URL and MAIL_FROM, and look/)
      .and.not.include(token);
    expect(reason.length).to.be.at.most(500);
  });

  describe('with certificates', () => {
    const trusted = () => makeCertificate(`IP:${elsewhere}`);

    it('sends if the certificate is trusted, by STARTTLS and by TLS from the start', async () => {
      const certificate = trusted();
      for (const tls of ['starttls', 'implicit'] as const) {
        await start({ tls, certificate });
        expect(await send({ host: elsewhere, ca: certificate.certificate })).to.deep.equal({ outcome: 'accepted' });
        expect(server.mails[0]?.secure).to.equal(true);
      }
    });

    it('sends on loopback, but with SMTP_TLS=required only if the certificate is trusted', async () => {
      const certificate = makeCertificate('IP:127.0.0.1');
      for (const encryption of ['starttls', 'implicit'] as const) {
        await start({ tls: encryption, certificate });
        expect(await send()).to.deep.equal({ outcome: 'accepted' });
        expect(await send({ tls: 'required' })).to.include({ outcome: 'paused' });
        const way = { tls: 'required', ca: certificate.certificate } as const;
        expect(await send(way)).to.deep.equal({ outcome: 'accepted' });
      }
    });

    const certificates: [what: string, name: string, expired: boolean, isTrusted: boolean, words: string][] = [
      [
        'that is not trusted',
        `IP:${elsewhere}`,
        false,
        false,
        'a certificate that is self-signed. Set NODE_EXTRA_CA_CERTS',
      ],
      ['for another host', 'DNS:other.example.org', false, true, 'a certificate for another host than 0.0.0.0. Set'],
      ['that has expired', `IP:${elsewhere}`, true, true, 'a certificate that has expired. Renew'],
    ];
    for (const [what, name, expired, isTrusted, words] of certificates)
      it(`sends no password to a server with a certificate ${what}, and names the problem`, async () => {
        const certificate = makeCertificate(name, { expired });
        for (const encryption of ['starttls', 'implicit'] as const)
          for (const tls of ['required', 'opportunistic'] as const) {
            await start({ tls: encryption, certificate });
            const way = { host: elsewhere, tls, ...(isTrusted && { ca: certificate.certificate }) };
            expect(await send(way)).to.include({ outcome: 'paused' });
            expect(await verificationError(way)).to.include(words);
            expect([server.logins, server.mails]).to.deep.equal([[], []]);
          }
      });
  });

  describe('to a server without encryption', () => {
    it('sends nothing if the server is not on loopback, and names the setting', async () => {
      await start({ tls: 'none' });
      expect(await send({ host: elsewhere })).to.include({ outcome: 'paused' });
      expect(await verificationError({ host: elsewhere }))
        .to.include('offers no encryption')
        .and.include('SMTP_TLS=opportunistic');
      expect([server.logins, server.mails]).to.deep.equal([[], []]);
    });

    it('never sends a password with SMTP_TLS=opportunistic', async () => {
      await start({ tls: 'none' });
      for (const host of [elsewhere, '127.0.0.1'])
        expect(await send({ host, tls: 'opportunistic' })).to.include({ outcome: 'paused' });
      expect([server.logins, server.mails]).to.deep.equal([[], []]);
    });

    it('sends with SMTP_TLS=opportunistic if no password is needed', async () => {
      await start({ tls: 'none', auth: false });
      expect(await send({ host: elsewhere, tls: 'opportunistic' })).to.deep.equal({ outcome: 'accepted' });
    });

    it('sends on loopback, unless SMTP_TLS=required', async () => {
      await start({ tls: 'none', auth: false });
      expect(await send()).to.deep.equal({ outcome: 'accepted' });
      expect(await send({ tls: 'required' })).to.include({ outcome: 'paused' });
      expect(server.mails).to.have.length(1);
    });
  });

  it('encrypts with SMTP_TLS=opportunistic if the server can', async () => {
    await start({ auth: false });
    expect(await send({ host: elsewhere, tls: 'opportunistic' })).to.deep.equal({ outcome: 'accepted' });
    expect(server.mails[0]?.secure).to.equal(true);
  });

  describe('verify', () => {
    it('connects and logs in', async () => {
      await start();
      await open().verify();
      expect(server.logins).to.deep.equal([{ user: server.user, password: server.password, secure: true }]);
    });

    it('names the problem, but never the password', async () => {
      await start({ password: 'hunter2-hunter2' });
      server.refuse('AUTH', { code: 535, text: `5.7.8 hunter2-hunter2 is wrong` });
      const refused = await verificationError({});
      expect(refused).to.equal(
        `The mail server 127.0.0.1:${server.port} refuses the login: 535 5.7.8 … is wrong. Correct the user and password in SMTP_URL (percent-encoded).`,
      );
      server.silent = true;
      expect(await verificationError({ timeouts: shortTimeouts }))
        .to.include("doesn't answer")
        .and.include('smtps://');
      await server.close();
      expect(await verificationError({})).to.include(`127.0.0.1:${server.port} refuses connections. Start it`);
      expect(await verificationError({ host: 'mail.invalid', timeouts: shortTimeouts })).to.include(
        "can't be resolved",
      );
    });

    it('reports that a server accepts no logins', async () => {
      await start();
      const { url } = server;
      await start({ auth: false });
      const named = { ...parseSmtpUrl(url), port: server.port };
      const transport = openTransport({ server: named, tls: 'opportunistic', from });
      transports.push(transport);
      const error: unknown = await transport.verify().catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(Error).with.property('message').that.includes('Correct the user and password');
    });
  });
});
