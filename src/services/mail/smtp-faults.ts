import type { SmtpServer } from '../../config/mail-settings.js';

/** Error of nodemailer. `command` is `CONN` if the server didn't respond to a command. */
export interface ServerFault extends Error {
  code?: string;
  /** Code of Node's error, if `code` is a code of nodemailer. */
  originalCode?: string;
  command?: string;
  responseCode?: number;
  response?: string;
}

/** nodemailer's codes for faults of servers, networks and certificates. */
const faultCodes = [
  'ECONNECTION',
  'ETIMEDOUT',
  'ESOCKET',
  'EDNS',
  'ETLS',
  'EPROTOCOL',
  'EAUTH',
  'EENVELOPE',
  'EMESSAGE',
];

const isServerFault = (error: unknown): error is ServerFault =>
  error instanceof Error &&
  !(error instanceof TypeError) &&
  (('code' in error && typeof error.code === 'string' && faultCodes.includes(error.code)) ||
    // nodemailer gives these errors no code: when it checks the server, and when the pool is closed before a mail is sent.
    /^Connection (pool was )?closed$/.test(error.message));

/** Returns the error as a fault of the server. @throws the error itself if it is a bug */
export function asServerFault(error: unknown): ServerFault {
  if (isServerFault(error)) return error;
  throw error;
}

interface Explanation {
  /** Predicate of a sentence about the server, such as "refuses connections". */
  problem: string;
  remedy: string;
}

const authorityRemedy = 'Set NODE_EXTRA_CA_CERTS to the file of its authority, or install another certificate.';

/** Explanations by the codes of Node's errors. @see https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const certificateFaults: Readonly<Record<string, Explanation>> = {
  CERT_HAS_EXPIRED: { problem: 'has a certificate that has expired', remedy: 'Renew the certificate.' },
  CERT_NOT_YET_VALID: {
    problem: 'has a certificate that is not valid yet',
    remedy: 'Check the clocks of both machines.',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: { problem: 'has a certificate that is self-signed', remedy: authorityRemedy },
  SELF_SIGNED_CERT_IN_CHAIN: { problem: 'has a certificate whose authority is not trusted', remedy: authorityRemedy },
  UNABLE_TO_GET_ISSUER_CERT: { problem: 'has a certificate whose authority is not trusted', remedy: authorityRemedy },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    problem: 'has a certificate whose authority is not trusted',
    remedy: authorityRemedy,
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    problem: 'has a certificate whose authority is not trusted',
    remedy: authorityRemedy,
  },
};

function explainConnection({ code, originalCode = '', message }: ServerFault, { host, secure }: SmtpServer) {
  const certificate = certificateFaults[originalCode];
  if (certificate) return certificate;
  if (originalCode === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return {
      problem: `has a certificate for another host than ${host}`,
      remedy: 'Set SMTP_URL to a host that the certificate names, or install another certificate.',
    };
  if (/^ERR_SSL_/.test(originalCode))
    return {
      problem: `makes no TLS connection (${originalCode})`,
      remedy: secure ? 'Begin SMTP_URL with smtp:// if the port is for STARTTLS.' : 'Check its versions of TLS.',
    };
  if (code === 'EDNS')
    return { problem: "can't be found: its name can't be resolved", remedy: 'Correct the host in SMTP_URL.' };
  if (originalCode === 'ECONNREFUSED')
    return { problem: 'refuses connections', remedy: 'Start it, or correct the port in SMTP_URL.' };
  if (code === 'ETIMEDOUT')
    return {
      problem: `doesn't answer (${message})`,
      remedy:
        'Check the firewall and SMTP_URL: smtps:// is for TLS from the start (port 465), smtp:// for STARTTLS (587).',
    };
  if (code === 'ECONNECTION') return { problem: 'closed the connection', remedy: 'Look into its log.' };
  return { problem: `can't be used: ${message}`, remedy: 'Check SMTP_URL, and look into the log of the server.' };
}

function explain(fault: ServerFault, server: SmtpServer): Explanation {
  const { command = '', response } = fault;
  if (command === 'STARTTLS')
    return {
      problem: `offers no encryption (STARTTLS)${response ? `: ${response}` : ''}`,
      remedy:
        'Use smtps:// in SMTP_URL if the server has a port for TLS. SMTP_TLS=opportunistic sends mail without encryption, but never a password.',
    };
  if (response === undefined) return explainConnection(fault, server);
  if (fault.code === 'EAUTH')
    return {
      problem: `refuses the login: ${response}`,
      remedy: 'Correct the user and password in SMTP_URL (percent-encoded).',
    };
  return {
    problem: `answers: ${response}`,
    remedy: 'Check SMTP_URL and MAIL_FROM, and look into the log of the server.',
  };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Parts of a mail that a server could repeat in its reply. */
interface QuotableMail {
  to: { address: string };
  subject: string;
  text: string;
  html: string;
}

/**
 * Returns the subject, lines and long words of a mail. The recipient's address is left out, because a reason may contain
 * it.
 */
function quotableParts({ to, subject, text, html }: QuotableMail) {
  const all = `${text}\n${html}`;
  const lines = all.split('\n').map((line) => line.trim());
  const words = all.split(/[\s"'<>]+/);
  const longParts = [...lines, ...words].filter((part) => part.length >= 12);
  return [subject, ...longParts].filter((part) => part !== '' && !to.address.includes(part));
}

/** Replaces parts of the login and the mail in a server's reply. */
function hideSecrets(reply: string, { user = '', password = '' }: SmtpServer, mail?: QuotableMail) {
  const login = [
    password,
    encodeURIComponent(password),
    base64(password),
    base64(user),
    base64(`\0${user}\0${password}`),
  ];
  const secrets = [...(mail ? quotableParts(mail) : []), ...login].filter((secret) => secret !== '');
  const byLength = secrets.sort((one, other) => other.length - one.length);
  const hidden = byLength.reduce((text, secret) => text.replaceAll(secret, '…'), reply);
  // Hides tokens of links, also if the rest of the link is missing.
  return hidden.replace(/[\w-]{40,}/g, '…');
}

/** Joins a reply into one line, without the codes at the beginning of its further lines. */
function oneLine(reply: string, longest = 300): string {
  const joined = reply.replace(/[\r\n]+\d{3}[- ](\d\.\d{1,3}\.\d{1,3} )?/g, ' ');
  const line = joined.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).toWellFormed()}…`;
}

/** Whether a server's reply means an unknown mailbox: 5.1.1, 5.1.2, 5.1.3, 5.1.10 or 5.2.1. */
export const saysAddressUnknown = (reply: string): boolean => /^5\d\d[ -]5\.(1\.(1|2|3|10)|2\.1)(?!\d)/.test(reply);

/** Maximum length of a stored reason, in characters. */
const longestReason = 500;

/** Returns sentences that name the server, its problem and the remedy. @param mail mail that was being sent, if any */
export function whyUnusable(fault: ServerFault, server: SmtpServer, mail?: QuotableMail): string {
  const { problem, remedy } = explain(fault, server);
  const shownProblem = oneLine(hideSecrets(problem, server, mail)).replace(/\.$/, '');
  return oneLine(`The mail server ${server.host}:${server.port} ${shownProblem}. ${remedy}`, longestReason);
}

/** Returns the server's reply to a mail that it didn't accept; without a reply, a description of the problem. */
export function whyNotTaken(fault: ServerFault, server: SmtpServer, mail: QuotableMail): string {
  const reply = fault.response ?? `The mail server ${explain(fault, server).problem}`;
  return oneLine(hideSecrets(reply, server, mail));
}

/** Returns the reason why a server gets no mail to an address with non-ASCII letters before the `@`. */
export const whyAddressNotTaken = ({ host, port }: SmtpServer): string =>
  `The mail server ${host}:${port} takes only ASCII letters before the @ (it offers no SMTPUTF8). Give the person another address.`;
