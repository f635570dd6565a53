import { isAscii } from 'node:buffer';
import iconv from 'iconv-lite';

/**
 * Nearly every byte is a character in Windows-1252: a file in another 8-bit code page is read as Windows-1252 without an
 * error, and every name in it is wrong. The patterns below find words that no Western language has.
 */

const isLetterByte = (byte: number) => byte >= 0x80 || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);

/** Letters beyond ASCII. */
const high = 'À-ÖØ-öø-ÿŠšŒœŽžŸƒ';
/** Runs of letters and of the signs that other code pages have in their place; quotes, dashes and ordinals split words. */
const word = /[^\0-@[-`{-\x7f\u00a0«»“”„‚‘’‹›–—…·´ªº°]+/g;

const doubtful: readonly RegExp[] = [
  // Greek, Cyrillic, Hebrew, Arabic and Thai have no letter of ASCII in a word.
  new RegExp(`^[${high}]{3,}$|[${high}]{4}`),
  // Signs beside letters: Polish, Cyrillic, Chinese, Mac Roman.
  new RegExp(`[¢£¤¥¦§¨¬¯±¶¸¼½¾†‡‰ˆ˜•×÷][A-Za-z${high}]|[A-Za-z${high}][¢£¤¥¦§¨¬¯±¶¸¼½¾†‡‰ˆ˜•×÷]`),
  new RegExp(`[A-Za-z${high}][¹²³¿¡®©™][A-Za-z${high}]|[A-Za-z${high}]{3}[¹²³]$`),
  // Capitals within words, except after the Irish prefixes h, n and t: Mac Roman.
  /[A-ZÀ-ÖØ-Þ][À-ÖØ-ÞŠŒŽŸ][a-zà-öø-ÿ]|[A-Za-zà-öø-ÿ][a-zà-öø-ÿ][À-ÖØ-ÞŠŒŽŸ]/,
  // Letters that no Western language has in one word: Czech, Slovak, Slovene, Croatian, Hungarian, Romanian.
  /[ØøÈèÌìÒòÙùï].*[ÁáÍíÝýŠšŽž]|[ÁáÍíÝýŠšŽž].*[ØøÈèÌìÒòÙùï]/,
  /[Õõ].*[ÁáÉéÍíÓóÚú]|[ÁáÉéÍíÓóÚú].*[Õõ]|[Ûû].*[ÁáÍíÓóÚú]|[ÁáÍíÓóÚú].*[Ûû]/,
  /[Þþ].*[ãâî]|[ãâî].*[Þþ]|iæ$/,
];

/** Longer words are not names. */
const longestWord = 64;

/** Counts the words beyond ASCII of a text that is assumed to be Windows-1252, and the doubtful ones among them. */
export class WesternWords {
  #waiting: Buffer = Buffer.alloc(0);
  #words = 0;
  #doubtful = 0;
  #icelandic = false;
  #turkish = false;
  #vowels = false;

  push(chunk: Buffer): void {
    const bytes = this.#waiting.length > 0 ? Buffer.concat([this.#waiting, chunk]) : chunk;
    let end = bytes.length;
    while (end > 0 && bytes.length - end < longestWord && isLetterByte(bytes.readUInt8(end - 1))) end -= 1;
    this.#waiting = bytes.subarray(end);
    this.#look(bytes.subarray(0, end));
  }

  /** Whether the text is probably not Windows-1252. */
  isForeign(): boolean {
    this.#look(this.#waiting);
    this.#waiting = Buffer.alloc(0);
    // Windows-1254 (Turkish) has its own letters in the place of the Icelandic ones; the vowels tell the languages apart.
    if (this.#icelandic && this.#turkish && !this.#vowels) return true;
    return this.#doubtful * 10 > this.#words;
  }

  #look(bytes: Buffer): void {
    if (isAscii(bytes)) return;
    for (const [found] of iconv.decode(bytes, 'windows-1252').matchAll(word)) {
      if (found.length > longestWord || !/[^\0-\x7f]/.test(found)) continue;
      this.#words += 1;
      if (doubtful.some((pattern) => pattern.test(found))) this.#doubtful += 1;
      this.#icelandic ||= /[ÐðÞþÝý]/.test(found);
      this.#turkish ||= /[ÇçÜü]/.test(found);
      this.#vowels ||= /[ÁáÆæÍíÓóÚú]/.test(found);
    }
  }
}
