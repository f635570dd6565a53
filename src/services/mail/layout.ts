import { escapeAttribute, escapeText } from 'entities';
import { withoutInvisible } from '../../schemas/text.js';
import type { MailKind } from './kinds.js';
import type { MailContent, RenderedMail } from './mail-content.js';

/** Sentences of a template, text that a person wrote (line breaks and addresses stay as they are), or a list. */
type Paragraph = string | { quoted: string } | { list: readonly string[] };

/** Parts of a mail in one language. Only the button and the footer contain links, so paragraphs need none. */
export interface Letter {
  subject: string;
  greeting: string;
  before: readonly Paragraph[];
  button?: { label: string; link: string };
  after?: readonly Paragraph[];
}

/** Name and address of the programme, which every mail shows. */
export interface ProgrammeDetails {
  programme: string;
  /** `PUBLIC_URL` without a slash at the end. */
  publicUrl: string;
}

export interface LetterContext extends ProgrammeDetails {
  /** Formats a duration, such as "1 hour". Templates name no end time, because the reader's time zone is unknown. */
  durationText(ms: number): string;
  /** Formats a date without the time of day. */
  dateText(date: Date): string;
  courseLink(id: string): string;
  /** @param code code of the certificate */
  certificateLink(code: string): string;
}

export interface MailTemplates {
  /** BCP 47 tag for formatting dates and durations. */
  locale: string;
  /** Label of the footer's link to the settings of news. */
  turnOffLabel: string;
  letters: { readonly [K in MailKind]: (content: MailContent<K>, context: LetterContext) => Letter };
}

interface Footer extends ProgrammeDetails {
  /** Link to the settings where the reader can turn off news. */
  turnOff?: { label: string; link: string };
}

const controls = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu;
const zeroWidthSpace = '\u200b';

/** Full stop, and characters that browsers treat as a full stop in a domain (UTS #46, section 2.3, and NFKC). */
const dot = '[.\u2024\u3002\ufe52\uff0e\uff61]';

const dots = new RegExp(dot, 'gu');

/** Four or more numbers with dots between them, as in an IP address. Versions and dates have fewer numbers. */
const addressLike = new RegExp(`\\p{N}+(?:${dot}\\p{N}+){3,}`, 'gu');

/**
 * Characters by which mail programs recognise links: in domains, server paths, email addresses and after `mailto`. Also the
 * start of an encoded word (RFC 2047), which mail programs decode anywhere in a header.
 */
const linkMark = new RegExp(
  [
    `(?<=\\S)${dot}(?=[^\\s\\p{P}\\p{N}])|(?<=[^\\s\\p{N}])${dot}(?=\\p{N})`,
    '[/\\\\](?=[/\\\\])',
    '(?<=\\S)@(?=\\S)',
    '(?<=\\p{L}):(?=\\S)|(?<=\\p{N}):(?=[^\\s\\p{N}])',
    '=(?=\\?)',
  ].join('|'),
  'gu',
);

const breakMark = (mark: string): string => mark + zeroWidthSpace;

/**
 * Makes text of users safe in a line of a mail. The text can't add headers or lines, reverse other text, or become a link.
 * A zero-width space after each link character prevents links. Numbers such as 3.12 and 10:30 stay unchanged.
 */
export function sanitizeLine(text: string): string {
  const line = withoutInvisible(text).replace(controls, ' ').trim();
  return line.replace(linkMark, breakMark).replace(addressLike, (found) => found.replace(dots, breakMark));
}

const linesOf = (text: string): string[] =>
  text.split(/\r\n|[\r\n\u2028\u2029]/).map((line) => withoutInvisible(line).replace(controls, ' ').trimEnd());

/** Wraps a line at 76 characters between words, and always before the limit of 998 bytes a line. */
const wrapped = (line: string): string => line.replace(/(.{1,76})(?:\s+|$)|(\S{240})/gu, '$1$2\n').trimEnd();

function asText(paragraph: Paragraph): string {
  if (typeof paragraph === 'string') return wrapped(sanitizeLine(paragraph));
  if ('list' in paragraph) return paragraph.list.map((item) => wrapped(`- ${sanitizeLine(item)}`)).join('\n');
  return linesOf(paragraph.quoted).map(wrapped).join('\n');
}

function asHtml(paragraph: Paragraph): string {
  if (typeof paragraph === 'string') return `<p>${escapeText(sanitizeLine(paragraph))}</p>`;
  if ('list' in paragraph)
    return `<ul>\n${paragraph.list.map((item) => `<li>${escapeText(sanitizeLine(item))}</li>`).join('\n')}\n</ul>`;
  const lines = linesOf(paragraph.quoted).map((line) => escapeText(line));
  return `<p dir="auto" style="padding:4px 14px;border-left:4px solid #2c9691">${lines.join('<br>\n')}</p>`;
}

// Only the button has colours: mail programs choose a light or dark theme.
const buttonAsHtml = ({ label, link }: { label: string; link: string }): string => `\
<p style="margin:28px 0 12px"><a href="${escapeAttribute(link)}" style="display:inline-block;border:solid #0b6663;border-width:12px 22px;border-radius:6px;background:#0b6663;color:#ffffff;font-weight:bold;text-decoration:none">${escapeText(label)}</a></p>
<p style="margin:0 0 28px;font-size:13px">${escapeText(link)}</p>`;

// Some mail programs keep only the content of the body, so the language is declared there too.
function page(title: string, language: string, content: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${escapeText(title)}</title>
</head>
<body style="margin:0">
<div lang="${language}" style="max-width:560px;margin:0 auto;padding:24px 20px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere">
${content}
</div>
</body>
</html>
`;
}

/** Renders a letter as plain text and HTML; the HTML is readable without images, in dark mode and on narrow screens. */
export function layOut(letter: Letter, footer: Footer, language: string): RenderedMail {
  const { greeting, before, button, after = [] } = letter;
  const { programme, publicUrl, turnOff } = footer;
  const subject = sanitizeLine(letter.subject);
  const text = [
    ...[greeting, ...before].map(asText),
    ...(button ? [`${button.label}:\n${button.link}`] : []),
    ...after.map(asText),
    ['-- ', programme, publicUrl, ...(turnOff ? ['', `${turnOff.label}:`, turnOff.link] : [])].join('\n'),
  ];
  const turnOffAsHtml = turnOff
    ? `<br>\n<a href="${escapeAttribute(turnOff.link)}" style="color:inherit">${escapeText(turnOff.label)}</a>`
    : '';
  const html = [
    ...[greeting, ...before].map(asHtml),
    ...(button ? [buttonAsHtml(button)] : []),
    ...after.map(asHtml),
    '<hr style="margin:28px 0 12px;border:0;border-top:1px solid #888888">',
    `<p style="margin:0;font-size:13px">${escapeText(programme)}<br>\n${escapeText(publicUrl)}${turnOffAsHtml}</p>`,
  ];
  return { subject, text: `${text.join('\n\n')}\n`, html: page(subject, language, html.join('\n')) };
}
