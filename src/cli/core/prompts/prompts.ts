import type Joi from 'joi';
import { AppError } from '../../../errors.js';
import type { Io } from '../output/output.js';
import { printableLine } from '../output/printable.js';
import type { PromptDriver } from './plain-prompts.js';

interface Choice<T extends string> {
  value: T;
  name: string;
  /** What is shown of it once it is chosen, where the name is too long for that. */
  short?: string;
}

/**
 * Asks the person at the terminal. Answers are checked by the schemas of the API, and returned normalised.
 * Each question throws AppError `INTERRUPTED` when it is left unanswered.
 */
export interface Prompts {
  text(message: string, atom: Joi.Schema, initial?: string): Promise<string>;
  /** Asks twice; what is typed is never shown. */
  newPassword(message: string, atom: Joi.Schema): Promise<string>;
  /** Asks once; every answer is valid. */
  secret(message: string): Promise<string>;
  confirm(message: string, initial: boolean): Promise<boolean>;
  /** @param initial what Enter alone answers; the first choice when absent */
  choose<T extends string>(message: string, choices: readonly Choice<T>[], initial?: T): Promise<T>;
  /** Lets one be chosen of those that a search finds. @param find those for what was typed so far */
  search(message: string, find: (typed: string) => Promise<{ value: string; name: string }[]>): Promise<string>;
}

const check = (atom: Joi.Schema, answer: string) =>
  atom.required().validate(answer, { errors: { wrap: { label: false } } });

/** What an atom says of an answer: `true`, or the sentence to show. */
function problemOf(atom: Joi.Schema, answer: string): true | string {
  const { error } = check(atom, answer);
  return error ? (error.details[0]?.message ?? error.message) : true;
}

/** Prompts on the terminal, written to standard error: standard output stays for data. */
export async function createPrompts(io: Io): Promise<Prompts> {
  const asked = io.env.TERM === 'dumb' ? (await import('./plain-prompts.js')).askInLines(io) : await askInPlace(io);
  return {
    ...asked,
    async text(message, atom, initial) {
      const answer = await asked.line(message, (typed) => problemOf(atom, typed), initial);
      // The schemas asked with are those of texts, which Joi's types don't say.
      return check(atom, answer).value as string;
    },
    async newPassword(message, atom) {
      for (;;) {
        const first = await asked.hidden(message, (typed) => problemOf(atom, typed));
        if (first === (await asked.hidden('Repeat password', () => true))) return first;
        io.stderr.write('The two passwords differ. Type them again.\n');
      }
    },
    secret: (message) => asked.hidden(message, () => true),
    confirm: (question, initial) => asked.confirm(printableLine(question), initial),
    async choose<T extends string>(message: string, choices: readonly Choice<T>[], initial?: T) {
      // The prompt gives back one of the values it was given.
      return (await asked.choose(message, choices, initial)) as T;
    },
  };
}

/** Asks with questions that are drawn anew with each key. */
async function askInPlace(io: Io): Promise<PromptDriver> {
  const { default: inquirer } = await import('inquirer');

  /** Asks one question, until it is answered or ended by Ctrl-C, Ctrl-D or a signal. */
  async function answerTo<T>(
    put: (ask: ReturnType<typeof inquirer.createPromptModule>) => Promise<{ answer: T }>,
  ): Promise<T> {
    const left = new AbortController();
    const leave = () => left.abort();
    // Inquirer ignores Ctrl-D: readline closes and pauses its input, and the question would stay open.
    io.stdin.once('pause', leave);
    const signal = AbortSignal.any([io.signal, left.signal]);
    try {
      return (await put(inquirer.createPromptModule({ input: io.stdin, output: io.stderr, signal }))).answer;
    } catch (error) {
      const unanswered = error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name);
      throw unanswered ? new AppError('INTERRUPTED', undefined, { cause: error }) : error;
    } finally {
      io.stdin.off('pause', leave);
    }
  }

  return {
    line: (message, validate, initial) =>
      answerTo((ask) =>
        ask<{ answer: string }>([
          { type: 'input', name: 'answer', message, ...(initial !== undefined && { default: initial }), validate },
        ]),
      ),
    // toggleMask would let Ctrl-T show what was typed.
    hidden: (message, validate) =>
      answerTo((ask) =>
        ask<{ answer: string }>([{ type: 'password', name: 'answer', message, toggleMask: false, validate }]),
      ),
    confirm: (message, initial) =>
      answerTo((ask) => ask<{ answer: boolean }>([{ type: 'confirm', name: 'answer', message, default: initial }])),
    choose: (message, choices, initial) =>
      answerTo((ask) =>
        ask<{ answer: string }>([
          {
            type: 'select',
            name: 'answer',
            message,
            choices: [...choices],
            ...(initial !== undefined && { default: initial }),
          },
        ]),
      ),
    search: (message, find) =>
      answerTo((ask) =>
        ask<{ answer: string }>([
          {
            type: 'search',
            name: 'answer',
            message,
            source: async (typed: string | undefined) => [...(await find(typed ?? ''))],
          },
        ]),
      ),
  };
}
