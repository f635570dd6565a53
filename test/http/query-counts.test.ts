import { expect } from 'chai';
import type Joi from 'joi';
import { v7 as uuidv7 } from 'uuid';
import type { Operation } from '../../src/http/api/operation.js';
import { contract } from '../../src/http/api/operations/contract.js';
import { roles } from '../../src/schemas/fields.js';
import { operator } from '../../src/services/core.js';
import { createCourse } from '../../src/services/courses/commands.js';
import {
  buildCertificate,
  buildCourse,
  buildEnrollment,
  buildGroup,
  buildImport,
  buildMail,
  buildMaterial,
  buildUser,
} from '../support/factories.js';
import { type Harness, useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { observeStatements } from '../support/statements.js';
import { type Cast, castOf } from './support/cast.js';
import { admittedRoles, pathOf } from './support/examples.js';

/** The listings of the API: all operations with a `pagination` in their response. */
const listings = Object.values(contract as Record<string, Operation>).filter(
  (operation) =>
    'body' in operation.success &&
    Object.hasOwn(operation.success.body.describe().keys, 'pagination') &&
    // This listing reads the import first and the accounts last.
    operation !== contract.listImportRows,
);

/** Further queries of listings: the audit log names courses and their trainers, imports name trainers, groups have numbers of members. */
const kindsNamed: Readonly<Record<string, number>> = { '/api/groups': 1, '/api/imports': 1, '/api/audit': 2 };

/** More rows of each kind than fit on the largest requested page. */
const many = 51;
const numbers = Array.from({ length: many }, (_, index) => index);

/** The callers, and a course of the trainer with the trainee. */
interface World {
  cast: Cast;
  courseId: string;
}

/** Creates rows for all listings: the trainee takes part in many courses, and one course has many people. */
async function fill({ context }: Harness, { cast, courseId }: World): Promise<void> {
  const { Course, Session } = context.database.models;
  const course = await Course.findByPk(courseId, { rejectOnEmpty: true });
  // First, so that the last audit entries are those of courses.
  for (const _ of numbers) await buildGroup(context);
  for (const _ of numbers) {
    const attended = await buildCourse(context, cast.owner.user, { isPublished: true });
    await buildEnrollment(context, cast.trainee.user, attended, { status: 'active' });
    await buildEnrollment(context, await buildUser(context), course, { status: 'active' });
    await buildUser(context);
    const { id: trainerId } = await buildUser(context, { role: 'trainer' });
    await createCourse(context, operator, { title: 'Looms', description: 'Wood and thread.', trainerId });
    await buildCertificate(context, await buildUser(context), course);
    await buildMaterial(context, course);
    await buildImport(context, 0, cast.owner.user.id);
    await buildMail(context, {});
  }
  const until = { createdAt: new Date(), expiresAt: new Date(Date.now() + 3_600_000), ip: null, userAgent: null };
  for (const { user } of Object.values(cast))
    await Session.bulkCreate(numbers.map(() => ({ id: uuidv7(), userId: user.id, ...until })));
}

describe('Listings', () => {
  const harness = useHarness();
  let world: World;
  beforeEach(async () => {
    const cast = await castOf(harness.context);
    const course = await buildCourse(harness.context, cast.owner.user, { isPublished: true });
    await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'active' });
    world = { cast, courseId: course.id };
  });
  afterEach(() => observeStatements(harness.context.database.sequelize, false));

  const callersOf = ({ access }: Operation) => {
    const { admin, owner, trainee } = world.cast;
    const people = { super_admin: admin, trainer: owner, trainee };
    const admitted = roles.filter((role) => admittedRoles(access).includes(role));
    return [
      ...admitted.map((role) => ({ who: role as string, token: people[role].token as string | undefined })),
      ...(access.kind === 'optional' ? [{ who: 'anybody', token: undefined }] : []),
    ];
  };

  /** Returns the queries of a page, without the queries of the authentication. */
  async function asked(operation: Operation, token: string | undefined, query: Record<string, string>) {
    const { cast, courseId } = world;
    const { id: trainerId } = cast.owner.user;
    const params = { id: operation.path.startsWith('/api/users/') ? trainerId : courseId, courseId, trainerId };
    const { courseId: key } = (operation.query?.describe().keys ?? {}) as Record<string, Joi.Description>;
    const needed = (key?.flags as { presence?: string } | undefined)?.presence === 'required';
    const path = pathOf(operation.path, { params, query: { ...query, ...(needed && { courseId }) } });
    const statements: string[] = [];
    observeStatements(harness.context.database.sequelize, (sql) => void statements.push(sql));
    const response = await harness.api('get', path, token);
    observeStatements(harness.context.database.sequelize, false);
    expect(response.status, `${path}: ${response.text}`).to.equal(200);
    // Sessions are new, so their last use isn't updated.
    const own = statements.filter((sql) => !(sql.includes('`sessions`') && sql.includes('`users`')));
    expect(statements.length - own.length).to.equal(token === undefined ? 0 : 1);
    const rows = Object.values(response.body as Record<string, unknown[]>).find(Array.isArray) ?? [];
    return { own, rows: rows.length };
  }

  it('cost two queries for one row and for fifty, for every role', async () => {
    expect(listings).to.have.length.above(10);
    await fill(harness, world);
    for (const operation of listings) {
      for (const { who, token } of callersOf(operation)) {
        for (const limit of [1, 50]) {
          const { own, rows } = await asked(operation, token, { limit: String(limit) });
          const title = `${operation.path} for ${who}: ${own.join('\n')}`;
          const queries = 2 + (kindsNamed[operation.path] ?? 0);
          expect({ queries: own.length, rows }, title).to.deep.equal({ queries, rows: limit });
        }
      }
    }
  }).timeout(scaled(60_000));

  it('cost one more query if the seats of courses are included, for any number of courses', async () => {
    await fill(harness, world);
    const courses = listings.filter(({ query }) => query && 'include' in (query.describe().keys ?? {}));
    expect(courses.map(({ path }) => path)).to.deep.equal(['/api/courses', '/api/courses/trainer/:trainerId']);
    for (const operation of courses) {
      for (const { who, token } of callersOf(operation)) {
        for (const limit of [1, 50]) {
          const { own, rows } = await asked(operation, token, { include: 'seats', limit: String(limit) });
          expect({ queries: own.length, rows }, `${operation.path} for ${who}`).to.deep.equal({
            queries: 3,
            rows: limit,
          });
        }
      }
    }
  }).timeout(scaled(60_000));
});
