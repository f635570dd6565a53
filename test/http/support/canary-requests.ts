import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Op } from 'sequelize';
import request from 'supertest';
import type { Context } from '../../../src/context.js';
import type { contract } from '../../../src/http/api/contract.js';
import type { Operation } from '../../../src/http/api/operation.js';
import { createApp } from '../../../src/http/server/app.js';
import { startImportWorker } from '../../../src/services/imports/queue/worker.js';
import { importFile } from '../../services/imports/support/running.js';
import { buildUser, signIn } from '../../support/factories.js';
import { scaled } from '../../support/machine.js';
import { canaries, listen, lookAround, noteAnswer, type Watch } from './canaries.js';
import type { Fault } from './canary-faults.js';
import { type Example, examples, operations, pathOf } from './examples.js';
import { ada } from './expectations.js';

/** The example with canaries in every field that holds a secret, and in unknown fields. */
function infected({ body, upload, query, ...rest }: Example): Example {
  const secrets: Record<string, string> = {
    password: canaries.password,
    currentPassword: canaries.wrongPassword,
    newPassword: canaries.newPassword,
  };
  const surplus = { passwordHash: canaries.password, token: canaries.token, secret: { nested: canaries.password } };
  return {
    ...rest,
    query: { ...query, token: canaries.query },
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
const file = rows.slice(0, -1).join('\n');

function send(app: ReturnType<typeof createApp>, operation: Operation, given: Example) {
  const call = request(app)
    [operation.method](pathOf(operation.path, given))
    .set(given.headers ?? {});
  if (given.token !== undefined) void call.set('Authorization', `Bearer ${given.token}`);
  if (given.upload && operation.upload) {
    const { file: own, name, fields } = given.upload;
    const isCsv = name.endsWith('.csv');
    return call.attach(operation.upload.field, isCsv ? Buffer.from(rows.join('\n')) : own, name).field(fields);
  }
  return given.body === undefined ? call : call.send(given.body);
}

const wronged = (body: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(body).map((key) => [key, { [canaries.password]: canaries.password }]));

/** A request that goes well, with the right password where one is asked for, and a new one that is a canary. */
function genuine(given: Example): Example {
  const isNew = given.body && 'newPassword' in given.body;
  return isNew ? { ...given, body: { ...given.body, newPassword: canaries.newPassword } } : given;
}

/** The request with the wrong types, with what is taken already, with a token that is none, with canaries, and as it goes well. */
function variants(given: Example): Example[] {
  const sick = infected(given);
  const conflicting = { ...sick, body: { ...sick.body, email: ada.email, phone: ada.phone } };
  return [
    { ...sick, token: `${given.token ?? 'eyJhbGciOiJIUzI1NiJ9'}.${canaries.token}` },
    ...(sick.body ? [{ ...sick, body: wronged(sick.body) }, conflicting] : []),
    sick,
    genuine(given),
  ];
}

/** An operation's example on an emptied database, and an account to conflict with. */
async function prepare(name: keyof typeof contract, context: Context, reset: () => Promise<void>): Promise<Example> {
  await reset();
  const given: Example = await examples[name](context);
  const isTaken = await context.database.models.User.findOne({
    where: { [Op.or]: [{ email: ada.email }, { phone: ada.phone }] },
  });
  if (!isTaken && name !== 'setup' && name !== 'register')
    await buildUser(context, { email: ada.email, phone: ada.phone });
  return given;
}

/**
 * Sends the examples of the contract, as they are and full of secrets, through one fault.
 * @param sample which operations: those whose number, divided by `of`, leaves `part`, and those that the fault concerns
 */
export async function sendCanaries(
  context: Context,
  { name: fault, faulty, begin, concerns = [] }: Fault,
  watch: Watch,
  reset: () => Promise<void>,
  sample = { part: 0, of: 1 },
): Promise<void> {
  const app = createApp(faulty);
  for (const [name, operation] of operations.filter(
    ([name], index) => index % sample.of === sample.part || concerns.includes(name),
  )) {
    const all = variants(await prepare(name, context, reset));
    const end = await begin?.();
    try {
      for (const given of all) noteAnswer(watch, name, fault, await send(app, operation, given));
    } finally {
      await end?.();
    }
    await lookAround(context, watch, `${name}, ${fault}`);
  }
}

/** Imports a file of secrets, and looks at everything but the downloads that are there to show them. */
export async function importCanaries(context: Context, watch: Watch, reset: () => Promise<void>): Promise<void> {
  await reset();
  const { token } = await signIn(context, { role: 'super_admin' });
  const name = path.join(mkdtempSync(path.join(context.config.dataDir, 'canaries-')), 'people.csv');
  writeFileSync(name, file);
  const { id } = await importFile(context, name);
  await lookAtImport(context, watch, id, token);
}

/** The same over HTTP, done in the background. @returns what has become of it */
export async function uploadCanaries(
  context: Context,
  watch: Watch,
  reset: () => Promise<void>,
  begin?: Fault['begin'],
): Promise<string> {
  await reset();
  const { token } = await signIn(context, { role: 'super_admin' });
  const end = await begin?.();
  const runner = startImportWorker(context, { pollMs: 50 });
  try {
    const app = createApp(context);
    const answer = await request(app)
      .post('/api/imports')
      .set('Authorization', `Bearer ${token}`)
      .attach('file', Buffer.from(file), 'people.csv');
    noteAnswer(watch, 'createImport', 'an import', answer);
    const { id } = (answer.body as { import: { id: string } }).import;
    const current = () => context.database.models.Import.findByPk(id, { rejectOnEmpty: true });
    // An import that breaks off is interrupted first, and failed when the worker has looked at the error.
    const underWay = ['queued', 'running', 'interrupted'];
    const until = Date.now() + scaled(30_000);
    while (underWay.includes((await current()).status) && Date.now() < until) await sleep(50);
    await lookAtImport(context, watch, id, token);
    return (await current()).status;
  } finally {
    await runner.close();
    await end?.();
    listen(watch, 'after an import');
  }
}

async function lookAtImport(context: Context, watch: Watch, id: string, token: string): Promise<void> {
  const app = createApp(context);
  const places = {
    listImports: '/api/imports',
    showImport: `/api/imports/${id}`,
    watchImport: `/api/imports/${id}/events`,
    listAudit: '/api/audit',
  } as const;
  for (const [name, place] of Object.entries(places) as [keyof typeof places, string][])
    noteAnswer(watch, name, 'after an import', await request(app).get(place).set('Authorization', `Bearer ${token}`));
  await lookAround(context, watch, 'after an import');
}
