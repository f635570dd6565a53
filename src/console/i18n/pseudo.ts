/** A catalogue of words, nested by screen. */
export interface TranslationTree {
  [key: string]: string | TranslationTree;
}

const rightToLeft = { begin: '\u202e', end: '\u202c' };

/** Every text of a catalogue as if its language were written from right to left; placeholders stay. */
export function pseudoLocalize(catalogue: TranslationTree): TranslationTree {
  const entries = Object.entries(catalogue).map(([key, value]): [string, string | TranslationTree] => [
    key,
    typeof value === 'string' ? `${rightToLeft.begin}${value}${rightToLeft.end}` : pseudoLocalize(value),
  ]);
  return Object.fromEntries(entries);
}
