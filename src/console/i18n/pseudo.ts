/** Translations by key, nested by screen. */
export interface TranslationTree {
  [key: string]: string | TranslationTree;
}

const rightToLeft = { begin: '\u202e', end: '\u202c' };

/** Marks every text as written from right to left; keeps placeholders. */
export function pseudoLocalize(bundle: TranslationTree): TranslationTree {
  const entries = Object.entries(bundle).map(([key, value]): [string, string | TranslationTree] => [
    key,
    typeof value === 'string' ? `${rightToLeft.begin}${value}${rightToLeft.end}` : pseudoLocalize(value),
  ]);
  return Object.fromEntries(entries);
}
