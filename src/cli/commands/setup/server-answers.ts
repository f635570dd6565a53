import { isIP } from 'node:net';
import Joi from 'joi';
import { isAppError } from '../../../errors.js';
import { createLogger } from '../../../logger.js';
import { createContext, type Schema } from '../../../services/context.js';
import type { Run } from '../../core/command/run.js';
import { printable } from '../../core/output/printable.js';
import { createPrompts, type Prompts } from '../../core/prompts/prompts.js';
import type { Change } from './undo.js';

// Allows the same as DB_HOST, except that only an IPv6 address may have a colon.
const hostName = Joi.string()
  .trim()
  .custom((text: string, helpers) => (/^[\w.-]+$/.test(text) || isIP(text) !== 0 ? text : helpers.error('any.invalid')))
  .messages({ '*': 'The host is a name or an address, without a port.' });
const required = Joi.string().trim().min(1).messages({ '*': 'Type a name.' });
const portNumber = Joi.string()
  .custom((text: string, helpers) =>
    /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65535 ? text : helpers.error('any.invalid'),
  )
  .messages({ '*': 'The port is a whole number from 1 to 65535.' });

interface Answers {
  host: string;
  port: string;
  name: string;
  user: string;
  password: string;
}

type Question = keyof Answers;

const all: readonly Question[] = ['host', 'port', 'name', 'user', 'password'];

/** Asks some of the questions. Earlier answers are the defaults. */
async function ask(prompts: Prompts, questions: readonly Question[], answers: Answers): Promise<Answers> {
  const given = { ...answers };
  const isAsked = (question: Question) => questions.includes(question);
  if (isAsked('host')) given.host = await prompts.text('Host', hostName, given.host);
  if (isAsked('port')) given.port = await prompts.text('Port', portNumber, given.port);
  if (isAsked('name')) given.name = await prompts.text('Database', required, given.name);
  if (isAsked('user')) given.user = await prompts.text('User', required, given.user);
  if (isAsked('password')) given.password = await prompts.secret('Password');
  return given;
}

const part = encodeURIComponent;

const serverOf = ({ host, port }: Answers) => `${host.includes(':') ? `[${host}]` : host}:${port}`;
const urlOf = (answers: Answers) =>
  `mysql://${part(answers.user)}:${part(answers.password)}@${serverOf(answers)}/${part(answers.name)}`;

const statementsText = (statements: readonly string[]) => statements.map((one) => `  ${one};`).join('\n');

/**
 * Opens a database, inspects it, and closes it.
 * @param settings added to the settings of the environment
 */
export async function withSchema<T>(
  run: Run,
  settings: Record<string, string>,
  look: (schema: Schema) => Promise<T>,
): Promise<T> {
  const context = await createContext(await run.config(settings), createLogger('silent', { write: () => undefined }));
  try {
    return await look(context.schema);
  } finally {
    await context.close();
  }
}

/**
 * Asks until the answers lead to a usable database. Repeats only the questions with wrong answers.
 * @returns the URL of the database
 * @throws AppError `INTERRUPTED`
 */
export async function reachableServer(run: Run, changes: Change[]): Promise<string> {
  const prompts = await createPrompts(run.io);
  // Printed with --quiet, too: users need the text for the next answer.
  const say = (text: string) => run.io.stderr.write(`${printable(text)}\n`);
  let answers: Answers = { host: '127.0.0.1', port: '3306', name: 'coursectl', user: 'coursectl', password: '' };
  answers = await ask(prompts, all, answers);
  let refusals = 0;
  for (;;) {
    const url = urlOf(answers);
    const questions = await withSchema(run, { DATABASE_URL: url }, async (schema) => {
      const probe = await schema.probe();
      const { name, user } = answers;
      switch (probe.state) {
        case 'usable':
          return undefined;
        case 'unreachable':
          say(`No database server answers at ${serverOf(answers)} (${probe.reason}). Is it running?`);
          return ['host', 'port'] as const;
        case 'login refused': {
          refusals += 1;
          const seenAs = probe.clientHost === undefined ? '' : ` (it sees you as '${user}'@'${probe.clientHost}')`;
          say(`The server refused the user ${user} or the password${seenAs}.`);
          // The server doesn't say whether the user or the password is wrong.
          return refusals % 2 === 1 ? (['password'] as const) : (['user', 'password'] as const);
        }
        case 'host refused': {
          const seenAs = probe.clientHost === undefined ? '' : ` (it sees you at ${probe.clientHost})`;
          say(
            `The server accepts no connections from this machine${seenAs}. ` +
              `An administrator of the server can run:\n${statementsText(probe.statements)}`,
          );
          return afterRemedy(prompts, ['server']);
        }
        case 'no rights':
          say(
            `The database ${name} does not exist, or ${user} has no rights on it. ` +
              `An administrator of the server can run:\n${statementsText(probe.statements)}`,
          );
          return afterRemedy(prompts, ['name', 'user']);
        case 'wrong name':
          say(`The server accepts no database of the name ${name}. Choose another one, of at most 64 characters.`);
          return ['name'] as const;
        case 'missing':
          say(`The server has no database ${name}.`);
          return create(prompts, schema, answers, { say, changes, statements: probe.statements });
        case 'other':
          say(probe.problem);
          return all;
      }
    });
    if (questions === undefined) return url;
    answers = await ask(prompts, questions, answers);
  }
}

/** Answers that the user can change instead of waiting for an administrator. */
const alternatives = {
  server: { name: 'Use another server', questions: ['host', 'port'] },
  name: { name: 'Use another database', questions: ['name'] },
  user: { name: 'Use another user', questions: ['user', 'password'] },
} as const;

type Alternative = keyof typeof alternatives;

/** Asks how to continue after a problem that an administrator must solve. @returns the questions to repeat */
async function afterRemedy(prompts: Prompts, offered: readonly Alternative[]): Promise<readonly Question[]> {
  const next = await prompts.choose<'again' | Alternative>('How do you want to continue?', [
    { value: 'again', name: 'Try again: the statements were run' },
    ...offered.map((value) => ({ value, name: alternatives[value].name })),
  ]);
  return next === 'again' ? [] : alternatives[next].questions;
}

interface Creation {
  say: (text: string) => void;
  changes: Change[];
  statements: readonly string[];
}

/** Offers to create a missing database. @returns the questions to repeat; none if the database can be used */
async function create(
  prompts: Prompts,
  schema: Schema,
  answers: Answers,
  { say, changes, statements }: Creation,
): Promise<readonly Question[]> {
  const { name, user } = answers;
  if (!(await prompts.confirm(`Create the database ${name} now?`, true))) return ['name'];
  try {
    await schema.createDatabase();
  } catch (error) {
    if (!isAppError(error, 'DATABASE_ACCESS_DENIED')) throw error;
    say(`${user} may not create databases. An administrator of the server can run:\n${statementsText(statements)}`);
    return afterRemedy(prompts, ['name', 'user']);
  }
  changes.push({ description: `the database ${name} on ${serverOf(answers)}` });
  return [];
}
