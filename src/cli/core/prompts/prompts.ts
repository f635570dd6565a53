import type Joi from 'joi';
import { AppError } from '../../../errors.js';
import type { Io } from '../output/output.js';
import { printableLine } from '../output/printable.js';
import type { PromptDriver } from './plain-prompts.js';

interface Choice<T extends string> {
  value: T;
  name: string;
  /** Text after the user has chosen, if the name is too long for that line. */
  short?: string;
}

/**
 * Questions at the terminal. The schemas of the API check and normalise the answers. Each question throws AppError
 * `INTERRUPTED` if unanswered.
 */
export interface Prompts {
  text(message: string, schema: Joi.Schema, initial?: string): Promise<string>;
  /** Asks twice for the password, without showing it. */
  newPassword(message: string, schema: Joi.Schema): Promise<string>;
  /** Asks once, without showing the answer. Every answer is valid. */
  secret(message: string): Promise<string>;
  confirm(message: string, initial: boolean): Promise<boolean>;
  /** @param initial answer of Enter alone; the first choice if absent */
  choose<T extends string>(message: string, choices: readonly Choice<T>[], initial?: T): Promise<T>;
  /** Lets the user search and choose. @param find returns the choices for the typed text */
  search(message: string, find: (typed: string) => Promise<{ value: string; name: string }[]>): Promise<string>;
}

const check = (schema: Joi.Schema, answer: string) =>
  schema.required().validate(answer, { errors: { wrap: { label: false } } });

/** Returns true for a valid answer; otherwise the message to show. */
function problemOf(schema: Joi.Schema, answer: string): true | string {
  const { error } = check(schema, answer);
  return error ? (error.details[0]?.message ?? error.message) : true;
}

/** Creates prompts on standard error, because standard output is for data. */
export async function createPrompts(io: Io): Promise<Prompts> {
  const asked = io.env.TERM === 'dumb' ? (await import('./plain-prompts.js')).askInLines(io) : await askInPlace(io);
  return {
    ...asked,
    async text(message, schema, initial) {
      const answer = await asked.line(message, (typed) => problemOf(schema, typed), initial);
      // All schemas here are string schemas, which Joi's types don't express.
      return check(schema, answer).value as string;
    },
    async newPassword(message, schema) {
      for (;;) {
        const first = await asked.hidden(message, (typed) => problemOf(schema, typed));
        if (first === (await asked.hidden('Repeat password', () => true))) return first;
        io.stderr.write('The two passwords differ. Type them again.\n');
      }
    },
    secret: (message) => asked.hidden(message, () => true),
    confirm: (question, initial) => asked.confirm(printableLine(question), initial),
    async choose<T extends string>(message: string, choices: readonly Choice<T>[], initial?: T) {
      // The prompt returns one of the values of `choices`.
      return (await asked.choose(message, choices, initial)) as T;
    },
  };
}

/** Asks with inquirer, which redraws a question after each key. */
async function askInPlace(io: Io): Promise<PromptDriver> {
  const { default: inquirer } = await import('inquirer');

  /** Asks one question. @throws AppError `INTERRUPTED` after Ctrl-C, Ctrl-D or a signal that ends the process */
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
    // With toggleMask, Ctrl-T would show the password.
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
