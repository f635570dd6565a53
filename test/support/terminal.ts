import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Io } from '../../src/cli/core/output/output.js';
import { scaled } from './machine.js';

/** Characters that the keys of a terminal send. */
export const keys = {
  enter: '\r',
  down: '\u001b[B',
  backspace: '\u007f',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlT: '\u0014',
  /** Clears the line. */
  ctrlU: '\u0015',
} as const;

/** Steps of a person at a terminal: waits for text on the screen, then types or calls a function. */
export type Dialogue = readonly (readonly [sees: string, types: string | (() => void)])[];

/** Streams that behave like a terminal with a person. */
export interface Terminal {
  stdin: Io['stdin'];
  stderr: Io['stderr'];
  /** Returns the whole output, including escape sequences. */
  written(): string;
  /** Returns the output without escape sequences. It includes overwritten text. */
  screen(): string;
  /** Whether the terminal is in raw mode. It must be off at the end, otherwise the shell is unusable. */
  isRaw(): boolean;
  /**
   * Follows a dialogue.
   * @param ended resolves when the program ends: then no more text will appear
   */
  converse(dialogue: Dialogue, ended: Promise<unknown>): Promise<void>;
}

/** Time limit for expected text, in milliseconds. Migrations on a busy machine take longest. */
const timeLimitMs = scaled(15_000);

/** @param columns characters of a line */
export function openTerminal(columns = 120): Terminal {
  let raw = false;
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(mode: boolean) {
      raw = mode;
    },
  });
  // _isStdio keeps a finished prompt from ending the stream, like the process's own streams.
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns, rows: 40, _isStdio: true });
  let output = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });

  /** Waits for text at `from` or later in the output. */
  async function see(words: string, from: number, hasEnded: () => boolean): Promise<void> {
    const deadline = Date.now() + timeLimitMs;
    const visible = () => stripVTControlCharacters(output.slice(from));
    while (!visible().includes(words)) {
      if (hasEnded() || Date.now() > deadline) {
        // The last output may still be in the stream.
        await new Promise((resolve) => setImmediate(resolve));
        if (visible().includes(words)) return;
        throw new Error(
          `"${words}" never appeared ${hasEnded() ? 'before the end' : 'in time'}. Instead:\n${visible()}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  return {
    stdin,
    stderr,
    written: () => output,
    screen: () => stripVTControlCharacters(output),
    isRaw: () => raw,
    async converse(dialogue, ended) {
      let over = false;
      const end = () => {
        over = true;
      };
      ended.then(end, end);
      let from = 0;
      for (const [words, typed] of dialogue) {
        await see(words, from, () => over);
        // Without input, the next text may be in the same output.
        if (typed === '') continue;
        from = output.length;
        if (typeof typed === 'string') stdin.write(typed);
        else typed();
      }
    },
  };
}
