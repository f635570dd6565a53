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

/**
 * Writes a mail.
 * @param place the programme's name, and PUBLIC_URL without a slash at its end
 */
export function renderMail(content: MailContent, language: MailLanguage, place: MailPlace): RenderedMail {
  const { programme, publicUrl } = place;
  const { locale, turnOff } = words[language];
  const utc = { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' } as const;
  const time = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
  const letter = letterOf(content, words[language], {
    programme,
    publicUrl,
    moment: (date) => date.toLocaleString(locale, { ...utc, ...time }),
    day: (date) => date.toLocaleDateString(locale, utc),
    courseLink: (id) => `${publicUrl}/courses/${encodeURIComponent(id)}`,
  });
  const footer = {
    programme,
    publicUrl,
    ...(mailKinds[content.kind].priority === 'news' && { turnOff: { label: turnOff, link: `${publicUrl}/profile` } }),
  };
  return laidOut(letter, footer, language);
}
