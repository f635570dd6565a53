import type Joi from 'joi';
import type { Io } from './output.js';

/** Asks the person at the terminal. Answers are checked on the spot, by the schemas of the API. */
export interface Prompts {
  text(message: string, atom: Joi.Schema, initial?: string): Promise<string>;
  /** Asks twice; what is typed is never shown. */
  newPassword(message: string, atom: Joi.Schema): Promise<string>;
  /** Asks once; any answer will do. */
  secret(message: string): Promise<string>;
  confirm(message: string, initial: boolean): Promise<boolean>;
  choose<T extends string>(message: string, choices: readonly { value: T; name: string }[]): Promise<T>;
}

/** What an atom says of an answer: `true`, or the sentence to show. */
function problemOf(atom: Joi.Schema, answer: string): true | string {
  const { error } = atom.required().validate(answer, { errors: { wrap: { label: false } } });
  return error ? (error.details[0]?.message ?? error.message) : true;
}

/** Prompts on the terminal, written to standard error: standard output stays for data. */
export async function createPrompts(io: Io): Promise<Prompts> {
  const { default: inquirer } = await import('inquirer');
  const ask = inquirer.createPromptModule({ input: io.stdin, output: io.stderr });

  return {
    async text(message, atom, initial) {
      const { answer } = await ask<{ answer: string }>([
        {
          type: 'input',
          name: 'answer',
          message,
          ...(initial !== undefined && { default: initial }),
          validate: (typed: string) => problemOf(atom, typed),
        },
      ]);
      return answer;
    },
    async newPassword(message, atom) {
      for (;;) {
        const { first } = await ask<{ first: string }>([
          // toggleMask would let Ctrl-T show what was typed.
          {
            type: 'password',
            name: 'first',
            message,
            toggleMask: false,
            validate: (typed: string) => problemOf(atom, typed),
          },
        ]);
        const { second } = await ask<{ second: string }>([
          { type: 'password', name: 'second', message: 'Once more', toggleMask: false },
        ]);
        if (first === second) return first;
        io.stderr.write('The two passwords differ. Type them again.\n');
      }
    },
    async secret(message) {
      const { answer } = await ask<{ answer: string }>([
        { type: 'password', name: 'answer', message, toggleMask: false },
      ]);
      return answer;
    },
    async confirm(message, initial) {
      const { answer } = await ask<{ answer: boolean }>([
        { type: 'confirm', name: 'answer', message, default: initial },
      ]);
      return answer;
    },
    async choose<T extends string>(message: string, choices: readonly { value: T; name: string }[]) {
      const { answer } = await ask<{ answer: string }>([
        { type: 'select', name: 'answer', message, choices: [...choices] },
      ]);
      // The prompt gives back one of the values it was given.
      return answer as T;
    },
  };
}
