/** Case, accents, spaces and punctuation of a heading or a word don't matter, nor do the vowel signs and strokes of Arabic. */
export const headingKey = (heading: string): string =>
  heading
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]|\u0640/gu, '');
