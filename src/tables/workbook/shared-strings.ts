import { maxCellCharacters } from '../write/limits.js';
import type { Archive } from './archive.js';
import { tooLarge } from './problem.js';
import { TextCollector, unescapeText } from './text-collector.js';
import { parseXml } from './xml.js';

/** Maximum bytes of the part, and maximum bytes and number of the texts, which are kept in memory. */
const maxPartBytes = 256 * 1024 * 1024;
const maxTextBytes = 96 * 1024 * 1024;
const maxTexts = 4_000_000;

const blockTexts = 64;

/** Concatenated texts, and the end of each in bytes. */
interface Block {
  bytes: Buffer;
  ends: Uint32Array;
}

/**
 * The texts that cells refer to by index. Texts are read only as far as cells need them, and kept as bytes, which take half
 * as much memory as strings.
 */
export class SharedStrings {
  readonly #source: AsyncGenerator<void> | undefined;
  readonly #blocks: Block[] = [];
  /** Texts of the last, incomplete block. */
  #last: string[] = [];
  #bytes = 0;
  #isWhole = false;

  /** @param part absent if cells contain their texts themselves */
  constructor(archive: Archive, part: string | undefined) {
    this.#source = part === undefined ? undefined : this.#read(archive, part);
  }

  #read(archive: Archive, part: string): AsyncGenerator<void> {
    const text = new TextCollector();
    return parseXml(archive.read(part, maxPartBytes), archive.workLimits, {
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

  /** Reads texts up to this index, or to the last text. @throws WorkbookProblem */
  async readTo(index: number): Promise<void> {
    while (!this.#isWhole && index >= this.#blocks.length * blockTexts + this.#last.length) {
      const next = await this.#source?.next();
      this.#isWhole = next === undefined || next.done === true;
    }
  }

  /** Returns a text that {@link readTo} has read. */
  at(index: number): string | undefined {
    if (!Number.isInteger(index)) return undefined;
    const [number, offset] = [Math.floor(index / blockTexts), index % blockTexts];
    const block = this.#blocks[number];
    return block
      ? block.bytes.toString('utf8', offset === 0 ? 0 : block.ends[offset - 1], block.ends[offset])
      : this.#last[index - this.#blocks.length * blockTexts];
  }

  async close(): Promise<void> {
    await this.#source?.return(undefined);
  }
}
