import i18next, { type FormatterModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Screen } from './en/translations.js';
import { formatNumber } from './format.js';
import { pseudoLocalize, type TranslationTree } from './pseudo.js';

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

/** Shown where not even the words of signing in could be loaded. */
export const fallbackTexts = {
  title: 'coursectl',
  message: 'The service cannot be reached, or has been updated. Loading the page again may help.',
  retry: 'Try again',
};

/** The words of a screen, or `common`, those of signing in and of every screen. */
type BundleName = 'common' | Screen;

/** Each part of each language in a chunk of its own: only what is shown is loaded. `common` has refusals and the fields of accounts. */
const bundles = import.meta.glob<Record<string, TranslationTree>>([
  './{en,de}/*.ts',
  '!**/{refusals,account-fields,translations}.ts',
]);

async function importBundle(language: keyof typeof languages, part: BundleName): Promise<TranslationTree> {
  const words = (await bundles[`./${language}/${part}.ts`]?.())?.[part];
  if (!words) throw new Error(`There are no words of ${part} in ${language}.`);
  return part === 'common' ? words : { [part]: words };
}

/** What pages have asked for; other languages get it, too. */
const requestedBundles = new Set<BundleName>(['common']);
const loadedBundles = new Set<string>();
let started: Promise<void> | undefined;

/** Lines may break after a hyphen: not in these words, which a word joiner keeps in one piece. */
const preventHyphenBreaks = (words: TranslationTree): TranslationTree =>
  // Texts alone are changed.
  JSON.parse(JSON.stringify(words).replaceAll(/(E|CSV)-(?=Mail|Datei)/g, '$1-\u2060')) as TranslationTree;

async function loadBundle(language: Language, part: BundleName): Promise<void> {
  const key = `${language} ${part}`;
  if (loadedBundles.has(key)) return;
  const words = preventHyphenBreaks(await importBundle(language === 'ar-XB' ? 'en' : language, part));
  i18next.addResourceBundle(language, 'translation', language === 'ar-XB' ? pseudoLocalize(words) : words, true);
  loadedBundles.add(key);
}

async function loadLanguage(language: Language): Promise<void> {
  // Texts that count are taken from English: it counts otherwise than Arabic does.
  const all = language === 'ar-XB' ? (['en', language] as const) : [language];
  await Promise.all(all.flatMap((one) => [...requestedBundles].map((part) => loadBundle(one, part))));
}

/** Loads the words of screens, in the language that is shown; those of signing in are there from the start. */
export async function loadTranslations(...screens: readonly Screen[]): Promise<void> {
  for (const screen of screens) requestedBundles.add(screen);
  await started;
  // No other language is ever set.
  await loadLanguage(i18next.language as Language);
}

export const directionOf = (language: string): 'ltr' | 'rtl' => (language === 'ar-XB' ? 'rtl' : 'ltr');

function setDocumentLanguage(language: string): void {
  document.documentElement.lang = language === 'ar-XB' ? 'en' : language;
  document.documentElement.dir = directionOf(language);
}

export async function changeLanguage(language: Language): Promise<void> {
  await loadLanguage(language);
  localStorage.setItem(storageKey, language);
  await i18next.changeLanguage(language);
  setDocumentLanguage(language);
}

/** Numbers in texts are written as everywhere else. What only numbers things, such as a line of a file, is passed as text. */
const numberFormatter: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  // i18next turns everything else into text itself, though its type asks for text.
  format: (value: unknown) => (typeof value === 'number' ? formatNumber(value) : (value as string)),
};

async function start(): Promise<void> {
  const language = preferredLanguage();
  await i18next
    .use(initReactI18next)
    .use(numberFormatter)
    .init({
      lng: language,
      fallbackLng: { 'ar-XB': ['en'], default: [] },
      resources: {},
      // React escapes.
      interpolation: { escapeValue: false, alwaysFormat: true },
      returnNull: false,
    });
  await loadLanguage(language);
  setDocumentLanguage(language);
}

export function startTranslation(): Promise<void> {
  started ??= start();
  return started;
}
