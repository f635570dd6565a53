import { createInterface } from 'node:readline/promises';
import { PassThrough } from 'node:stream';
import { AppError } from '../../../errors.js';
import type { Io } from '../output/output.js';
import { printable, printableLine } from '../output/printable.js';

/** Questions at a terminal. Each one throws AppError `INTERRUPTED` if unanswered. */
export interface PromptDriver {
  /** Asks until `problem` returns true. Enter alone answers `initial`. */
  line(message: string, problem: (typed: string) => true | string, initial?: string): Promise<string>;
  /** Asks without showing the answer. */
  hidden(message: string, problem: (typed: string) => true | string): Promise<string>;
  confirm(message: string, initial: boolean): Promise<boolean>;
  /** @param initial answer of Enter alone */
  choose(message: string, choices: readonly PlainChoice[], initial?: string): Promise<string>;
  search(message: string, find: (typed: string) => Promise<readonly PlainChoice[]>): Promise<string>;
}

interface PlainChoice {
  value: string;
  name: string;
}

const anything = () => true as const;

/** Converts "Email" to "Email: ". */
const labelOf = (message: string) => (/\w$/.test(message) ? `${message}: ` : `${message} `);

/** Asks line by line, for terminals that can't move the cursor (`TERM=dumb`), such as those in editors. */
export function askInLines(io: Io): PromptDriver {
  const say = (text: string) => io.stderr.write(`${printable(text)}\n`);

  /** @param isShown whether the terminal shows the answer; otherwise readline reads each key and its output is discarded */
  async function readAnswer(question: string, isShown: boolean): Promise<string> {
    io.stderr.write(printable(question));
    const output = isShown ? io.stderr : new PassThrough().resume();
    const reader = createInterface({ input: io.stdin, output, terminal: !isShown });
    const left = new AbortController();
    const leave = () => left.abort();
    reader.once('close', leave).once('SIGINT', leave);
    try {
      return await reader.question('', { signal: AbortSignal.any([io.signal, left.signal]) });
    } catch (error) {
      // The shell prompt must begin on a new line.
      io.stderr.write('\n');
      throw left.signal.aborted || io.signal.aborted ? new AppError('INTERRUPTED', undefined, { cause: error }) : error;
    } finally {
      reader.off('close', leave);
      reader.close();
      if (!isShown) io.stderr.write('\n');
    }
  }

  async function validAnswer(
    question: string,
    isShown: boolean,
    problem: (text: string) => true | string,
    initial = '',
  ) {
    for (;;) {
      const text = (await readAnswer(question, isShown)) || initial;
      const found = problem(text);
      if (found === true) return text;
      say(found);
    }
  }

  const prompts: PromptDriver = {
    line: (message, problem, initial) =>
      validAnswer(`${labelOf(message)}${initial === undefined ? '' : `(${initial}) `}`, true, problem, initial),
    hidden: (message, problem) => validAnswer(labelOf(message), false, problem),
    async confirm(message, initial) {
      const isAnswer = (text: string) => /^(y|yes|n|no|)$/i.test(text.trim()) || 'Type y or n.';
      const answer = await prompts.line(`${message} ${initial ? '(Y/n)' : '(y/N)'}`, isAnswer);
      return answer.trim() === '' ? initial : /^y/i.test(answer.trim());
    },
    async choose(message, choices, initial) {
      const numbered = choices.map(({ name }, index) => `  ${index + 1}  ${printableLine(name)}`);
      say([message, ...numbered].join('\n'));
      const initialNumber = choices.findIndex(({ value }) => value === initial) + 1;
      const isNumber = (text: string) =>
        choices[Number(text) - 1] !== undefined || `Type a number from 1 to ${choices.length}.`;
      const answer = await prompts.line('Number:', isNumber, initialNumber > 0 ? String(initialNumber) : undefined);
      return choices[Number(answer) - 1]?.value ?? '';
    },
    async search(message, find) {
      for (;;) {
        const found = await find(await prompts.line(`${message} Type a part of it, or Enter for all:`, anything));
        if (found.length === 0) {
          say('Nothing was found.');
          continue;
        }
        const others = { value: '', name: 'another search' };
        const answer = await prompts.choose('Found:', [...found, others]);
        if (answer !== '') return answer;
      }
    },
  };
  return prompts;
}
