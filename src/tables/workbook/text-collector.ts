import { appendText } from './sheet-row.js';

/** What is no character, and what databases refuse. */
const invalidCharacters = /[\0\ufffe\uffff]/g;

/** `_x000D_` is a character that XML can't have (ECMA-376, part 1, 22.9.2.19); one that is none was lost before. */
export const unescapeText = (text: string) =>
  text.includes('_x')
    ? text
        .replace(/_x([\da-f]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        .replace(invalidCharacters, '\ufffd')
        .toWellFormed()
    : text;

/** Collects the text of an element as the file has it, of rich text too; phonetic text is left out. */
export class TextCollector {
  #text = '';
  #isText = false;
  #phonetic = 0;

  open(element: string): void {
    if (element === 'rPh') this.#phonetic += 1;
    this.#isText = element === 't' && this.#phonetic === 0;
  }

  close(element: string): void {
    if (element === 'rPh') this.#phonetic -= 1;
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
