import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import type { User } from '../../src/db/models/user.js';
import { testEnvironment } from '../support/environment.js';
import { buildCourse, buildUser, factoryPassword, signIn, tokenFor } from '../support/factories.js';
import { emptyDatabase } from '../support/harness.js';
import { type CliResult, runCli } from '../support/run-cli.js';
import type { InProcess } from './in-process.js';

/** The person whose account the attacker wants: a trainer who is to be imported, with what everybody knows of them. */
export const victim = { firstName: 'Bob', lastName: 'Trainer', email: 'bob@corp.test', phone: '+44 20 7946 0001' };

const header = 'firstName,lastName,email,phone,role,course';
/** The victim's row in a file of the super admin's. */
export const victimRow = `Bob,Trainer,${victim.email},${victim.phone},trainer,`;
export const csvOf = (...rows: string[]) => `${[header, ...rows].join('\n')}\n`;

export interface Imported {
  id: string;
  codes: (string | null)[];
}

/** One attack's world: an attacker who is a trainee, and a super admin who works as usual. */
export interface Scene {
  service: InProcess;
  attacker: { user: User; token: string };
  admin: { user: User; token: string };
  /** The course `Knots` of another trainer. */
  courseId: string;
  /** The attacker sets a phone in the profile. @returns the status of the answer, one of those that are given */
  claimPhone(phone: string | number, statuses?: readonly number[]): Promise<number>;
  cli(...argv: string[]): Promise<CliResult>;
  /** An import at the terminal. */
  importHere(csv: string, ...flags: string[]): Promise<Imported>;
  /** An import over HTTP. */
  importThere(csv: string, fields?: Record<string, string>): Promise<Imported>;
}

async function codesOf({ context }: InProcess, importId: string): Promise<(string | null)[]> {
  const rows = await context.database.models.ImportRow.findAll({ where: { importId }, order: ['line'], raw: true });
  return rows.map(({ code }) => code);
}

let files = 0;

/** An emptied database with attacker, super admin and a course. */
export async function setScene(service: InProcess): Promise<Scene> {
  const { context, server, database, folder } = service;
  await emptyDatabase(context);
  const admin = await signIn(context, { role: 'super_admin' });
  const attacker = await signIn(context, { email: 'mallory@example.org', firstName: 'Mal', lastName: 'Lory' });
  const trainer = await buildUser(context, { role: 'trainer' });
  const { id: courseId } = await buildCourse(context, trainer, { title: 'Knots' });
  const env = { ...testEnvironment, DATABASE_URL: `${database.url}faults`, DATA_DIR: folder };
  const cli = (...argv: string[]) => runCli(argv, { env, cwd: folder });
  return {
    service,
    admin,
    attacker,
    courseId,
    cli,
    async claimPhone(phone, statuses = [200]) {
      const call = request(server.url).put('/api/auth/profile').set('Authorization', `Bearer ${attacker.token}`);
      const { status } = await call.send({ phone });
      if (!statuses.includes(status)) throw new Error(`The profile answers ${status} for the phone ${phone}.`);
      return status;
    },
    async importHere(csv, ...flags) {
      files += 1;
      const file = path.join(folder, `people${files}.csv`);
      writeFileSync(file, csv);
      const { stdout, stderr } = await cli('users', 'import', file, '--yes', '--json', ...flags);
      const printed = JSON.parse(stdout) as { import?: { id: string } };
      if (!printed.import) throw new Error(`The import failed: ${stdout}${stderr}`);
      return { id: printed.import.id, codes: await codesOf(service, printed.import.id) };
    },
    async importThere(csv, fields = {}) {
      const call = request(server.url).post('/api/imports').set('Authorization', `Bearer ${admin.token}`);
      const { body } = await call.attach('file', Buffer.from(csv), 'people.csv').field(fields).expect(202);
      const { id } = body.import as { id: string };
      for (let tries = 0; tries < 1000; tries += 1) {
        const record = await context.database.models.Import.findByPk(id, { rejectOnEmpty: true });
        if (record.status === 'completed') return { id, codes: await codesOf(service, id) };
        await sleep(20);
      }
      throw new Error('The import over HTTP does not end.');
    },
  };
}

/** Everything by which the attacker may try to sign in. */
const identifiers = (scene: Scene, phone: string) => [
  victim.email,
  victim.email.toUpperCase(),
  victim.phone,
  victim.phone.replaceAll(' ', '-'),
  scene.attacker.user.email,
  phone,
];

/** What the attacker has got that isn't theirs; nothing when the attack has failed. */
export async function spoils(scene: Scene): Promise<string[]> {
  const { service, attacker } = scene;
  const { models } = service.context.database;
  const found: string[] = [];
  const own = await models.User.findByPk(attacker.user.id);
  const isOwn = (user: { id: string; email: string; role: string }) =>
    user.id === attacker.user.id && user.email === attacker.user.email && user.role === 'trainee';
  if (own && !isOwn(own)) found.push(`the attacker's account is ${own.role} ${own.email}`);
  if (own && own.passwordHash !== attacker.user.passwordHash) found.push("the attacker's password was replaced");
  if (own && (await models.Enrollment.count({ where: { userId: own.id } })) > 0) found.push('the attacker is enrolled');
  for (const route of ['login', 'trainee-login'])
    for (const identifier of identifiers(scene, own?.phone ?? '-')) {
      const call = request(service.server.url).post(`/api/auth/${route}`);
      const { status, body } = await call.send({ identifier, password: factoryPassword });
      if (status === 200 && !isOwn(body.user))
        found.push(`${identifier} signs in ${body.user.role} ${body.user.email}`);
      // What else would be neither a refusal nor a sign-in: the attack wasn't tried out.
      if (status !== 200 && status !== 401) found.push(`${identifier} is answered ${status}`);
    }
  const token = own ? await tokenFor(service.context, own) : attacker.token;
  for (const bearer of [attacker.token, token]) {
    const { status, body } = await request(service.server.url)
      .get('/api/auth/me')
      .set('Authorization', `Bearer ${bearer}`);
    if (status === 200 && !isOwn(body.user)) found.push(`a session is ${body.user.role} ${body.user.email}`);
  }
  return found;
}
