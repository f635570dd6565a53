import { readdirSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Response } from 'supertest';
import type { Context } from '../../../src/context.js';
import type { contract } from '../../../src/http/api/contract.js';
import { buildCourse, buildUser, factoryPassword } from '../../support/factories.js';

/** Secrets that must turn up nowhere, recognisable wherever they do. */
export const canaries = {
  password: 'canary-password-7f3a',
  wrongPassword: 'canary-guess-91bc',
  newPassword: 'canary-next-4e2d',
  cell: 'canarycell5d0e',
  token: 'canary-token-c8a1',
  query: 'canary-query-33b7',
  /** As a client puts them into a header. */
  basic: Buffer.from('canary:canary-basic-55e0').toString('base64'),
  /** With which everybody signs in. */
  rightPassword: factoryPassword,
} as const;

/** Hashes and tokens look like nothing else. */
const hash = /\$2[aby]\$\d\d\$/;
const token = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/;

/** What a secret was found in. */
export interface Leak {
  where: string;
  what: string;
}

/** Everything that came out during an attack, and what of it is a leak. */
export class Watch {
  /** Lines of the log, at the most talkative level. */
  readonly lines: string[] = [];
  /** How many of them were looked at, and how many rows. */
  heard = 0;
  rows = 0;
  readonly leaks: Leak[] = [];
  requests = 0;
  /** Answers by status. */
  readonly statuses: Record<number, number> = {};
  /** Which operations were answered with which statuses. */
  readonly met = new Set<string>();
  /** Passwords that the service has made and shown once. */
  readonly issued = new Set<string>();
}

/** Answers that may show secrets, because they are what was asked for. */
const documented: Partial<Record<keyof typeof contract, RegExp>> = {
  setup: token,
  login: token,
  traineeLogin: token,
  // In the cookie only.
  startWebSession: new RegExp(`"set-cookie":\\["__Host-coursectl=${token.source}`),
};

function leaksIn(watch: Watch, text: string, allowed?: RegExp): string[] {
  const found = Object.entries(canaries).flatMap(([name, word]) => (text.includes(word) ? [name] : []));
  const left = allowed ? text.replace(allowed, '') : text;
  const issued = [...watch.issued].some((password) => text.includes(password));
  return [
    ...found,
    ...(hash.test(text) ? ['a hash'] : []),
    ...(token.test(left) ? ['a token'] : []),
    ...(issued ? ['a generated password'] : []),
  ];
}

function note(watch: Watch, where: string, text: string, allowed?: RegExp): void {
  for (const what of leaksIn(watch, text, allowed)) watch.leaks.push({ where, what });
}

/** Passwords that an answer is there to show. */
function issuedIn({ status, body, text }: Response, name: keyof typeof contract | undefined): string[] {
  if (status !== 200) return [];
  if (name === 'resetPassword') return [String((body as { temporaryPassword?: string }).temporaryPassword)];
  if (name !== 'importCredentials') return [];
  const rows = parse(text, { columns: true, bom: true }) as { password?: string }[];
  return rows.map(({ password }) => String(password));
}

/** Looks at an answer. @param name the operation that gives it @param during what is wrong meanwhile */
export function noteAnswer(
  watch: Watch,
  name: keyof typeof contract | undefined,
  during: string,
  response: Response,
): void {
  watch.requests += 1;
  watch.statuses[response.status] = (watch.statuses[response.status] ?? 0) + 1;
  watch.met.add(`${name} ${response.status}`);
  const where = `answer of ${name ?? 'nothing'} (${response.status}, ${during})`;
  note(watch, where, `${JSON.stringify(response.headers)} ${response.text}`, name && documented[name]);
  // From here on they are secrets.
  for (const password of issuedIn(response, name)) watch.issued.add(password);
}

/** Hears what is written past the logger, too, while something runs. */
export async function overheard(watch: Watch, work: () => Promise<void>): Promise<void> {
  const kept = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (chunk: string | Uint8Array) => {
      watch.lines.push(chunk.toString());
      return true;
    };
  try {
    await work();
  } finally {
    Object.assign(process.stdout, { write: kept.stdout });
    Object.assign(process.stderr, { write: kept.stderr });
  }
}

/** Tables where secrets have no business; those of accounts keep their hashes, of course. */
const tables = [
  'account_words',
  'course_words',
  'audit_entries',
  'imports',
  'login_throttle',
  'sessions',
  'files',
  'courses',
  'enrollments',
];

/** Looks at rows and file names for secrets, and at the log so far. */
export async function lookAround({ database, config }: Context, watch: Watch, during: string): Promise<void> {
  for (const table of tables) {
    const [found] = await database.sequelize.query(`SELECT * FROM ${table}`);
    watch.rows += found.length;
    note(watch, `a row of ${table} (${during})`, JSON.stringify(found));
  }
  const names = readdirSync(config.dataDir, { recursive: true }).join('\n');
  note(watch, `a file name (${during})`, names);
  listen(watch, during);
}

/** Looks at the log so far. */
export function listen(watch: Watch, during: string): void {
  for (const line of watch.lines.splice(0)) {
    watch.heard += 1;
    note(watch, `a log line (${during}): ${line.slice(0, 300)}`, line);
  }
}

/**
 * Puts every kind of secret into a log line, and one into a row: that nothing is found elsewhere means something then.
 * @returns what was not found
 */
export async function plantSecrets(context: Context, watch: Watch, reset: () => Promise<void>): Promise<string[]> {
  await reset();
  watch.issued.add('a password that was generated');
  const words = Object.values(canaries);
  const shapes = [
    '$2b$10$abcdefghijklmnopqrstuuN9qo8uLOickgx2ZMRZoMyeIjZAgcfl7',
    'eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln',
  ];
  for (const word of [...words, ...shapes, ...watch.issued]) context.logger.info(`planted: ${word}`);
  await buildCourse(context, await buildUser(context, { role: 'trainer' }), { title: canaries.cell });
  await lookAround(context, watch, 'planted');
  watch.issued.clear();
  const found = new Set(watch.leaks.splice(0).map(({ where, what }) => `${what} in ${where.split(' (')[0]}`));
  const wanted = [...Object.keys(canaries), 'a hash', 'a token', 'a generated password'].map(
    (what) => `${what} in a log line`,
  );
  return [...wanted, 'cell in a row of courses'].filter((what) => !found.has(what));
}
