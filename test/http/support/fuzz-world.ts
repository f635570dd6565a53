import { writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import type { Context } from '../../../src/context.js';
import type { User } from '../../../src/db/models/user.js';
import { isAppError } from '../../../src/errors.js';
import { submitImport } from '../../../src/services/imports/queue/submit.js';
import { people } from '../../services/imports/support/importing.js';
import { importFile } from '../../services/imports/support/running.js';
import { client, runToEnd, runToPlan } from '../../services/imports/support/submitting.js';
import {
  buildCourse,
  buildEnrollment,
  buildMaterial,
  buildPicture,
  buildUser,
  factoryPassword,
  tokenFor,
} from '../../support/factories.js';
import type { Generated, Sender } from './fuzz-requests.js';

/** What the placeholders of generated requests stand for, and a token a role. */
export interface World {
  tokens: Partial<Record<Sender, string>>;
  values: Record<string, readonly (string | Buffer)[]>;
}

const picture = sharp({ create: { width: 20, height: 20, channels: 3, background: 'teal' } })
  .png()
  .toBuffer();

/** An account of the role that can sign in, made where requests have left none. */
async function someone(context: Context, role: User['role']): Promise<User> {
  const found = await context.database.models.User.findOne({ where: { role }, order: [['createdAt', 'DESC']] });
  if (!found) return buildUser(context, { role });
  // Imported, reset, deactivated or told to change its password: it stays in use.
  const passwordHash = await context.hasher.hash(factoryPassword, 4);
  return found.update({ passwordHash, isActive: true, requiresPasswordChange: false, initialPasswordExpiresAt: null });
}

const accountOf = (context: Context, sender: Exclude<Sender, 'anonymous'>): Promise<User> =>
  sender === 'newcomer' ? buildUser(context, { requiresPasswordChange: true }) : someone(context, sender);

let imported = 0;

/** An import over HTTP with passwords to be fetched and a row that was refused, one that failed, and one that has broken off. */
async function buildImports(context: Context): Promise<void> {
  const { Import } = context.database.models;
  for (const status of ['completed', 'failed', 'running'] as const) {
    imported += 1;
    const file = path.join(context.config.dataDir, `fuzz-${imported}.csv`);
    writeFileSync(file, `${people(1, `fuzz${imported}x`)}A,B,nobody,\n`);
    if (status === 'running') {
      const { id } = await importFile(context, file);
      await Import.update({ status }, { where: { id } });
    } else {
      const { id } = await submitImport(context, client, { path: file, name: 'people.csv' }, {});
      await runToEnd({ context }, id);
      await Import.update({ status }, { where: { id } });
    }
  }
}

/** A planned import, in the place of those that requests have left. */
async function buildPlan(context: Context, admin: User): Promise<void> {
  const { Import } = context.database.models;
  await Import.update({ status: 'cancelled' }, { where: { status: ['planning', 'planned'] } });
  imported += 1;
  const upload = path.join(context.config.dataDir, `fuzz-${imported}.csv`);
  writeFileSync(upload, people(2, `fuzz${imported}x`));
  const actor = { ...client, actorId: admin.id };
  const { id } = await submitImport(context, actor, { path: upload, name: 'people.csv' }, { plan: true });
  await runToPlan({ context }, id);
}

/** A fresh token of a sender. */
export async function signInAgain(context: Context, world: World, sender: Sender): Promise<void> {
  if (sender === 'anonymous') return;
  try {
    world.tokens[sender] = await tokenFor(context, await accountOf(context, sender));
  } catch (error) {
    // Requests under way delete and set up accounts, too: the next one tries again.
    if (!isAppError(error)) throw error;
  }
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

/** Brings the world into a state in which requests have something to meet; asked for again as they change it. */
export async function prepareWorld(context: Context): Promise<World> {
  const { models } = context.database;
  await models.LoginThrottle.destroy({ where: {} });
  const admin = await someone(context, 'super_admin');
  const trainer = await someone(context, 'trainer');
  const trainee = await someone(context, 'trainee');
  const course = await buildCourse(context, trainer, { isPublished: true });
  await buildEnrollment(context, trainee, course, { status: 'active' });
  await buildMaterial(context, course);
  await buildPicture(context, trainee, await picture);
  await buildImports(context);
  await buildPlan(context, admin);
  const newest = { order: [['createdAt', 'DESC']] as [string, string][], limit: 4 };
  const [users, courses, enrollments, imports, files, sessions] = await Promise.all([
    models.User.findAll(newest),
    models.Course.findAll(newest),
    models.Enrollment.findAll(newest),
    models.Import.findAll(newest),
    models.StoredFile.findAll({ ...newest, where: { state: 'live' } }),
    models.Session.findAll(newest),
  ]);
  const token = await tokenFor(context, admin);
  return {
    tokens: {
      super_admin: token,
      trainer: await tokenFor(context, trainer),
      trainee: await tokenFor(context, trainee),
      newcomer: await tokenFor(context, await accountOf(context, 'newcomer')),
    },
    values: {
      user: [...idsOf([admin, trainer, trainee]), ...idsOf(users)],
      trainer: idsOf([trainer, trainer, trainee]),
      course: idsOf(courses),
      enrollment: idsOf(enrollments),
      import: idsOf(imports),
      file: idsOf(files.filter(({ kind }) => kind === 'material')),
      image: files.flatMap(({ kind, storageKey }) => (kind === 'material' ? [] : [storageKey.slice('image/'.length)])),
      session: idsOf(sessions),
      // Trainees have a login of their own.
      email: [...[trainee, admin, trainer, trainee, ...users].map(({ email }) => email), 'nobody@example.org'],
      phone: [...users.map(({ phone }) => phone.replaceAll(/["\\]/g, '')), '+1 555 9999999'],
      password: [factoryPassword, factoryPassword, factoryPassword, 'another password'],
      token: [token],
    },
  };
}

/** The request with existing ids for its placeholders. */
export async function grounded(request: Generated, { tokens, values }: World): Promise<Omit<Generated, 'name'>> {
  const fill = (text: string) =>
    text.replaceAll(/@(\w+):(\d)@/g, (all, name: string, n: string) => {
      const pool = values[name] ?? [];
      return pool.length === 0 ? all : String(pool[Number(n) % pool.length]);
    });
  const files: Record<string, string> = {
    '@png@': (await picture).toString('latin1'),
    '@csv@': people(2),
  };
  const body = request.body?.toString('latin1').replaceAll(/@(png|csv)@/g, (name) => files[name] ?? name);
  const token = tokens[request.sender];
  const headers = Object.fromEntries(Object.entries(request.headers).map(([key, value]) => [key, fill(value)]));
  return {
    sender: request.sender,
    method: request.method,
    path: fill(request.path),
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body: Buffer.from(fillBytes(body, fill), 'latin1') }),
  };
}

/** The same for bytes: what is put in is UTF-8. */
const fillBytes = (latin1: string, fill: (text: string) => string) =>
  latin1.replaceAll(/@\w+:\d@/g, (placeholder) => Buffer.from(fill(placeholder)).toString('latin1'));
