/** A mail as a server received it. */
export interface ReceivedMail {
  /** Addresses of the envelope (MAIL FROM and RCPT TO), independent of the headers. */
  from: string;
  to: string[];
  /** The authenticated user. */
  user: string | undefined;
  /** Whether the connection was encrypted. */
  secure: boolean;
  /** Headers by lower-case name, unfolded and decoded. Several headers of one name are joined by line breaks. */
  headers: Record<string, string>;
  subject: string;
  messageId: string;
  text: string;
  html: string;
  /** The unchanged message. */
  raw: string;
}

function bytesOfQuotedPrintable(text: string): Buffer {
  const joined = text.replace(/=[ \t]*\r?\n/g, '');
  return Buffer.from(
    joined.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}

/** Decodes `=?UTF-8?Q?...?=` (RFC 2047). Adjacent words form one text, and may split a letter. */
function decodeHeader(value: string): string {
  const joined = value.replace(/(=\?[^?]+\?[BQ]\?[^?]*\?=)\s+(?==\?)/gi, '$1');
  return joined.replace(/(?:=\?utf-8\?[BQ]\?[^?]*\?=)+/gi, (words) => {
    const parts = [...words.matchAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi)].map(([, kind = '', text = '']) =>
      kind.toUpperCase() === 'B' ? Buffer.from(text, 'base64') : bytesOfQuotedPrintable(text.replaceAll('_', ' ')),
    );
    return Buffer.concat(parts).toString();
  });
}

interface MailPart {
  headers: Record<string, string>;
  body: string;
}

function partOf(raw: string): MailPart {
  const end = raw.indexOf('\r\n\r\n');
  const [head, body] = end === -1 ? [raw, ''] : [raw.slice(0, end), raw.slice(end + 4)];
  const headers: Record<string, string> = {};
  for (const line of head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase();
    const value = decodeHeader(line.slice(line.indexOf(':') + 1).trim());
    headers[name] = headers[name] === undefined ? value : `${headers[name]}\n${value}`;
  }
  return { headers, body };
}

function decodedBody({ headers, body }: MailPart): string {
  const encoding = headers['content-transfer-encoding']?.toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  const bytes = encoding === 'quoted-printable' ? bytesOfQuotedPrintable(body) : Buffer.from(body, 'latin1');
  return bytes.toString().replaceAll('\r\n', '\n');
}

/** Returns the parts of a type in a message, decoded and joined. */
function textOf(part: MailPart, type: string): string {
  const ofPart = part.headers['content-type'] ?? 'text/plain';
  const boundary = /^multipart\/.*boundary="?([^";]+)/i.exec(ofPart)?.[1];
  if (boundary === undefined) return ofPart.startsWith(type) ? decodedBody(part) : '';
  const inner = `\r\n${part.body}`.split(`\r\n--${boundary}`).slice(1, -1);
  return inner.map((text) => textOf(partOf(text.replace(/^\r\n/, '')), type)).join('');
}

/**
 * Parses a message.
 * @param raw bytes as latin1
 */
export function parseMail(
  raw: string,
): Pick<ReceivedMail, 'headers' | 'subject' | 'messageId' | 'text' | 'html' | 'raw'> {
  const part = partOf(raw);
  const { subject = '', 'message-id': messageId = '' } = part.headers;
  return {
    headers: part.headers,
    subject,
    messageId,
    text: textOf(part, 'text/plain'),
    html: textOf(part, 'text/html'),
    raw,
  };
}
