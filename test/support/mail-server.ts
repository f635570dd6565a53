import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SMTPServer } from 'smtp-server';
import { type Certificate, makeCertificate } from './certificate.js';
import { parseMail, type ReceivedMail } from './received-mail.js';
import { until } from './until.js';

/** Steps at which the server can refuse. `DATA` is the response to the content. */
export type SmtpStage = 'connect' | 'EHLO' | 'AUTH' | 'MAIL FROM' | 'RCPT' | 'DATA';

/** A refusal, such as `{ code: 550, text: '5.1.1 No such user' }`. */
export interface Refusal {
  code: number;
  text: string;
}

/**
 * Decides about one step.
 * @param subject address at MAIL FROM, RCPT and DATA (its first recipient), user at AUTH, otherwise empty
 * @returns undefined to accept
 */
export type Responder = Refusal | ((subject: string) => Refusal | undefined);

export interface MailServerOptions {
  /** 0 selects a free port. */
  port?: number;
  user?: string;
  password?: string;
  /** `starttls` by default; `implicit` is smtps; `none` offers no encryption. */
  tls?: 'starttls' | 'implicit' | 'none';
  /** By default an untrusted certificate for 127.0.0.1: clients don't verify certificates on loopback. */
  certificate?: Certificate;
  /** `false` offers no authentication. */
  auth?: boolean;
  /** `false` accepts only ASCII addresses. */
  utf8?: boolean;
}

/** A mail server on 127.0.0.1 that stores received mails. */
export interface MailServer {
  /** Value for SMTP_URL, with user and password. */
  url: string;
  port: number;
  user: string;
  password: string;
  /** Accepted mails, oldest first; with {@link dieAfterData} also mails that were received but not acknowledged. */
  mails: ReceivedMail[];
  /** Attempted logins; `secure` says whether the connection was encrypted. */
  logins: { user: string; password: string; secure: boolean }[];
  /** Number of connections so far. */
  connections: number;
  /**
   * Waits for a number of mails, or for a matching mail, and returns them.
   * @throws Error after a minute
   */
  waitFor(count: number): Promise<ReceivedMail[]>;
  waitFor(fits: (mail: ReceivedMail) => boolean): Promise<ReceivedMail>;
  /** Refuses at a stage from now on; `undefined` ends the refusals. `EHLO` and `connect` apply to new connections. */
  refuse(stage: SmtpStage, responder: Responder | undefined): void;
  /** Delay of each response to a content, in milliseconds. */
  delay: number;
  /** Closes the connection after the content, without a response. */
  dieAfterData: boolean;
  /** Accepts connections without ever responding. */
  silent: boolean;
  /** Closes all connections, as a restart does, and accepts new ones. */
  dropConnections(): void;
  close(): Promise<void>;
}

let ownCertificate: Certificate | undefined;

const errorOf = ({ code, text }: Refusal) => Object.assign(new Error(text), { responseCode: code });

/** Refuses EHLO with raw text, because smtp-server has no hook for EHLO. */
function refuseGreeting(socket: Socket, { code, text }: Refusal): void {
  socket.write('220 mail.example.org ESMTP\r\n');
  socket.on('data', () => socket.write(`${code} ${text}\r\n`));
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { user = 'courses', password = 'secret of mails', tls = 'starttls' } = options;
  ownCertificate ??= makeCertificate('IP:127.0.0.1');
  const { certificate, key } = options.certificate ?? ownCertificate;
  const responders = new Map<SmtpStage, Responder>();
  const sockets = new Set<Socket>();
  const refusalAt = (stage: SmtpStage, subject: string) => {
    const responder = responders.get(stage);
    const refusal = typeof responder === 'function' ? responder(subject) : responder;
    return refusal && errorOf(refusal);
  };

  const smtp = new SMTPServer({
    secure: tls === 'implicit',
    cert: certificate,
    key,
    name: 'mail.example.org',
    disabledCommands: [...(tls === 'none' ? ['STARTTLS'] : []), ...(options.auth === false ? ['AUTH'] : [])],
    allowInsecureAuth: tls === 'none',
    authOptional: true,
    // The codes of smtp-server would precede those of refusals.
    hideENHANCEDSTATUSCODES: true,
    hideSMTPUTF8: options.utf8 === false,
    disableReverseLookup: true,
    lenientAddressParsing: true,
    onConnect: (_, done) => done(refusalAt('connect', '')),
    onAuth(login, session, done) {
      const given = { user: login.username ?? '', password: login.password ?? '', secure: session.secure };
      server.logins.push(given);
      const refusal = refusalAt('AUTH', given.user);
      if (refusal) return done(refusal);
      if (given.user !== user || given.password !== password)
        return done(errorOf({ code: 535, text: '5.7.8 Authentication credentials invalid' }));
      done(null, { user: given.user });
    },
    onMailFrom: ({ address }, _, done) => done(refusalAt('MAIL FROM', address)),
    onRcptTo: ({ address }, _, done) => done(refusalAt('RCPT', address)),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        if (server.delay > 0) await sleep(server.delay, undefined, { ref: false });
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const refusal = refusalAt('DATA', to[0] ?? '');
        if (refusal) return done(refusal);
        const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
        const login = typeof session.user === 'string' ? session.user : undefined;
        const mail = parseMail(Buffer.concat(chunks).toString('latin1'));
        server.mails.push({ ...mail, from, to, user: login, secure: session.secure });
        if (server.dieAfterData) dropConnections();
        else done();
      });
    },
  });
  // Ignores clients that close a connection or refuse the certificate, which tests do on purpose.
  smtp.on('error', () => undefined);
  smtp.server.on('connection', (socket: Socket) => {
    server.connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  });
  const connect = smtp.connect.bind(smtp);
  smtp.connect = (socket, socketOptions) => {
    if (server.silent) return void socket.resume();
    const responder = responders.get('EHLO');
    const refusal = typeof responder === 'function' ? responder('') : responder;
    if (refusal) return refuseGreeting(socket, refusal);
    connect(socket, socketOptions);
  };
  function dropConnections() {
    for (const socket of sockets) socket.destroy();
  }

  smtp.listen(options.port ?? 0, '127.0.0.1');
  await once(smtp.server, 'listening');
  // A TCP server has an address of this type.
  const { port } = smtp.server.address() as AddressInfo;
  const login = options.auth === false ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;

  function waitFor(count: number): Promise<ReceivedMail[]>;
  function waitFor(fits: (mail: ReceivedMail) => boolean): Promise<ReceivedMail>;
  async function waitFor(wanted: number | ((mail: ReceivedMail) => boolean)) {
    const { mails } = server;
    if (typeof wanted === 'number') {
      await until(() => mails.length >= wanted, `the mail server has ${wanted} mails`);
      return [...mails];
    }
    await until(() => mails.some(wanted), `the mail server has a mail for which ${wanted}`);
    return mails.find(wanted);
  }

  const server: MailServer = {
    url: `${tls === 'implicit' ? 'smtps' : 'smtp'}://${login}127.0.0.1:${port}`,
    port,
    user,
    password,
    mails: [],
    logins: [],
    connections: 0,
    waitFor: waitFor as MailServer['waitFor'],
    refuse(stage, responder) {
      if (responder) responders.set(stage, responder);
      else responders.delete(stage);
    },
    delay: 0,
    dieAfterData: false,
    silent: false,
    dropConnections,
    async close() {
      const closed = new Promise<void>((resolve) => smtp.close(resolve));
      dropConnections();
      await closed;
    },
  };
  return server;
}

/** Prints a line for each mail, with the links in its text: `npx tsx test/support/mail-server.ts --port 2525`. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '2525' } } });
  const server = await startMailServer({ port: Number(values.port) });
  process.stdout.write(`SMTP_URL=${server.url}\n`);
  for (let shown = 0; ; shown += 1) {
    while (server.mails.length <= shown) await sleep(100);
    const mail = server.mails[shown];
    const links = mail?.text.match(/https?:\/\/[^\s<>"]+/g) ?? [];
    process.stdout.write(`${mail?.to.join(', ')}\t${mail?.subject}\t${links.join(' ')}\n`);
  }
}

// No await: otherwise mocha can't load the file in one process.
if (import.meta.url === `file://${process.argv[1]}`) void main();
