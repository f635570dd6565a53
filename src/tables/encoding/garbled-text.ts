/** Matches words: letters, and signs whose codes are letters in other code pages. */
const wordPattern = /[^\0-@[-`{-\x7f\u00a0\s\u3000、。]+/gu;
/** Punctuation that spreadsheets insert into words of ASCII letters. */
const punctuation = '’‘“”„‚–—…';

/** Signs that are never next to letters. */
const signs = '¢£¤¥¦§¨¬¯±¶¸¼½¾†‡‰ˆ˜•×÷';

/** Patterns that occur in no language. They show that a text was decoded with a wrong code page. */
const garbledPatterns: readonly RegExp[] = [
  /[\x80-\x9f\ufffd]/,
  new RegExp(`[${signs}]\\p{L}|\\p{L}[${signs}]`, 'u'),
  /\p{Ll}[–—…„‚“”]\p{Ll}/u,
  /\p{L}[¹²³¿¡®©™]\p{L}|\p{L}{3}[¹²³]$/u,
  // Capitals within words, except after the Irish prefixes h, n and t, and before ß.
  /\p{Lu}(?![A-Z])\p{Lu}(?!ß)\p{Ll}|\p{L}\p{Ll}(?![A-Z])\p{Lu}/u,
  // Polish has no vowel after ń; Spanish uses ñ there.
  /ń[aeiouáéíóú]/iu,
  // Two alphabets in one word.
  /\p{sc=Latin}(?!\p{sc=Latin})\p{L}|(?!\p{sc=Latin})\p{L}\p{sc=Latin}/u,
];

const westernLetters = 'À-ÖØ-öø-ÿŠšŒœŽžŸ';

/** Patterns that occur in no Western language. */
const nonWesternPatterns: readonly RegExp[] = [
  // Words of accented letters only: in another alphabet, all letters have these codes.
  new RegExp(`^[${westernLetters}]{2,}$|[${westernLetters}]{5}|ƒ`),
  // Ordinal signs follow few letters: Mª, Nº. Romanian and Turkish have letters with these codes.
  /[ªº]\p{L}|\p{L}{4}[ªº]/u,
  // Czech, Slovak, Slovene, Croatian, Hungarian, Romanian.
  /[ØøÈèÌìÒòÙùï].*[ÁáÍíÝýŠšŽž]|[ÁáÍíÝýŠšŽž].*[ØøÈèÌìÒòÙùï]/,
  /[Õõ].*[ÁáÉéÍíÓóÚú]|[ÁáÉéÍíÓóÚú].*[Õõ]|[Ûû].*[ÁáÍíÓóÚú]|[ÁáÍíÓóÚú].*[Ûû]/,
  /[õû]$|i[æè]$|[ñã][b-df-hj-np-tv-z](?!$)|[aeiou][èò][aeiou]|^È[aeiou]|[ìù](?![sn]?$)\p{L}/u,
  /[Þþ].*[ãâî]|[ãâî].*[Þþ]/,
  // Turkish, Lithuanian, Latvian.
  /þ$|^Ð\p{Ll}|ç[b-df-hj-np-rtv-z]|è.*û|(ien|ait|yt|ut)ë$/u,
  // Signs with at most one ASCII letter, except 5°C, §§, m², Nº, ¿Él and ¡Sí: Chinese, Japanese, Korean.
  /^(?!°[CF]$|§+$|\w.$|[¿¡]\p{L}{2})(?=.*[«»·´°¹²³¿¡®©™ªº¢£¤¥¦§¨¬¯±¶¸¼½¾\xad])(?!.*[A-Za-z]{2})..+$/u,
  // Mac Roman.
  /\p{Ll}{2}’\p{Ll}{2}/u,
];
/** õ without a following e is Estonian, which has no acute accents. Hungarian has another letter with this code. */
const nonEstonianPattern = /[Õõ](?!e)/;

/** Longer words are ignored: they are not names. */
const maxWordLength = 64;

const beyondAscii = new RegExp(`[^\\0-\\x7f${punctuation}]`);

/** Returns the share of non-ASCII words that match a pattern, from 0 to 1. */
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

/** Whether a decoded text probably consists of words. Tolerates a tenth of odd words, because people mistype. */
export const looksReadable = (text: string): boolean => shareOfMatchingWords(text, garbledPatterns) <= 0.1;

/** Whether a text that was decoded as Windows-1252 is probably in a Western language. */
export function looksWestern(text: string): boolean {
  // Windows-1254 (Turkish) and 1257 (Baltic) have other letters in place of the Icelandic ones. The vowels tell the languages
  // apart.
  if (/[ÐðÞþÝý]/.test(text) && !/[ÁáÆæÍíÓóÚú]/.test(text)) return false;
  return (
    shareOfMatchingWords(
      text,
      /[áéíóú]/i.test(text) ? [...nonWesternPatterns, nonEstonianPattern] : nonWesternPatterns,
    ) <= 0.02
  );
}

export const countLettersBeyondAscii = (text: string): number => text.match(/(?![A-Za-z])\p{L}/gu)?.length ?? 0;
