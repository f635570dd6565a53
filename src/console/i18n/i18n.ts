import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { en } from './en.js';
import { pseudo } from './pseudo.js';

/** The languages of the console; `ar-XB` is English written from right to left, for tests of the layout. */
export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages | 'ar-XB';

const storageKey = 'coursectl-language';

const isLanguage = (text: string | null | undefined): text is Language =>
  text === 'ar-XB' || (typeof text === 'string' && text in languages);

/** The language that was chosen here, else the browser's when there are words for it, else English. */
function preferredLanguage(): Language {
  const chosen = localStorage.getItem(storageKey);
  if (isLanguage(chosen)) return chosen;
  const known = navigator.languages.map((tag) => tag.split('-')[0]).find(isLanguage);
  return known ?? 'en';
}

/** Each language is loaded when it is used; English is always there, as words that lack in others are taken from it. */
async function loadWords(language: Language): Promise<void> {
  if (i18next.hasResourceBundle(language, 'translation')) return;
  const words = language === 'de' ? (await import('./de.js')).de : pseudo(en);
  i18next.addResourceBundle(language, 'translation', words);
}

export const directionOf = (language: string): 'ltr' | 'rtl' => (language === 'ar-XB' ? 'rtl' : 'ltr');

/** For `Intl`: the browser's own variant of the language, such as `en-GB`. */
export function locale(): string {
  const { language } = i18next;
  return navigator.languages.find((tag) => tag.split('-')[0] === language) ?? (language === 'ar-XB' ? 'en' : language);
}

function describeDocument(language: string): void {
  document.documentElement.lang = language === 'ar-XB' ? 'en' : language;
  document.documentElement.dir = directionOf(language);
}

export async function changeLanguage(language: Language): Promise<void> {
  await loadWords(language);
  localStorage.setItem(storageKey, language);
  await i18next.changeLanguage(language);
  describeDocument(language);
}

export async function startTranslation(): Promise<void> {
  const language = preferredLanguage();
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    resources: { en: { translation: en } },
    // React escapes.
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  await loadWords(language);
  await i18next.changeLanguage(language);
  describeDocument(language);
}
