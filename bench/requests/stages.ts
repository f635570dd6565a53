import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import type { Context } from '../../src/services/context.js';
import type { Request } from '../../test/faults/load-generator.js';
import { buildUser, factoryPassword, signIn, tokenFor } from '../../test/support/factories.js';
import { remark, sized, wholeNumber } from '../figures.js';
import { program, scale } from '../options.js';
import { type Sizes, seedProgramme } from '../programme.js';
import type { BenchServer } from '../server.js';
import { benchEnvironment, openContext } from '../service.js';
import { type Candidate, startProgram, stopCandidate } from './candidates.js';
import type { ComparedServers } from './rounds.js';

const yardstickProgram = fileURLToPath(new URL('../yardstick.mjs', import.meta.url));

export interface Stage<Data, Yardstick extends Candidate = Candidate> extends ComparedServers {
  yardstick: Yardstick;
  data: Data;
  folder: string;
  close(): Promise<void>;
}

/**
 * Fills a fresh database, and serves it by the built program in production mode and by a yardstick.
 * @param fill gets a connection without a timeout, for rows that the program doesn't create
 */
export async function openStage<Data, Yardstick extends Candidate>(
  server: BenchServer,
  name: string,
  parent: string,
  fill: (context: Context, sql: Connection) => Promise<Data>,
  startYardstick: (env: NodeJS.ProcessEnv, folder: string) => Promise<Yardstick>,
): Promise<Stage<Data, Yardstick>> {
  const folder = path.join(parent, name);
  mkdirSync(folder);
  const sql = await createConnection({ uri: server.url });
  const undo: (() => Promise<unknown>)[] = [() => sql.end(), () => sql.query(`DROP DATABASE IF EXISTS ${name}`)];
  const close = async () => {
    for (const step of undo.reverse()) await step();
  };
  try {
    await sql.query(`DROP DATABASE IF EXISTS ${name}`);
    await sql.query(`CREATE DATABASE ${name}`);
    await sql.query(`USE ${name}`);
    const databaseUrl = `${server.url}${name}`;
    const context = await openContext(databaseUrl, folder);
    undo.push(() => context.close());
    await context.schema.up();
    const data = await fill(context, sql);
    const settings = { DB_POOL_MAX: '10', PORT: '0', HOST: '127.0.0.1', PATH: process.env.PATH };
    const env = { ...benchEnvironment(databaseUrl, folder), ...settings, NODE_ENV: 'production', BCRYPT_COST: '10' };
    const service = await startProgram([program, 'serve', '--json'], env, folder);
    undo.push(() => stopCandidate(service));
    const yardstick = await startYardstick(env, folder);
    undo.push(() => stopCandidate(yardstick));
    return { data, folder, service, yardstick, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Serves the same API with plain Express. */
export const plainExpress = (env: NodeJS.ProcessEnv, folder: string) => startProgram([yardstickProgram], env, folder);

/**
 * Creates a thousand accounts.
 * @returns a token of one of them
 */
export async function fewAccounts(context: Context): Promise<string> {
  for (let count = 0; count < 1000 * Math.min(scale, 1); count += 1) await buildUser(context);
  return tokenFor(context, await buildUser(context));
}

/** Requests to a course programme. */
export interface ProgrammeData {
  me: Request;
  listing: Request;
  catalogue: Request;
  /**
   * Returns requests of trainees for places in courses, never twice for the same course.
   * @param count maximum number of sent requests
   */
  enrolling(count: number): Request;
  typicalTrainer: string;
  adminToken: string;
  /** Emails of trainees, all with the factory's password. */
  emails: readonly string[];
}

const trainers = sized(500, 4);
const sizes: Sizes = {
  trainers,
  trainees: sized(200_000, 200) - trainers - 1,
  courses: sized(10_000, 100),
  coursesOfBusiest: 40,
  enrollments: sized(1_000_000, 1000),
  enrollmentsOfBusiest: sized(20_000, 100),
  enrollmentsOfTypical: sized(2000, 40),
  auditEntries: 100,
};
const programmeSize = `${wholeNumber(sizes.enrollments)} enrollments`;

/** Creates a programme with a million enrollments, and trainees without enrollments. */
export async function courseProgramme(context: Context, sql: Connection): Promise<ProgrammeData> {
  const { busiestTrainer, typicalTrainer } = await seedProgramme(context.database, (text) => sql.query(text), sizes);
  const trainer = await context.database.models.User.findByPk(typicalTrainer, { rejectOnEmpty: true });
  const trainerToken = await tokenFor(context, trainer);
  const admin = await context.database.models.User.findOne({ where: { role: 'super_admin' }, rejectOnEmpty: true });
  const traineeTokens: string[] = [];
  const emails: string[] = [];
  const passwordHash = await context.hasher.hash(factoryPassword, 10);
  for (let count = 0; count < 100; count += 1) {
    const { user, token } = await signIn(context, { passwordHash });
    traineeTokens.push(token);
    emails.push(user.email);
  }
  // Courses of the busiest trainer may be full.
  const [courses] = await sql.query<RowDataPacket[]>(
    'SELECT id AS courseId FROM courses WHERE is_published = 1 AND trainer_id <> ? ORDER BY id',
    [busiestTrainer],
  );
  remark(
    `${wholeNumber(sizes.trainers + sizes.trainees + 1)} users, ${wholeNumber(sizes.courses)} courses, ${programmeSize}`,
  );
  let from = 0;
  return {
    emails,
    typicalTrainer,
    adminToken: await tokenFor(context, admin),
    me: { path: '/api/auth/me', tokens: traineeTokens },
    listing: { path: `/api/enrollments/trainer/${typicalTrainer}`, tokens: [trainerToken] },
    catalogue: { path: '/api/courses', tokens: traineeTokens },
    enrolling(count) {
      const request: Request = {
        method: 'POST',
        path: '/api/enrollments',
        tokens: traineeTokens,
        bodies: courses,
        from,
      };
      from += count;
      if (from > traineeTokens.length * courses.length)
        throw new Error(
          `There are ${traineeTokens.length} trainees for ${courses.length} courses: too few for --rounds and --minutes.`,
        );
      return request;
    },
  };
}
