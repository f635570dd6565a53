/** A catalogue of words, nested by screen. */
export interface Catalogue {
  [key: string]: string | Catalogue;
}

const rightToLeft = { begin: '\u202e', end: '\u202c' };

/** Every text of a catalogue as if its language were written from right to left; placeholders stay. */
export function pseudo(catalogue: Catalogue): Catalogue {
  const entries = Object.entries(catalogue).map(([key, value]): [string, string | Catalogue] => [
    key,
    typeof value === 'string' ? `${rightToLeft.begin}${value}${rightToLeft.end}` : pseudo(value),
  ]);
  return Object.fromEntries(entries);
}
