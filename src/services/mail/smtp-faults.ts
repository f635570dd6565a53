import type { SmtpServer } from '../../config/mail-settings.js';

/** Explains the faults of mail servers, without secrets. */

/** What nodemailer says of a fault. `command` is `CONN` when none was answered. */
export interface ServerFault extends Error {
  code?: string;
  /** The code of Node's error, where `code` is nodemailer's. */
  originalCode?: string;
  command?: string;
  responseCode?: number;
  response?: string;
}

/** nodemailer's codes of what servers, networks and certificates can cause. */
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
    // Of its check of the server, and of a mail that waited when the pool was closed.
    /^Connection (pool was )?closed$/.test(error.message));

/** A fault of the server. @throws the error itself when it is another: a bug */
export function asServerFault(error: unknown): ServerFault {
  if (isServerFault(error)) return error;
  throw error;
}

interface Explanation {
  problem: string;
  remedy: string;
}

const authorities = 'Set NODE_EXTRA_CA_CERTS to the file of its authority, or install another certificate.';

/** By the codes of Node's errors. @see https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const certificateFaults: Readonly<Record<string, Explanation>> = {
  CERT_HAS_EXPIRED: { problem: 'its certificate has expired', remedy: 'Renew the certificate.' },
  CERT_NOT_YET_VALID: { problem: 'its certificate is not valid yet', remedy: 'Check the clocks of both machines.' },
  DEPTH_ZERO_SELF_SIGNED_CERT: { problem: 'its certificate is self-signed', remedy: authorities },
  SELF_SIGNED_CERT_IN_CHAIN: { problem: "its certificate's authority is not trusted", remedy: authorities },
  UNABLE_TO_GET_ISSUER_CERT: { problem: "its certificate's authority is not trusted", remedy: authorities },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { problem: "its certificate's authority is not trusted", remedy: authorities },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { problem: "its certificate's authority is not trusted", remedy: authorities },
};

function explainConnection({ code, originalCode = '', message }: ServerFault, { host, port, secure }: SmtpServer) {
  const certificate = certificateFaults[originalCode];
  if (certificate) return certificate;
  if (originalCode === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return {
      problem: `its certificate is for another host than ${host}`,
      remedy: 'Set SMTP_URL to a host that the certificate names, or install another certificate.',
    };
  if (/^ERR_SSL_/.test(originalCode))
    return {
      problem: `no TLS connection was made (${originalCode})`,
      remedy: secure ? 'Begin SMTP_URL with smtp:// if the port is for STARTTLS.' : 'Check its versions of TLS.',
    };
  if (code === 'EDNS')
    return { problem: `its name ${host} can't be resolved`, remedy: 'Correct the host in SMTP_URL.' };
  if (originalCode === 'ECONNREFUSED')
    return { problem: `it refuses connections to port ${port}`, remedy: 'Start it, or correct the port in SMTP_URL.' };
  if (code === 'ETIMEDOUT')
    return {
      problem: `it doesn't answer (${message})`,
      remedy:
        'Check the firewall and SMTP_URL: smtps:// is for TLS from the start (port 465), smtp:// for STARTTLS (587).',
    };
  if (code === 'ECONNECTION') return { problem: 'it closed the connection', remedy: 'Look into its log.' };
  return { problem: message, remedy: 'Check SMTP_URL, and look into the log of the server.' };
}

/** What is wrong with a server, in its own words where it has some, and what to do. */
export function explain(fault: ServerFault, server: SmtpServer): Explanation {
  const { command = '', response } = fault;
  if (command === 'STARTTLS')
    return {
      problem: `it offers no encryption (STARTTLS)${response ? `: ${response}` : ''}`,
      remedy:
        'Use smtps:// in SMTP_URL if it has a port for TLS. SMTP_TLS=opportunistic does without, but never for passwords.',
    };
  if (response === undefined) return explainConnection(fault, server);
  const remedy =
    fault.code === 'EAUTH'
      ? 'Correct the user and password in SMTP_URL (percent-encoded).'
      : 'Check SMTP_URL and MAIL_FROM, and look into the log of the server.';
  return { problem: response, remedy };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** What a server could repeat of a mail. */
interface MailContent {
  to: { address: string };
  subject: string;
  text: string;
  html: string;
}

/** The lines and long words of a mail, but for its recipient's address, which whoever reads a reason may know. */
function contentOf({ to, subject, text, html }: MailContent) {
  const all = `${text}\n${html}`;
  const lines = all.split('\n').map((line) => line.trim());
  const words = all.split(/[\s"'<>]+/);
  const telling = [...lines, ...words].filter((part) => part.length >= 12);
  return [subject, ...telling].filter((part) => part !== '' && !to.address.includes(part));
}

/** Takes out of a server's words what it repeats of the login or the mail. */
export function hideSecrets(words: string, { user = '', password = '' }: SmtpServer, mail?: MailContent) {
  const login = [
    password,
    encodeURIComponent(password),
    base64(password),
    base64(user),
    base64(`\0${user}\0${password}`),
  ];
  const secrets = [...(mail ? contentOf(mail) : []), ...login].filter((secret) => secret !== '');
  const byLength = secrets.sort((one, other) => other.length - one.length);
  const hidden = byLength.reduce((text, secret) => text.replaceAll(secret, '…'), words);
  // Tokens of links, also broken out of them.
  return hidden.replace(/[\w-]{40,}/g, '…');
}

/** A reply as one line of at most 300 characters, without the code that begins each further line of it. */
export function oneLine(words: string): string {
  const joined = words.replace(/[\r\n]+\d{3}[- ](\d\.\d{1,3}\.\d{1,3} )?/g, ' ');
  const line = joined.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length <= 300 ? line : `${line.slice(0, 299).toWellFormed()}…`;
}
