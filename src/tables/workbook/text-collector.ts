import { appendText } from './sheet-row.js';

/** Code points that are no characters, or that databases refuse. */
const invalidCharacters = /[\0\ufffe\uffff]/g;

/**
 * Replaces escapes such as `_x000D_` by their characters. Workbooks escape characters that XML can't contain (ECMA-376, part
 * 1, 22.9.2.19). Escapes of invalid characters become U+FFFD.
 */
export const unescapeText = (text: string) =>
  text.includes('_x')
    ? text
        .replace(/_x([\da-f]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        .replace(invalidCharacters, '\ufffd')
        .toWellFormed()
    : text;

/** Collects the text of an element, including rich text, but without phonetic text (`rPh`). */
export class TextCollector {
  #text = '';
  #isText = false;
  #phoneticDepth = 0;

  open(element: string): void {
    if (element === 'rPh') this.#phoneticDepth += 1;
    this.#isText = element === 't' && this.#phoneticDepth === 0;
  }

  close(element: string): void {
    if (element === 'rPh') this.#phoneticDepth -= 1;
    if (element === 't') this.#isText = false;
  }

  add(text: string): void {
    if (this.#isText) this.#text = appendText(this.#text, text);
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}
