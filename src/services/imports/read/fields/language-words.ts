import { type MailLanguage, mailLanguages } from '../../../../config/mail-settings.js';
import { headingKey, splitList } from './headings.js';

/** Names of the mail languages, in the languages of the headings. Case, accents and punctuation don't count. */
const languageWords: Readonly<Record<MailLanguage, readonly string[]>> = {
  en: splitList('English | eng | Englisch | Anglais | Inglés | Inglês | الإنجليزية | الانجليزية | إنجليزي | انجليزي'),
  de: splitList('German | deu | ger | Deutsch | Allemand | Alemán | Alemão | الألمانية | الالمانية | ألماني | الماني'),
};

const languageByKey = new Map<string, MailLanguage>();
for (const language of mailLanguages)
  for (const word of languageWords[language]) languageByKey.set(headingKey(word), language);

/** Returns the mail language of a word or of a locale such as `de-AT`; undefined for other languages. */
export function parseLanguage(word: string): MailLanguage | undefined {
  const [code = ''] = word.trim().toLowerCase().split(/[-_.]/);
  return mailLanguages.find((language) => language === code) ?? languageByKey.get(headingKey(word));
}
