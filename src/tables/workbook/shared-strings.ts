import { maxCellCharacters } from '../write/limits.js';
import type { Archive } from './archive.js';
import { tooLarge } from './problem.js';
import { TextCollector, unescapeText } from './text-collector.js';
import { parseXml } from './xml.js';

/** Bytes of the part, and of the texts in it, which are held in memory; and how many there are. */
const maxPartBytes = 256 * 1024 * 1024;
const maxTextBytes = 96 * 1024 * 1024;
const maxTexts = 4_000_000;

/** Texts that are held together. */
const blockTexts = 64;

/** Texts one after the other, and where each ends. */
interface Block {
  bytes: Buffer;
  ends: Uint32Array;
}

/** The texts that cells name by their number: read as far as they are named, and held as bytes, half as large as strings. */
export class SharedStrings {
  readonly #source: AsyncGenerator<void> | undefined;
  readonly #blocks: Block[] = [];
  /** Those of the last block, while it isn't full. */
  #last: string[] = [];
  #bytes = 0;
  #isWhole = false;

  /** @param part none where cells have their texts themselves */
  constructor(archive: Archive, part: string | undefined) {
    this.#source = part === undefined ? undefined : this.#read(archive, part);
  }

  #read(archive: Archive, part: string): AsyncGenerator<void> {
    const text = new TextCollector();
    return parseXml(archive.read(part, maxPartBytes), archive.work, {
      open: (element) => text.open(element),
      text: (piece) => text.add(piece),
      close: (element) => {
        text.close(element);
        if (element === 'si') this.#add(unescapeText(text.take()));
      },
    });
  }

  #add(text: string): void {
    if (this.#last.length === blockTexts) this.#endBlock();
    if (this.#blocks.length * blockTexts + this.#last.length === maxTexts)
      throw tooLarge(`it has more than ${maxTexts} texts`);
    if (text.length > maxCellCharacters) throw tooLarge(`a text has more than ${maxCellCharacters} characters`);
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > maxTextBytes) throw tooLarge(`its texts have more than ${maxTextBytes / 1024 / 1024} MiB`);
    this.#last.push(text);
  }

  #endBlock(): void {
    let end = 0;
    const ends = Uint32Array.from(this.#last, (text) => (end += Buffer.byteLength(text)));
    this.#blocks.push({ bytes: Buffer.from(this.#last.join('')), ends });
    this.#last = [];
  }

  /** Reads on until there is a text, or no more. @throws WorkbookProblem */
  async readTo(index: number): Promise<void> {
    while (!this.#isWhole && index >= this.#blocks.length * blockTexts + this.#last.length) {
      const next = await this.#source?.next();
      this.#isWhole = next === undefined || next.done === true;
    }
  }

  /** A text that was read. */
  at(index: number): string | undefined {
    if (!Number.isInteger(index)) return undefined;
    const [number, place] = [Math.floor(index / blockTexts), index % blockTexts];
    const block = this.#blocks[number];
    return block
      ? block.bytes.toString('utf8', place === 0 ? 0 : block.ends[place - 1], block.ends[place])
      : this.#last[index - this.#blocks.length * blockTexts];
  }

  async close(): Promise<void> {
    await this.#source?.return(undefined);
  }
}
