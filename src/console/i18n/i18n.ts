import i18next, { type FormatterModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Screen } from './en/translations.js';
import { formatNumber } from './format.js';
import { pseudoLocalize, type TranslationTree } from './pseudo.js';

/** Languages of the console. `ar-XB` is English written from right to left, for tests of the layout. */
export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages | 'ar-XB';

const storageKey = 'coursectl-language';

const isLanguage = (text: string | null | undefined): text is Language =>
  text === 'ar-XB' || (typeof text === 'string' && text in languages);

/** Language chosen by the user, otherwise the browser's language if translated, otherwise English. */
function preferredLanguage(): Language {
  const chosen = localStorage.getItem(storageKey);
  if (isLanguage(chosen)) return chosen;
  const known = navigator.languages.map((tag) => tag.split('-')[0]).find(isLanguage);
  return known ?? 'en';
}

/** Texts for a console whose translations could not be loaded. */
export const fallbackTexts = {
  offline: { message: 'The service cannot be reached.', action: 'Try again' },
  updated: { message: 'There is a new version of the console. Reload the page to use it.', action: 'Reload' },
  failed: { message: 'A part of the console could not be loaded. Reload the page.', action: 'Reload' },
};

/** Translations of a screen, or `common`: those of the sign-in and of all screens. */
type BundleName = 'common' | Screen;

/** Translations, each bundle of a language in its own chunk, to load only needed ones. `common` includes refusals. */
const bundles = import.meta.glob<Record<string, TranslationTree>>(['./{en,de}/*.ts', '!**/{refusals,translations}.ts']);

async function importBundle(language: keyof typeof languages, name: BundleName): Promise<TranslationTree> {
  const bundle = (await bundles[`./${language}/${name}.ts`]?.())?.[name];
  if (!bundle) throw new Error(`There is no translation of ${name} in ${language}.`);
  return name === 'common' ? bundle : { [name]: bundle };
}

/** Bundles requested so far. A change of language loads them, too. */
const requestedBundles = new Set<BundleName>(['common']);
const loadedBundles = new Set<string>();
let started: Promise<void> | undefined;

/** Adds a word joiner after the hyphen of some words, so that lines don't break there. */
const preventHyphenBreaks = (bundle: TranslationTree): TranslationTree =>
  // Changes only the texts.
  JSON.parse(JSON.stringify(bundle).replaceAll(/(E|CSV)-(?=Mail|Datei)/g, '$1-\u2060')) as TranslationTree;

async function loadBundle(language: Language, name: BundleName): Promise<void> {
  const key = `${language} ${name}`;
  if (loadedBundles.has(key)) return;
  const bundle = preventHyphenBreaks(await importBundle(language === 'ar-XB' ? 'en' : language, name));
  i18next.addResourceBundle(language, 'translation', language === 'ar-XB' ? pseudoLocalize(bundle) : bundle, true);
  loadedBundles.add(key);
}

async function loadLanguage(language: Language): Promise<void> {
  // `ar-XB` also needs English, as fallback for its plural forms.
  const all = language === 'ar-XB' ? (['en', language] as const) : [language];
  await Promise.all(all.flatMap((one) => [...requestedBundles].map((name) => loadBundle(one, name))));
}

/** Loads the translations of screens in the current language; `common` is loaded at the start. */
export async function loadTranslations(...screens: readonly Screen[]): Promise<void> {
  for (const screen of screens) requestedBundles.add(screen);
  await started;
  // `changeLanguage` sets no other languages.
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

/** Formats numbers in texts. Numbers that only identify, such as the line of a file, must be passed as text. */
const numberFormatter: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  // i18next converts other values to text itself, although its type requires text.
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
      // React escapes texts itself.
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
