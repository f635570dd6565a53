import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Op } from 'sequelize';
import request from 'supertest';
import type { Context } from '../../src/context.js';
import { createApp } from '../../src/http/app.js';
import { contract } from '../../src/http/contract.js';
import type { Operation } from '../../src/http/operation.js';
import { importFile } from '../imports/running.js';
import { buildUser, signIn } from '../support/factories.js';
import { type Example, examples, pathOf } from './examples.js';
import { ada } from './expectations.js';

/** Secrets that must turn up nowhere, recognisable wherever they do. */
export const canaries = {
  password: 'canary-password-7f3a',
  wrongPassword: 'canary-guess-91bc',
  newPassword: 'canary-next-4e2d',
  cell: 'canarycell5d0e',
  token: 'canary-token-c8a1',
  query: 'canary-query-33b7',
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
export interface Watch {
  /** Lines of the log, at the most talkative level. */
  lines: string[];
  /** How many of them were looked at. */
  heard: number;
  leaks: Leak[];
  requests: number;
}

const operations = Object.entries(contract) as [keyof typeof contract, Operation][];

/** Answers that may show secrets, because they are what was asked for. */
const documented: Partial<Record<keyof typeof contract, RegExp>> = {
  setup: token,
  login: token,
  traineeLogin: token,
};

function leaksIn(text: string, allowed?: RegExp): string[] {
  const words = Object.entries(canaries).flatMap(([name, word]) => (text.includes(word) ? [name] : []));
  const left = allowed ? text.replace(allowed, '') : text;
  return [...words, ...(hash.test(text) ? ['a hash'] : []), ...(token.test(left) ? ['a token'] : [])];
}

function note(watch: Watch, where: string, text: string, allowed?: RegExp): void {
  for (const what of leaksIn(text, allowed)) watch.leaks.push({ where, what });
}

/** The example with canaries in every field that holds a secret, and in fields that nobody asked for. */
function infected({ body, upload, query, ...rest }: Example): Example {
  const secrets: Record<string, string> = {
    password: canaries.password,
    currentPassword: canaries.wrongPassword,
    newPassword: canaries.newPassword,
  };
  const surplus = { passwordHash: canaries.password, token: canaries.token, secret: { nested: canaries.password } };
  return {
    ...rest,
    ...(query && { query: { ...query, token: canaries.query } }),
    ...(body && {
      body: {
        ...Object.fromEntries(Object.entries(body).map(([key, value]) => [key, secrets[key] ?? value])),
        ...surplus,
      },
    }),
    ...(upload && { upload }),
  };
}

const rows = [
  'firstName,lastName,email,phone,password',
  `${canaries.cell},Lovelace,${canaries.cell}@example.org,+1 555 010101,${canaries.password}`,
  `${canaries.cell},L,${canaries.cell},,${canaries.wrongPassword}`,
  `"${canaries.cell}`,
];

function send(app: ReturnType<typeof createApp>, operation: Operation, given: Example) {
  const call = request(app)[operation.method](pathOf(operation.path, given));
  if (given.token !== undefined) void call.set('Authorization', `Bearer ${given.token}`);
  if (given.upload && operation.upload) {
    const { file, name, fields } = given.upload;
    const isCsv = name.endsWith('.csv');
    return call.attach(operation.upload.field, isCsv ? Buffer.from(rows.join('\n')) : file, name).field(fields);
  }
  return given.body === undefined ? call : call.send(given.body);
}

/** What is done to the service while it is asked. */
export interface Trouble {
  name: string;
  /** The program that is asked. */
  troubled: Context;
  /** Begins once the example is prepared, ends by what it returns. */
  begin?(): Promise<() => Promise<void>>;
}

const wronged = (body: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(body).map((key) => [key, { [canaries.password]: canaries.password }]));

/** The request as it is, with the wrong types, with what is taken already, and with a token that is none. */
async function variants(name: keyof typeof contract, context: Context): Promise<Example[]> {
  const given: Example = await examples[name](context);
  const sick = infected(given);
  const conflicting = { ...sick, body: { ...sick.body, email: ada.email, phone: ada.phone } };
  return [
    sick,
    ...(sick.body ? [{ ...sick, body: wronged(sick.body) }, conflicting] : []),
    { ...sick, token: `${given.token ?? 'eyJhbGciOiJIUzI1NiJ9'}.${canaries.token}` },
  ];
}

/** Makes an operation's requests on an emptied database, and somebody whom conflicts are with. */
async function prepare(name: keyof typeof contract, context: Context, reset: () => Promise<void>) {
  await reset();
  const all = await variants(name, context);
  const isTaken = await context.database.models.User.findOne({
    where: { [Op.or]: [{ email: ada.email }, { phone: ada.phone }] },
  });
  if (!isTaken && name !== 'setup') await buildUser(context, { email: ada.email, phone: ada.phone });
  return all;
}

async function sendAll(
  app: ReturnType<typeof createApp>,
  [name, operation]: (typeof operations)[number],
  all: readonly Example[],
  trouble: string,
  watch: Watch,
): Promise<void> {
  for (const given of all) {
    const response = await send(app, operation, given);
    watch.requests += 1;
    const where = `answer of ${name} (${response.status}, ${trouble})`;
    note(watch, where, `${JSON.stringify(response.headers)} ${response.text}`, documented[name]);
  }
}

/** Sends the examples of the whole contract, full of secrets, through one trouble. */
export async function sendCanaries(
  context: Context,
  { name: trouble, troubled, begin }: Trouble,
  watch: Watch,
  reset: () => Promise<void>,
): Promise<void> {
  const app = createApp(troubled);
  for (const entry of operations) {
    const all = await prepare(entry[0], context, reset);
    const end = await begin?.();
    try {
      await sendAll(app, entry, all, trouble, watch);
    } finally {
      await end?.();
    }
    await lookAround(context, watch, `${entry[0]}, ${trouble}`);
  }
}

/** The same where the database goes away in between, for good. */
export async function sendToNobody(
  context: Context,
  watch: Watch,
  reset: () => Promise<void>,
  goAway: () => Promise<void>,
): Promise<void> {
  const prepared: [(typeof operations)[number], Example[]][] = [];
  for (const entry of operations) prepared.push([entry, await prepare(entry[0], context, reset)]);
  await goAway();
  const app = createApp(context);
  for (const [entry, all] of prepared) await sendAll(app, entry, all, 'database gone', watch);
  listen(watch, 'database gone');
}

/** Imports a file of secrets, and looks at everything but the downloads that are there to show them. */
export async function importCanaries(context: Context, watch: Watch, reset: () => Promise<void>): Promise<void> {
  await reset();
  const { token } = await signIn(context, { role: 'super_admin' });
  const file = path.join(context.config.dataDir, 'people.csv');
  writeFileSync(file, rows.slice(0, -1).join('\n'));
  const { id } = await importFile(context, file);
  const app = createApp(context);
  for (const place of ['/api/imports', `/api/imports/${id}`, `/api/imports/${id}/events`, '/api/audit']) {
    const response = await request(app).get(place).set('Authorization', `Bearer ${token}`);
    watch.requests += 1;
    note(watch, `answer of ${place} (${response.status}, after an import)`, response.text);
  }
  await lookAround(context, watch, 'after an import');
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
const tables = ['audit_entries', 'imports', 'login_throttle', 'sessions', 'files', 'courses', 'enrollments'];

/** Looks at rows and file names for secrets, and at the log so far. */
async function lookAround({ database, config }: Context, watch: Watch, during: string): Promise<void> {
  for (const table of tables) {
    const [found] = await database.sequelize.query(`SELECT * FROM ${table}`);
    note(watch, `a row of ${table} (${during})`, JSON.stringify(found));
  }
  const names = readdirSync(config.dataDir, { recursive: true }).join('\n');
  note(watch, `a file name (${during})`, names);
  listen(watch, during);
}

function listen(watch: Watch, during: string): void {
  for (const line of watch.lines.splice(0)) {
    watch.heard += 1;
    note(watch, `a log line (${during}): ${line.slice(0, 300)}`, line);
  }
}
