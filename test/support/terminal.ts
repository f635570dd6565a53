import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Io } from '../../src/cli/core/output/output.js';
import { scaled } from './machine.js';

/** What the keys of a terminal send. */
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

/** What a person does at a terminal: waits for words on the screen, then types, or does something else; again and again. */
export type Dialogue = readonly (readonly [sees: string, types: string | (() => void)])[];

/** Streams that look like a terminal with a person at it. */
export interface Terminal {
  stdin: Io['stdin'];
  stderr: Io['stderr'];
  /** All that was written, escape sequences included. */
  written(): string;
  /** As words: what was written over is there still. */
  screen(): string;
  /** Whether keys arrive one by one, unechoed: it must be off again in the end, or the shell is unusable. */
  isRaw(): boolean;
  /** Follows a dialogue. @param ended settles when the program does: then nothing more will be seen */
  converse(dialogue: Dialogue, ended: Promise<unknown>): Promise<void>;
}

/** How long words may take to appear, in milliseconds; migrations on a busy machine are the slowest. */
const timeLimitMs = scaled(15_000);

/** @param columns how many signs a line holds */
export function openTerminal(columns = 120): Terminal {
  let raw = false;
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(mode: boolean) {
      raw = mode;
    },
  });
  // _isStdio keeps a prompt that ends from ending the stream, as it does for the process's own.
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns, rows: 40, _isStdio: true });
  let output = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });

  /** Waits for words that are written at `from` or later. */
  async function see(words: string, from: number, hasEnded: () => boolean): Promise<void> {
    const deadline = Date.now() + timeLimitMs;
    const visible = () => stripVTControlCharacters(output.slice(from));
    while (!visible().includes(words)) {
      if (hasEnded() || Date.now() > deadline) {
        // What was written just before the end is still on its way through the stream.
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
        // Who only looks may find the next words in what was written together with these.
        if (typed === '') continue;
        from = output.length;
        if (typeof typed === 'string') stdin.write(typed);
        else typed();
      }
    },
  };
}
