import { percentDecoded } from './database-url.js';

export const mailLanguages = ['en', 'de'] as const;
export type MailLanguage = (typeof mailLanguages)[number];

export interface SmtpServer {
  /** Whether the connection starts with TLS. */
  secure: boolean;
  host: string;
  port: number;
  user?: string;
  password?: string;
}

/** Whether the server is on this machine. */
export const isOnLoopback = ({ host }: Pick<SmtpServer, 'host'>): boolean =>
  /^(localhost|127(\.\d+){3}|::1)$/i.test(host);

/** Returns the default of `SMTP_TLS`. @param url `SMTP_URL`; its own rule refuses an invalid one */
export function defaultTls(url: string | undefined): 'required' | 'opportunistic' {
  const host = url !== undefined && URL.canParse(url) ? hostOf(new URL(url)) : '';
  return isOnLoopback({ host }) ? 'opportunistic' : 'required';
}

export interface MailAddress {
  /** Empty without a name. */
  name: string;
  address: string;
}

/** Returns the host of a URL without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Parses `SMTP_URL`. @throws Error with a message that says what the URL must be, without quoting it */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || /[?#]/.test(text) || url.pathname.length > 1)
    throw new Error(
      'must be smtp://<user>:<password>@<host>:587 or smtps://<user>:<password>@<host>:465; in the user and the password, @ / : # ? % must be percent-encoded (%40 for @)',
    );
  const [user, password] = [percentDecoded(url.username), percentDecoded(url.password)];
  if ((user === '') !== (password === '')) throw new Error('must have a user and a password, or neither');
  const secure = url.protocol === 'smtps:';
  const standardPort = secure ? 465 : 587;
  return {
    secure,
    host: hostOf(url),
    port: url.port === '' ? standardPort : Number(url.port),
    ...(user !== '' && { user, password }),
  };
}

export const isMailAddress = (value: unknown): value is MailAddress =>
  typeof value === 'object' && value !== null && 'address' in value;

/** Formats an address like `MAIL_FROM`. */
export const mailAddressText = ({ name, address }: MailAddress) => (name === '' ? address : `${name} <${address}>`);
