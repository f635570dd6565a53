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
  /** `<id@host>`; the same for each attempt. */
  messageId: string;
}

/** Result of an attempt to send a mail. Reasons are one line of at most 500 characters, without secrets and content. */
export type Delivery =
  | { outcome: 'accepted' }
  /** `isAddressUnknown`: the server's reply to RCPT means an unknown mailbox. */
  | { outcome: 'deferred' | 'failed'; reason: string; isAddressUnknown: boolean }
  /** The server can't be used for any mail now. `reason` includes the remedy. */
  | { outcome: 'paused'; reason: string };

export interface MailTransport {
  /** Sends one mail. Faults of the server are returned as outcomes; only bugs are thrown. */
  send(mail: OutgoingMail): Promise<Delivery>;
  /** Connects and authenticates. @throws AppError `MAIL_SERVER_UNUSABLE` with the problem and the setting to change */
  verify(): Promise<void>;
  /** Closes the connection after the current mail; with `force` at once. */
  close(options?: { force?: boolean }): void;
}

/** Timeouts in milliseconds. */
interface TransportTimeouts {
  /** Limit for each of these steps: resolving the name, connecting, and the server's greeting. */
  connect: number;
  /** Time without any data from the server. */
  stall: number;
}

/** Settings that tests override. Operators add certificate authorities with NODE_EXTRA_CA_CERTS. */
interface ConnectionSettings {
  timeouts: TransportTimeouts;
  /** Certificates of trusted authorities, in PEM. */
  ca?: string;
}

const defaultConnection: ConnectionSettings = { timeouts: { connect: 10_000, stall: 60_000 } };

/** Time after which an unused connection is closed, in milliseconds. Most servers close it after a minute or more. */
const idleTimeout = 20_000;

/**
 * Returns the options of encryption. TLS is required by SMTP_TLS=required, and for a login: otherwise nodemailer sends the
 * password unencrypted to servers without STARTTLS. Certificates are checked if TLS is required or the URL is smtps://.
 * On loopback, only SMTP_TLS=required checks them: it can't be intercepted and rarely has a certificate.
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

/** Facts about the connection that nodemailer reports only to its logger. */
interface ConnectionState {
  /** Whether the content of the latest mail was sent to the server. */
  contentSent: boolean;
  /** Whether the server accepts non-ASCII addresses (SMTPUTF8, RFC 6531); undefined until the first EHLO. */
  acceptsUtf8: boolean | undefined;
}

async function openPool(options: TransportOptions, { timeouts, ca }: ConnectionSettings, state: ConnectionState) {
  // Only processes that send mails load nodemailer.
  const { createTransport } = await import('nodemailer');
  const { host, port, user, password = '' } = options.server;
  const ignore = () => undefined;
  const info = (entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('tnx' in entry)) return;
    if (entry.tnx === 'send') state.contentSent = false;
    if (entry.tnx === 'message') state.contentSent = true;
  };
  const debug = (entry: unknown, line: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('tnx' in entry) || typeof line !== 'string') return;
    // The server responds to EHLO before and after STARTTLS; the last response counts.
    if (entry.tnx === 'client' && line.startsWith('EHLO')) state.acceptsUtf8 = false;
    if (entry.tnx === 'server' && /^250[ -]SMTPUTF8\b/im.test(line)) state.acceptsUtf8 = true;
  };
  const logger = { trace: ignore, debug, info, warn: ignore, error: ignore, fatal: ignore };
  return createTransport({
    host,
    port,
    ...encryption(options, ca),
    // Without `forceAuth`, nodemailer sends mails without a login to a server that offers no AUTH.
    ...(user !== undefined && { auth: { user, pass: password }, forceAuth: true }),
    pool: true,
    maxConnections: 1,
    // The outbox decides about retries.
    maxRequeues: 0,
    idleTimeout,
    dnsTimeout: timeouts.connect,
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.connect,
    socketTimeout: timeouts.stall,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger,
    transactionLog: true,
  });
}

/** Returns nodemailer's options of a message. The envelope is explicit, so that no header can add a recipient. */
function messageOf(mail: OutgoingMail, { from, replyTo }: TransportOptions) {
  return {
    envelope: { from: { name: '', address: from.address }, to: [{ name: '', address: mail.to.address }] },
    // Copies: nodemailer changes these objects, but settings are frozen. Its TypeError could not be caught here.
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

/** Whether an address has non-ASCII letters before the `@`. For a non-ASCII domain, nodemailer sends the ASCII form. */
const needsUtf8 = (address: string) => /[^\0-\x7f]/.test(address.slice(0, address.lastIndexOf('@')));

function outcomeOf(fault: ServerFault, contentSent: boolean): 'deferred' | 'failed' | 'paused' {
  const { command = '', responseCode = 0 } = fault;
  // The server requires a login, for every mail (RFC 4954, section 6).
  if (responseCode === 530) return 'paused';
  if (command === 'RCPT TO' || command === 'DATA') return responseCode >= 500 ? 'failed' : 'deferred';
  // With PIPELINING, nodemailer reports a 421 to RCPT or DATA as the command CONN, but a 421 to MAIL FROM as MAIL FROM.
  if (command === 'CONN' && fault.code === 'ECONNECTION' && responseCode === 421) return 'deferred';
  // The connection ended after the content was sent, so the server may have accepted the mail. After a
  // pause, the same mail would be tried every few minutes, and the recipient might get a copy each time. A deferred
  // mail waits longer after each attempt, and other mails are sent before it.
  return contentSent && command === 'CONN' ? 'deferred' : 'paused';
}

/** Creates a transport; it connects when the first mail is sent. */
export function openTransport(
  options: TransportOptions,
  connection: ConnectionSettings = defaultConnection,
): MailTransport {
  const state: ConnectionState = { contentSent: false, acceptsUtf8: undefined };
  let pool: ReturnType<typeof openPool> | undefined;
  let closed = false;

  async function attempt(mail: OutgoingMail): Promise<ServerFault | undefined> {
    pool ??= openPool(options, connection, state);
    state.contentSent = false;
    try {
      const transport = await pool;
      await transport.sendMail(messageOf(mail, options));
      return undefined;
    } catch (error) {
      return asServerFault(error);
    }
  }

  /**
   * Whether the address is ASCII, or the server supports SMTPUTF8. Connects first if SMTPUTF8 support is unknown: nodemailer sends
   * non-ASCII addresses to any server.
   */
  async function acceptsAddress({ to }: OutgoingMail): Promise<boolean> {
    if (!needsUtf8(to.address)) return true;
    pool ??= openPool(options, connection, state);
    if (state.acceptsUtf8 === undefined) await (await pool).verify();
    return state.acceptsUtf8 === true;
  }

  return {
    async send(mail) {
      if (closed) return { outcome: 'paused', reason: 'The connection to the mail server was closed.' };
      if (/[\r\n<>]/.test(mail.to.address))
        return { outcome: 'failed', reason: "Mail can't be sent to this address.", isAddressUnknown: false };
      try {
        if (!(await acceptsAddress(mail)))
          return { outcome: 'failed', reason: whyAddressNotTaken(options.server), isAddressUnknown: false };
      } catch (error) {
        return { outcome: 'paused', reason: whyUnusable(asServerFault(error), options.server, mail) };
      }
      let fault = await attempt(mail);
      // A server may close a connection between two mails, for example after a number of mails. Nothing of this
      // mail was sent in that case, so the mail is sent on a new connection.
      if (!closed && fault?.code === 'ECONNECTION' && fault.command === undefined) fault = await attempt(mail);
      if (!fault) return { outcome: 'accepted' };
      const outcome = outcomeOf(fault, state.contentSent);
      if (outcome === 'paused') return { outcome, reason: whyUnusable(fault, options.server, mail) };
      const reason = whyNotTaken(fault, options.server, mail);
      const isAddressUnknown = fault.command === 'RCPT TO' && saysAddressUnknown(fault.response ?? '');
      return { outcome, reason, isAddressUnknown };
    },

    async verify() {
      pool ??= openPool(options, connection, state);
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
