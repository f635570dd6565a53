import { isOnLoopback, type MailAddress, type SmtpServer } from '../../config/mail-settings.js';
import { AppError } from '../../errors.js';
import {
  asServerFault,
  type ServerFault,
  saysAddressUnknown,
  whyAddressNotTaken,
  whyNotTaken,
  whyUnusable,
} from './smtp-faults.js';

/** How mail leaves: taken from the settings by the caller. */
export interface TransportOptions {
  server: SmtpServer;
  tls: 'required' | 'opportunistic';
  from: MailAddress;
  replyTo?: MailAddress;
}

export interface OutgoingMail {
  to: MailAddress;
  subject: string;
  text: string;
  html: string;
  /** Such as `<id@host>`; the same whenever the mail is sent again. */
  messageId: string;
}

/** What became of a mail. Reasons are one line of at most 500 characters, without secrets and content. */
export type Delivery =
  | { outcome: 'accepted' }
  /** `isAddressUnknown`: the server knows no such mailbox (its answer to RCPT). */
  | { outcome: 'deferred' | 'failed'; reason: string; isAddressUnknown: boolean }
  /** The whole server can't be used now, for any mail: why, and what to do. */
  | { outcome: 'paused'; reason: string };

export interface MailTransport {
  /** Sends one mail. Faults of the server are outcomes; only bugs are thrown. */
  send(mail: OutgoingMail): Promise<Delivery>;
  /** Connects and authenticates. @throws AppError `MAIL_SERVER_UNUSABLE`, which says what is wrong and what to set */
  verify(): Promise<void>;
  /** Closes the connection, after the mail that is being sent; with `force` at once. */
  close(options?: { force?: boolean }): void;
}

/** How long to wait for the server, in ms. */
interface TransportTimeouts {
  /** To resolve its name, to connect, and to be greeted. */
  connect: number;
  /** While it says nothing. */
  silence: number;
}

/** What tests shorten, or trust; operators name authorities in NODE_EXTRA_CA_CERTS. */
interface ConnectionSettings {
  timeouts: TransportTimeouts;
  /** Certificates of authorities, in PEM. */
  ca?: string;
}

const defaultConnection: ConnectionSettings = { timeouts: { connect: 10_000, silence: 60_000 } };

/** An unused connection is closed before servers do that: most wait for a minute or more. In ms. */
const idleTimeout = 20_000;

/**
 * Options of encryption. Off loopback certificates are checked whenever TLS is demanded; on it only where the setting says so: nobody can
 * listen, and few servers have a certificate for it. nodemailer sends passwords in clear to servers that offer no STARTTLS, unless TLS is
 * required.
 */
function encryption({ server, tls }: TransportOptions, ca: string | undefined) {
  const required = tls === 'required' || server.user !== undefined;
  const isChecked = tls === 'required' || (!isOnLoopback(server) && (required || server.secure));
  return {
    secure: server.secure,
    requireTLS: required && !server.secure,
    opportunisticTLS: !required,
    tls: { rejectUnauthorized: isChecked, ...(ca !== undefined && { ca }) },
  };
}

/** Facts that nodemailer tells its logger alone. */
interface ConnectionState {
  /** Whether the content of the latest mail was handed to the server. */
  contentSent: boolean;
  /** Whether the server takes addresses beyond ASCII (SMTPUTF8, RFC 6531); undefined before it was greeted. */
  acceptsUtf8: boolean | undefined;
}

async function openPool(options: TransportOptions, { timeouts, ca }: ConnectionSettings, progress: ConnectionState) {
  // Only processes that send load it.
  const { createTransport } = await import('nodemailer');
  const { host, port, user, password = '' } = options.server;
  const ignore = () => undefined;
  const info = (entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('tnx' in entry)) return;
    if (entry.tnx === 'send') progress.contentSent = false;
    if (entry.tnx === 'message') progress.contentSent = true;
  };
  const debug = (entry: unknown, line: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('tnx' in entry) || typeof line !== 'string') return;
    // Before and after STARTTLS: the last answer counts.
    if (entry.tnx === 'client' && line.startsWith('EHLO')) progress.acceptsUtf8 = false;
    if (entry.tnx === 'server' && /^250[ -]SMTPUTF8\b/im.test(line)) progress.acceptsUtf8 = true;
  };
  const logger = { trace: ignore, debug, info, warn: ignore, error: ignore, fatal: ignore };
  return createTransport({
    host,
    port,
    ...encryption(options, ca),
    // Without it nodemailer sends without logging in where a server offers no AUTH.
    ...(user !== undefined && { auth: { user, pass: password }, forceAuth: true }),
    pool: true,
    maxConnections: 1,
    // What is sent again, and when, is the outbox's to decide.
    maxRequeues: 0,
    idleTimeout,
    dnsTimeout: timeouts.connect,
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.connect,
    socketTimeout: timeouts.silence,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger,
    transactionLog: true,
  });
}

/** What nodemailer makes a message of. The envelope is explicit: no header can add a recipient. */
function messageOf(mail: OutgoingMail, { from, replyTo }: TransportOptions) {
  return {
    envelope: { from: { name: '', address: from.address }, to: [{ name: '', address: mail.to.address }] },
    // Copies: nodemailer writes into them, and settings are frozen. It would throw where nobody catches it.
    from: { ...from },
    to: { ...mail.to },
    ...(replyTo && { replyTo: { ...replyTo } }),
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: mail.messageId,
    date: new Date(),
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** Whether an address has letters beyond ASCII before its domain, which has another form for servers. */
const needsUtf8 = (address: string) => /[^\0-\x7f]/.test(address.slice(0, address.lastIndexOf('@')));

/** Which outcome a fault is. */
function outcomeOf(fault: ServerFault, contentSent: boolean): 'deferred' | 'failed' | 'paused' {
  const { command = '', responseCode = 0 } = fault;
  // It asks for a login, whoever the recipient is (RFC 4954, section 6).
  if (responseCode === 530) return 'paused';
  if (command === 'RCPT TO' || command === 'DATA') return responseCode >= 500 ? 'failed' : 'deferred';
  // With PIPELINING a 421 to RCPT or DATA loses its command; to MAIL FROM it keeps it.
  if (command === 'CONN' && fault.code === 'ECONNECTION' && responseCode === 421) return 'deferred';
  // The connection ended after the content: the server may have taken it. A server or filter that dies of each mail, or of
  // this one, would get it every few minutes if it paused the sender, and the person as many copies; the growing delay of a
  // deferred mail bounds these, and lets the others pass.
  return contentSent && command === 'CONN' ? 'deferred' : 'paused';
}

/** The connection to a server, which is made when the first mail is sent. */
export function openTransport(
  options: TransportOptions,
  conditions: ConnectionSettings = defaultConnection,
): MailTransport {
  const progress: ConnectionState = { contentSent: false, acceptsUtf8: undefined };
  let pool: ReturnType<typeof openPool> | undefined;
  let closed = false;

  async function attempt(mail: OutgoingMail): Promise<ServerFault | undefined> {
    pool ??= openPool(options, conditions, progress);
    progress.contentSent = false;
    try {
      const transport = await pool;
      await transport.sendMail(messageOf(mail, options));
      return undefined;
    } catch (error) {
      return asServerFault(error);
    }
  }

  /** Asks the server before the first address beyond ASCII. nodemailer would send it to any server. */
  async function acceptsAddress({ to }: OutgoingMail): Promise<boolean> {
    if (!needsUtf8(to.address)) return true;
    pool ??= openPool(options, conditions, progress);
    if (progress.acceptsUtf8 === undefined) await (await pool).verify();
    return progress.acceptsUtf8 === true;
  }

  return {
    async send(mail) {
      if (closed) return { outcome: 'paused', reason: 'The connection to the mail server was closed.' };
      if (/[\r\n<>]/.test(mail.to.address))
        return { outcome: 'failed', reason: 'The address is none that mail can be sent to.', isAddressUnknown: false };
      try {
        if (!(await acceptsAddress(mail)))
          return { outcome: 'failed', reason: whyAddressNotTaken(options.server), isAddressUnknown: false };
      } catch (error) {
        return { outcome: 'paused', reason: whyUnusable(asServerFault(error), options.server, mail) };
      }
      let fault = await attempt(mail);
      // A server may end a connection between two mails, such as after a number of them: no fault of it, and nothing was sent.
      if (!closed && fault?.code === 'ECONNECTION' && fault.command === undefined) fault = await attempt(mail);
      if (!fault) return { outcome: 'accepted' };
      const outcome = outcomeOf(fault, progress.contentSent);
      if (outcome === 'paused') return { outcome, reason: whyUnusable(fault, options.server, mail) };
      const reason = whyNotTaken(fault, options.server, mail);
      const isAddressUnknown = fault.command === 'RCPT TO' && saysAddressUnknown(fault.response ?? '');
      return { outcome, reason, isAddressUnknown };
    },

    async verify() {
      pool ??= openPool(options, conditions, progress);
      const transport = await pool;
      try {
        await transport.verify();
      } catch (error) {
        throw new AppError('MAIL_SERVER_UNUSABLE', whyUnusable(asServerFault(error), options.server));
      }
    },

    close({ force = false } = {}) {
      closed = true;
      void pool?.then((transport) => transport.close({ force }));
    },
  };
}
