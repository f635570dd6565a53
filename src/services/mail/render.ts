import type { MailLanguage } from '../../config/mail-settings.js';
import { type MailKind, mailKinds } from './kinds.js';
import { type Letter, laidOut, type MailPlace, type MailWords, type Wording } from './layout.js';
import type { MailContent, RenderedMail } from './mail-data.js';
import { de } from './words-de.js';
import { en } from './words-en.js';

const words: Readonly<Record<MailLanguage, MailWords>> = { en, de };

function letterOf<K extends MailKind>(content: MailContent<K>, { letters }: MailWords, wording: Wording): Letter {
  const write: MailWords['letters'][K] = letters[content.kind];
  return write(content, wording);
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** In the largest unit of which it is a whole number; a day is 24 hours. */
function lasting(ms: number, locale: string): string {
  const [unit, unitMs] =
    ms > dayMs && ms % dayMs === 0
      ? (['day', dayMs] as const)
      : ms % hourMs === 0
        ? (['hour', hourMs] as const)
        : (['minute', minuteMs] as const);
  return (ms / unitMs).toLocaleString(locale, { style: 'unit', unit, unitDisplay: 'long' });
}

/**
 * Writes a mail.
 * @param place the programme's name, and PUBLIC_URL without a slash at its end
 */
export function renderMail(content: MailContent, language: MailLanguage, place: MailPlace): RenderedMail {
  const { programme, publicUrl } = place;
  const { locale, turnOff } = words[language];
  const utc = { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' } as const;
  const letter = letterOf(content, words[language], {
    programme,
    publicUrl,
    lasting: (ms) => lasting(ms, locale),
    day: (date) => date.toLocaleDateString(locale, utc),
    certificateLink: (code) => `${publicUrl}/certificates/${code}`,
    courseLink: (id) => `${publicUrl}/courses/${encodeURIComponent(id)}`,
  });
  const footer = {
    programme,
    publicUrl,
    ...(mailKinds[content.kind].priority === 'news' && { turnOff: { label: turnOff, link: `${publicUrl}/profile` } }),
  };
  return laidOut(letter, footer, language);
}
