/** Runs of letters and of the signs that other code pages have in their place. */
const wordPattern = /[^\0-@[-`{-\x7f\u00a0\s\u3000、。]+/gu;
/** Punctuation that spreadsheets put into words of ASCII. */
const punctuation = '’‘“”„‚–—…';

/** Signs that have no place beside letters. */
const signs = '¢£¤¥¦§¨¬¯±¶¸¼½¾†‡‰ˆ˜•×÷';

/** What words in no language have: they were decoded with a wrong code page. */
const garbledPatterns: readonly RegExp[] = [
  /[\x80-\x9f\ufffd]/,
  new RegExp(`[${signs}]\\p{L}|\\p{L}[${signs}]`, 'u'),
  /\p{Ll}[–—…„‚“”]\p{Ll}/u,
  /\p{L}[¹²³¿¡®©™]\p{L}|\p{L}{3}[¹²³]$/u,
  // Capitals within words, except after the Irish prefixes h, n and t, and before ß.
  /\p{Lu}(?![A-Z])\p{Lu}(?!ß)\p{Ll}|\p{L}\p{Ll}(?![A-Z])\p{Lu}/u,
  // Polish has no vowel behind ń; Spanish has ñ in its place.
  /ń[aeiouáéíóú]/iu,
  // Two alphabets in a word.
  /\p{sc=Latin}(?!\p{sc=Latin})\p{L}|(?!\p{sc=Latin})\p{L}\p{sc=Latin}/u,
];

/** Letters beyond ASCII of Windows-1252. */
const westernLetters = 'À-ÖØ-öø-ÿŠšŒœŽžŸ';

/** What no Western language has in a word. */
const nonWesternPatterns: readonly RegExp[] = [
  // Other alphabets have no letter of ASCII in a word.
  new RegExp(`^[${westernLetters}]{2,}$|[${westernLetters}]{5}|ƒ`),
  // Ordinals stand after few letters: Mª, Nº. Romanian and Turkish have letters in their place.
  /[ªº]\p{L}|\p{L}{4}[ªº]/u,
  // Czech, Slovak, Slovene, Croatian, Hungarian, Romanian.
  /[ØøÈèÌìÒòÙùï].*[ÁáÍíÝýŠšŽž]|[ÁáÍíÝýŠšŽž].*[ØøÈèÌìÒòÙùï]/,
  /[Õõ].*[ÁáÉéÍíÓóÚú]|[ÁáÉéÍíÓóÚú].*[Õõ]|[Ûû].*[ÁáÍíÓóÚú]|[ÁáÍíÓóÚú].*[Ûû]/,
  /[õû]$|i[æè]$|[ñã][b-df-hj-np-tv-z](?!$)|[aeiou][èò][aeiou]|^È[aeiou]|[ìù](?![sn]?$)\p{L}/u,
  /[Þþ].*[ãâî]|[ãâî].*[Þþ]/,
  // Turkish, Lithuanian, Latvian.
  /þ$|^Ð\p{Ll}|ç[b-df-hj-np-rtv-z]|è.*û|(ien|ait|yt|ut)ë$/u,
  // Signs with at most one letter of ASCII, except 5°C, §§, m², Nº, ¿Él and ¡Sí: Chinese, Japanese, Korean.
  /^(?!°[CF]$|§+$|\w.$|[¿¡]\p{L}{2})(?=.*[«»·´°¹²³¿¡®©™ªº¢£¤¥¦§¨¬¯±¶¸¼½¾\xad])(?!.*[A-Za-z]{2})..+$/u,
  // Mac Roman.
  /\p{Ll}{2}’\p{Ll}{2}/u,
];
/** õ without an e behind it is Estonian, which has no acute accents; Hungarian has another letter in its place. */
const nonEstonianPattern = /[Õõ](?!e)/;

/** Longer words are not names. */
const maxWordLength = 64;

const beyondAscii = new RegExp(`[^\\0-\\x7f${punctuation}]`);

/** The share of words beyond ASCII that match a pattern. */
function shareOfMatchingWords(text: string, patterns: readonly RegExp[]): number {
  let [all, matching] = [0, 0];
  for (const [word] of text.matchAll(wordPattern)) {
    if (word.length > maxWordLength) continue;
    const matches = patterns.some((pattern) => pattern.test(word));
    if (matches) matching += 1;
    if (matches || beyondAscii.test(word)) all += 1;
  }
  return all === 0 ? 0 : matching / all;
}

// Files have typing errors, too.
/** Whether a text, decoded with some code page, may consist of words. */
export const looksReadable = (text: string): boolean => shareOfMatchingWords(text, garbledPatterns) <= 0.1;

/** Whether the words of a text that was decoded as Windows-1252 may be Western. */
export function looksWestern(text: string): boolean {
  // Windows-1254 (Turkish) and 1257 (Baltic) have letters in the place of the Icelandic ones; the vowels tell them apart.
  if (/[ÐðÞþÝý]/.test(text) && !/[ÁáÆæÍíÓóÚú]/.test(text)) return false;
  return (
    shareOfMatchingWords(
      text,
      /[áéíóú]/i.test(text) ? [...nonWesternPatterns, nonEstonianPattern] : nonWesternPatterns,
    ) <= 0.02
  );
}

/** Counts letters beyond ASCII. */
export const countLettersBeyondAscii = (text: string): number => text.match(/(?![A-Za-z])\p{L}/gu)?.length ?? 0;
