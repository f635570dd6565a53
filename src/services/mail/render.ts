import type { MailLanguage } from '../../config/mail-settings.js';
import { type MailKind, mailKinds } from './kinds.js';
import { type Letter, type LetterContext, layOut, type MailTemplates, type ProgrammeDetails } from './layout.js';
import type { MailContent, RenderedMail } from './mail-content.js';
import { de } from './templates-de.js';
import { en } from './templates-en.js';

const templates: Readonly<Record<MailLanguage, MailTemplates>> = { en, de };

function letterOf<K extends MailKind>(
  content: MailContent<K>,
  { letters }: MailTemplates,
  context: LetterContext,
): Letter {
  const template: MailTemplates['letters'][K] = letters[content.kind];
  return template(content, context);
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Formats a duration in the largest unit that gives a whole number; a day is 24 hours. */
function durationText(ms: number, locale: string): string {
  const [unit, unitMs] =
    ms > dayMs && ms % dayMs === 0
      ? (['day', dayMs] as const)
      : ms % hourMs === 0
        ? (['hour', hourMs] as const)
        : (['minute', minuteMs] as const);
  return (ms / unitMs).toLocaleString(locale, { style: 'unit', unit, unitDisplay: 'long' });
}

export function renderMail(content: MailContent, language: MailLanguage, details: ProgrammeDetails): RenderedMail {
  const { programme, publicUrl } = details;
  const { locale, turnOffLabel } = templates[language];
  const dateFormat = { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' } as const;
  const letter = letterOf(content, templates[language], {
    programme,
    publicUrl,
    durationText: (ms) => durationText(ms, locale),
    dateText: (date) => date.toLocaleDateString(locale, dateFormat),
    certificateLink: (code) => `${publicUrl}/certificates/${code}`,
    courseLink: (id) => `${publicUrl}/courses/${encodeURIComponent(id)}`,
  });
  const footer = {
    programme,
    publicUrl,
    ...(mailKinds[content.kind].priority === 'news' && {
      turnOff: { label: turnOffLabel, link: `${publicUrl}/profile` },
    }),
  };
  return layOut(letter, footer, language);
}
