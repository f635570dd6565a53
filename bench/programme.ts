import type { Database } from '../src/db/connection.js';
import { type ColumnValue, isSqlite } from '../src/db/dialect.js';
import { BulkInserter } from '../src/db/sql/insert.js';
import type { Role } from '../src/schemas/fields.js';
import { phoneKey } from '../src/schemas/keys.js';
import { indexedWords, storedWords } from '../src/schemas/search-words.js';
import { userKeys } from '../src/services/accounts/keys.js';
import { courseKeys } from '../src/services/courses/commands.js';
import { newIds } from '../src/services/new-ids.js';
import { passwordHash, personAt } from './people.js';

export interface Sizes {
  trainees: number;
  trainers: number;
  /** Courses of all trainers, including the busiest. */
  courses: number;
  coursesOfBusiest: number;
  enrollments: number;
  enrollmentsOfBusiest: number;
  /** Exact number of one trainer. All others but the busiest have about as many. */
  enrollmentsOfTypical: number;
  auditEntries: number;
  /** Newest trainees, as after an import: active, with an initial password. 0 by default. */
  imported?: number;
  /** Number of mails: invitations, and one other mail in 100. 0 by default. */
  mails?: number;
}

/** Runs a statement without a timeout, always on the same connection. */
export type RunSql = (statement: string) => Promise<unknown>;

/** Ids for requests. */
export interface Programme {
  superAdmin: string;
  busiestTrainer: string;
  typicalTrainer: string;
  trainee: string;
  /** A course of the busiest trainer. */
  course: string;
}

const twoYearsMs = 2 * 365 * 86_400_000;
const lastMoment = Date.UTC(2026, 0, 1);
/** Returns a moment in the two years; later for a larger `part` (0 to 1). */
const moment = (part: number) => new Date(lastMoment - Math.round((1 - part) * twoYearsMs));

/** Returns a generator of pseudorandom numbers from 0 up to 1, the same in every run (mulberry32). */
function randomNumbers(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <T>(values: readonly T[], index: number): T => values[index % values.length] as T;

/** Rows per transaction. */
const chunkRows = 50_000;

/**
 * Yields the next rows of a table, at most {@link chunkRows}.
 * @param onRow called for each row
 */
function* nextRows(rows: Iterator<readonly ColumnValue[]>, onRow: () => void): Generator<readonly ColumnValue[]> {
  for (let taken = 0; taken < chunkRows; taken += 1) {
    const next = rows.next();
    if (next.done) return;
    onRow();
    yield next.value;
  }
}

/**
 * Fills an empty table with generated rows, through a table without indexes. MariaDB then builds each index by sorting,
 * whereas a million single entries take minutes.
 * @param rows created when they are inserted: there may be millions
 */
async function fill(
  database: Database,
  run: RunSql,
  table: string,
  columns: string,
  rows: Iterator<readonly ColumnValue[]>,
): Promise<void> {
  await run(`CREATE TABLE seeded AS SELECT ${columns} FROM ${table} WHERE 0 = 1`);
  let isAtEnd = false;
  while (!isAtEnd) {
    let inserted = 0;
    await database.inTransaction(async (transaction) => {
      const chunk = nextRows(rows, () => (inserted += 1));
      const inserts = new BulkInserter(transaction);
      await inserts.addValues(database.sequelize, 'seeded', columns.split(', '), chunk);
      await inserts.finish();
    });
    isAtEnd = inserted < chunkRows;
  }
  await run(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM seeded`);
  await run('DROP TABLE seeded');
  // The program runs ANALYZE on no SQLite file.
  if (!isSqlite(database.sequelize)) await run(`ANALYZE TABLE ${table}`);
}

const userColumns =
  'id, first_name, last_name, email, phone, phone_key, password_hash, role, is_active, requires_password_change, last_login, search_key, last_name_key, first_name_key, created_at, updated_at';

/** Returns the account at an index: first the super admin, then the trainers, then the trainees. */
function accountAt(index: number, { trainers }: Sizes) {
  const role: Role = index === 0 ? 'super_admin' : index <= trainers ? 'trainer' : 'trainee';
  const { firstName, lastName, email } = personAt(index);
  return { role, firstName, lastName, email, keys: userKeys({ firstName, lastName, email }) };
}

function* wordRows(ids: readonly string[], sizes: Sizes): Generator<ColumnValue[]> {
  for (const [index, id] of ids.entries()) {
    const { email, keys } = accountAt(index, sizes);
    for (const word of storedWords({ email, ...keys })) yield [word, id];
  }
}

function userRow(id: string, index: number, sizes: Sizes): ColumnValue[] {
  const { trainers, trainees, imported = 0 } = sizes;
  const isImported = index > trainers + trainees - imported;
  const { role, firstName, lastName, email, keys } = accountAt(index, sizes);
  const phone = `+44 20 ${String(index).padStart(8, '0')}`;
  const createdAt = isImported ? new Date(lastMoment) : moment(index / (trainers + trainees));
  const lastLogin = isImported || index % 4 === 3 ? null : moment(((index * 7919) % 100_003) / 100_003);
  const { searchKey: key, lastNameKey, firstNameKey } = keys;
  return [
    id,
    firstName,
    lastName,
    email,
    phone,
    phoneKey(phone),
    passwordHash,
    role,
    isImported || index === 0 || index % 20 > 0,
    isImported,
    lastLogin,
    key,
    lastNameKey,
    firstNameKey,
    createdAt,
    createdAt,
  ];
}

const topics = ['Docker', 'Welding', 'First Aid', 'Bookkeeping', 'Español', 'Statistics', 'Negotiation', 'Pottery'];
const stages = ['for Beginners', 'in Practice', 'Masterclass', 'Refresher', 'in a Weekend'];
const categories = ['Craft', 'Technology', 'Languages', 'Office', null];
const description = 'What you will be able to do afterwards, and what you should bring along for it. '.repeat(8);
const courseColumns =
  'id, trainer_id, title, description, short_description, category, level, language, course_type, tags_json, max_students, is_published, search_key, title_key, category_key, created_at, updated_at';

function namesOfCourse(index: number) {
  const title = `${pick(topics, index)} ${pick(stages, index >> 3)} ${index}`;
  const category = pick(categories, index);
  const tags = [pick(topics, index + 1), `year ${2024 + (index % 3)}`];
  return { title, category, tags, keys: courseKeys({ title, category, tags }) };
}

function* courseWordRows(ids: readonly string[]): Generator<ColumnValue[]> {
  for (const [index, id] of ids.entries())
    for (const word of indexedWords(namesOfCourse(index).keys.searchKey)) yield [word, id];
}

/** One in this number of courses is full and published. The others have fewer enrollments than seats. */
const coursesPerFull = 250;

function courseRow(id: string, trainerId: string, index: number, count: number): ColumnValue[] {
  const { title, category, tags, keys } = namesOfCourse(index);
  const level = pick(['beginner', 'intermediate', 'advanced'], index);
  const createdAt = moment(index / count);
  const { searchKey: key, titleKey, categoryKey } = keys;
  return [
    id,
    trainerId,
    title,
    description,
    description.slice(0, 160),
    category,
    level,
    'English',
    pick(['online', 'classroom', 'hybrid'], index),
    JSON.stringify(tags),
    index % coursesPerFull === 1 ? 20 : 500,
    index % 5 > 0,
    key,
    titleKey,
    categoryKey,
    createdAt,
    createdAt,
  ];
}

/** Returns the trainer of each course. The busiest trainer (0) has most courses, the others share the rest evenly. */
function trainersOfCourses({ trainers, courses, coursesOfBusiest }: Sizes): number[] {
  const others = trainers - 1;
  return Array.from({ length: courses }, (_, index) =>
    index < coursesOfBusiest ? 0 : 1 + ((index - coursesOfBusiest) % others),
  );
}

/** Returns the number of enrollments of each trainer: as specified for the first two, and shared evenly among the rest. */
function enrollmentsOfTrainers(sizes: Sizes): number[] {
  const rest = sizes.enrollments - sizes.enrollmentsOfBusiest - sizes.enrollmentsOfTypical;
  const others = sizes.trainers - 2;
  const share = (index: number) => Math.floor(rest / others) + (index - 2 < rest % others ? 1 : 0);
  return Array.from({ length: sizes.trainers }, (_, index) =>
    index === 0 ? sizes.enrollmentsOfBusiest : index === 1 ? sizes.enrollmentsOfTypical : share(index),
  );
}

/**
 * A prime above all numbers of enrollments. Its multiples modulo the number of enrollments are shuffled and don't repeat.
 */
const largePrime = 2_147_483_647;

/**
 * Yields unique pairs of a course and a trainee in the order of enrollment. The courses are mixed, so that the rows of a
 * trainer aren't adjacent.
 */
function* enrollmentPairs(
  sizes: Sizes,
  trainerOf: readonly number[],
  random: () => number,
): Generator<[course: number, trainee: number]> {
  const courses: number[][] = Array.from({ length: sizes.trainers }, () => []);
  for (const [course, trainer] of trainerOf.entries()) courses[trainer]?.push(course);
  /** First trainee of each course. */
  const firstOf = trainerOf.map(() => Math.floor(random() * sizes.trainees));
  const counts = enrollmentsOfTrainers(sizes);
  /** End of each trainer's range of enrollments; `trainers` has the trainer of each enrollment. */
  const ends = counts.map((_, trainer) => counts.slice(0, trainer + 1).reduce((sum, count) => sum + count, 0));
  const trainers = new Uint16Array(sizes.enrollments);
  for (const [trainer, end] of ends.entries()) trainers.fill(trainer, end - (counts[trainer] as number), end);
  for (let step = 0; step < sizes.enrollments; step += 1) {
    const at = Number((BigInt(step) * BigInt(largePrime)) % BigInt(sizes.enrollments));
    const trainer = trainers[at] as number;
    const own = courses[trainer] as number[];
    const index = at - (ends[trainer] as number) + (counts[trainer] as number);
    const course = own[index % own.length] as number;
    yield [course, ((firstOf[course] as number) + Math.floor(index / own.length)) % sizes.trainees];
  }
}

const enrollmentColumns =
  'id, user_id, course_id, trainer_id, status, progress, enrolled_at, completed_at, created_at, updated_at';

function enrollmentRow(ids: readonly string[], at: Date, dice: number): ColumnValue[] {
  const [status, progress] =
    dice < 0.6
      ? ['active', Math.floor(dice * 150)]
      : dice < 0.85
        ? ['completed', 100]
        : [dice < 0.95 ? 'pending' : 'cancelled', 0];
  return [...ids, status as string, progress as number, at, status === 'completed' ? at : null, at, at];
}

function auditRow(id: string, actorId: string, targetId: string, at: Date): ColumnValue[] {
  return [id, at, actorId, 'http', '127.0.0.1', 'user.update', 'user', targetId, '{"isActive":true}', null];
}
const mailColumns = 'id, kind, priority, user_id, data, state, created_at, finished_at';

/** The newest mails are invitations. Mails of the other kind are far behind. */
function mailRow(id: string, userId: string, index: number, count: number): ColumnValue[] {
  const at = moment(index / count);
  const kind = index < count / 100 ? 'password-changed' : 'invitation';
  return [id, kind, kind === 'invitation' ? 1 : 0, userId, '{}', 'sent', at, at];
}

const auditColumns = 'id, at, actor_id, origin, ip, action, target_type, target_id, before_json, after_json';

/**
 * Fills an empty, migrated database.
 * @param run uses a connection to the same database. Checks are disabled, because the rows are valid by construction
 */
export async function seedProgramme(database: Database, run: RunSql, sizes: Sizes): Promise<Programme> {
  const random = randomNumbers(20_260_101);
  const userIds = newIds(1 + sizes.trainers + sizes.trainees);
  const user = (index: number) => userIds[index] as string;
  const trainee = (index: number) => user(1 + sizes.trainers + (index % sizes.trainees));
  const trainerOf = trainersOfCourses(sizes);
  const courseIds = newIds(sizes.courses);
  const course = (index: number) => courseIds[index] as string;
  const trainerOfCourse = (index: number) => user(1 + (trainerOf[index] as number));

  function* enrollments(): Generator<ColumnValue[]> {
    let [index, ids]: [number, string[]] = [0, []];
    for (const [taken, person] of enrollmentPairs(sizes, trainerOf, random)) {
      if (index % chunkRows === 0) ids = newIds(chunkRows);
      const id = ids[index % chunkRows] as string;
      const refersTo = [trainee(person), course(taken), trainerOfCourse(taken)];
      yield enrollmentRow([id, ...refersTo], moment(index / sizes.enrollments), random());
      index += 1;
    }
  }
  function* auditEntries(): Generator<ColumnValue[]> {
    for (const [index, id] of newIds(sizes.auditEntries).entries()) {
      const actor = user(index % (1 + sizes.trainers));
      yield auditRow(id, actor, trainee(index), moment(index / sizes.auditEntries));
    }
  }
  function* mails(): Generator<ColumnValue[]> {
    const { mails: count = 0 } = sizes;
    for (const [index, id] of newIds(count).entries()) yield mailRow(id, trainee(index), index, count);
  }
  function* users(): Generator<ColumnValue[]> {
    for (const [index, id] of userIds.entries()) yield userRow(id, index, sizes);
  }
  function* courses(): Generator<ColumnValue[]> {
    for (const [index, id] of courseIds.entries()) yield courseRow(id, trainerOfCourse(index), index, sizes.courses);
  }

  const checks = async (on: 0 | 1) => {
    if (isSqlite(database.sequelize)) return;
    await run(`SET unique_checks = ${on}, foreign_key_checks = ${on}`);
  };
  await checks(0);
  await fill(database, run, 'users', userColumns, users());
  await fill(database, run, 'account_words', 'word, account_id', wordRows(userIds, sizes));
  await fill(database, run, 'courses', courseColumns, courses());
  await fill(database, run, 'course_words', 'word, course_id', courseWordRows(courseIds));
  await fill(database, run, 'enrollments', enrollmentColumns, enrollments());
  await fill(database, run, 'audit_entries', auditColumns, auditEntries());
  await fill(database, run, 'mails', mailColumns, mails());
  await checks(1);
  return {
    superAdmin: user(0),
    busiestTrainer: user(1),
    typicalTrainer: user(2),
    trainee: trainee(0),
    course: course(0),
  };
}
