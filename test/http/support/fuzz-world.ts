import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { User } from '../../../src/db/models/user.js';
import { isAppError } from '../../../src/errors.js';
import type { Context } from '../../../src/services/context.js';
import { submitImport } from '../../../src/services/imports/queue/submit.js';
import { people } from '../../services/imports/support/importing.js';
import { client, runToEnd, runToPlan } from '../../services/imports/support/submitting.js';
import {
  buildCourse,
  buildEnrollment,
  buildGroup,
  buildImage,
  buildMaterial,
  buildUser,
  factoryPassword,
  tokenFor,
} from '../../support/factories.js';
import { emptyDatabase } from '../../support/harness.js';
import type { GeneratedRequest, Sender } from './fuzz-requests.js';
import { image } from './uploads.js';

/** Values for placeholders in generated requests, and a token per sender. */
export interface World {
  tokens: Partial<Record<Sender, string | undefined>>;
  values: Record<string, readonly string[]>;
}

/** Returns the account of a sender: the newest one of its role, reactivated and with a known password. */
async function accountOf(context: Context, sender: Exclude<Sender, 'anonymous'>): Promise<User> {
  if (sender === 'newcomer') return buildUser(context, { requiresPasswordChange: true });
  const { User } = context.database.models;
  const found = await User.findOne({ where: { role: sender }, order: [['createdAt', 'DESC']] });
  if (!found) return buildUser(context, { role: sender });
  const passwordHash = await context.hasher.hash(factoryPassword, 4);
  return found.update({ passwordHash, isActive: true, requiresPasswordChange: false, initialPasswordExpiresAt: null });
}

/** Creates a new token of a sender. */
export async function signInAgain(context: Context, world: World, sender: Sender): Promise<void> {
  if (sender === 'anonymous') return;
  try {
    world.tokens[sender] = await tokenFor(context, await accountOf(context, sender));
  } catch (error) {
    // Concurrent requests may delete accounts; the next request tries again.
    if (!isAppError(error)) throw error;
  }
}

/** Creates imports: one with passwords and a rejected row, a failed one, an interrupted one, and a plan. */
async function buildImports(context: Context, admin: User): Promise<void> {
  for (const status of ['completed', 'failed', 'running', 'planned'] as const) {
    const file = path.join(context.config.dataDir, `fuzz-${status}.csv`);
    writeFileSync(file, `${people(1, `fuzz${status}`)}A,B,nobody,\n`);
    const plan = status === 'planned';
    const upload = { path: file, name: 'people.csv' };
    const { id } = await submitImport(context, { ...client, actorId: admin.id }, upload, { plan });
    await (plan ? runToPlan : runToEnd)({ context }, id);
    await context.database.models.Import.update({ status }, { where: { id } });
  }
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

/** Creates a database with rows for the requests. */
export async function prepareWorld(context: Context): Promise<World> {
  await emptyDatabase(context);
  const { models } = context.database;
  const [admin, trainer, trainee, newcomer] = await Promise.all([
    buildUser(context, { role: 'super_admin' }),
    buildUser(context, { role: 'trainer' }),
    buildUser(context),
    buildUser(context, { requiresPasswordChange: true }),
  ]);
  for (const isPublished of [true, false]) {
    const course = await buildCourse(context, trainer, { isPublished });
    await buildEnrollment(context, trainee, course, { status: 'active' });
    await buildMaterial(context, course);
  }
  for (const members of [[], [trainer.id, trainee.id]]) await buildGroup(context, members);
  const avatar = await buildImage(context, trainee, await image().png().toBuffer());
  await buildImports(context, admin);
  const [super_admin, ...others] = await Promise.all(
    [admin, trainer, trainee, newcomer].map((user) => tokenFor(context, user)),
  );
  const users = [admin, trainer, trainee, newcomer];
  return {
    tokens: { super_admin, trainer: others[0], trainee: others[1], newcomer: others[2] },
    values: {
      user: idsOf(users),
      trainer: idsOf([trainer, trainer, trainee]),
      course: idsOf(await models.Course.findAll()),
      enrollment: idsOf(await models.Enrollment.findAll()),
      group: idsOf(await models.Group.findAll()),
      import: idsOf(await models.Import.findAll()),
      file: idsOf(await models.StoredFile.findAll({ where: { kind: 'material' } })),
      image: [avatar.storageKey.slice('image/'.length)],
      session: idsOf(await models.Session.findAll()),
      // Trainees appear twice, because they have a separate login.
      email: [...[trainee, admin, trainer, trainee, newcomer].map(({ email }) => email), 'nobody@example.org'],
      phone: [...users.map(({ phone }) => phone), '+1 555 9999999'],
      password: [factoryPassword, factoryPassword, factoryPassword, 'another password'],
      token: [super_admin ?? ''],
    },
  };
}

const png = await image().png().toBuffer();
const csv = people(2);

/** Returns the request with existing values instead of placeholders. */
export function fillPlaceholders(request: GeneratedRequest, { tokens, values }: World): Omit<GeneratedRequest, 'name'> {
  const fill = (text: string) =>
    text.replaceAll(/@(\w+):(\d)@/g, (all, name: string, n: string) => {
      const pool = values[name] ?? [];
      return pool[Number(n) % pool.length] ?? all;
    });
  // Inserted values are UTF-8, except for the image.
  const fillBytes = (bytes: Buffer) =>
    bytes
      .toString('latin1')
      .replaceAll('@png@', () => png.toString('latin1'))
      .replaceAll(/@csv@|@\w+:\d@/g, (one) => Buffer.from(one === '@csv@' ? csv : fill(one)).toString('latin1'));
  const token = tokens[request.sender];
  const headers = Object.fromEntries(Object.entries(request.headers).map(([key, value]) => [key, fill(value)]));
  return {
    sender: request.sender,
    method: request.method,
    path: fill(request.path),
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    ...(request.body && { body: Buffer.from(fillBytes(request.body), 'latin1') }),
  };
}
