import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { QueryTypes } from 'sequelize';
import { loadConfig } from '../../src/config/config.js';
import { type Database, openDatabase } from '../../src/db/connection.js';
import { withLease } from '../../src/db/lease.js';
import { AppError } from '../../src/errors.js';
import { courseQuota } from './r10-contests.js';
import type { Verdict } from './report.js';

/** Queries that count violations of rules. After any race they must return 0. */
const violationQueries: Readonly<Record<string, string>> = {
  'surplus or missing super admins': "SELECT ABS(COUNT(*) - 1) AS n FROM users WHERE role = 'super_admin'",
  'duplicate emails': 'SELECT COUNT(*) - COUNT(DISTINCT email) AS n FROM users',
  'duplicate phones': 'SELECT COUNT(*) - COUNT(DISTINCT phone_key) AS n FROM users',
  'courses with too many seats taken': `SELECT COUNT(*) AS n FROM courses WHERE max_students < (SELECT COUNT(*) FROM enrollments
    WHERE course_id = courses.id AND status IN ('pending', 'active'))`,
  'duplicate enrollments':
    'SELECT COUNT(*) AS n FROM (SELECT user_id FROM enrollments GROUP BY user_id, course_id HAVING COUNT(*) > 1) AS twice',
  'courses without a trainer':
    "SELECT COUNT(*) AS n FROM courses WHERE trainer_id NOT IN (SELECT id FROM users WHERE role = 'trainer')",
  'enrollments without a trainee':
    "SELECT COUNT(*) AS n FROM enrollments WHERE status IN ('pending', 'active') AND user_id NOT IN (SELECT id FROM users WHERE role = 'trainee')",
  'enrollments with another trainer than their course': `SELECT COUNT(*) AS n FROM enrollments JOIN courses ON courses.id = course_id
    WHERE enrollments.trainer_id <> courses.trainer_id`,
  'courses above their quota': `SELECT COUNT(*) AS n FROM (SELECT course_id FROM files WHERE kind = 'material' AND state = 'live'
    GROUP BY course_id HAVING SUM(bytes) > ${courseQuota}) AS beyond`,
  'sessions without an account': 'SELECT COUNT(*) AS n FROM sessions WHERE user_id NOT IN (SELECT id FROM users)',
  'surplus or missing setup entries':
    "SELECT ABS(COUNT(*) - 1) AS n FROM audit_entries WHERE action = 'setup.complete'",
  'surplus or missing registration entries': `SELECT ABS((SELECT COUNT(*) FROM audit_entries WHERE action = 'user.register')
    - (SELECT COUNT(*) FROM users) + 1 - (SELECT COUNT(*) FROM audit_entries WHERE action = 'user.delete')) AS n`,
};

const open = (url: string) => openDatabase(loadConfig({ env: { DATABASE_URL: url }, cwd: '/' }).database);

async function findViolations({ sequelize }: Database): Promise<string[]> {
  const found: string[] = [];
  for (const [name, sql] of Object.entries(violationQueries)) {
    const [row] = await sequelize.query<{ n: number }>(sql, { type: QueryTypes.SELECT });
    if (Number(row?.n) !== 0) found.push(`${row?.n} ${name}`);
  }
  return found;
}

/** Returns a hash of all rows on a node, for comparison. Not `CHECKSUM TABLE`, which is random with generated columns. */
async function contentOf({ sequelize }: Database): Promise<string> {
  const hash = createHash('sha256');
  const tables = await sequelize.query<{ name: string }>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name',
    { type: QueryTypes.SELECT },
  );
  for (const { name } of tables) {
    const rows = await sequelize.query<object>(`SELECT * FROM \`${name}\``, { type: QueryTypes.SELECT });
    hash.update([name, ...rows.map((row) => JSON.stringify(row)).sort()].join('\n'));
  }
  return hash.digest('hex');
}

/** Looks for violations of rules on every node, and compares the nodes. */
export async function checkInvariants(name: string, databaseUrls: readonly string[]): Promise<Verdict> {
  const found: string[] = [];
  const contents = new Set<string>();
  for (const [index, url] of databaseUrls.entries()) {
    const database = open(url);
    try {
      for (const breach of await findViolations(database)) found.push(`node ${index + 1}: ${breach}`);
      if (databaseUrls.length > 1) contents.add(await contentOf(database));
    } finally {
      await database.close();
    }
  }
  if (contents.size > 1) found.push('the nodes differ');
  return {
    promised: `${name}: the data break no rule${databaseUrls.length > 1 ? ', all nodes are equal' : ''}`,
    measured: found.join('; ') || `${Object.keys(violationQueries).length} invariants, nothing found`,
    kept: found.length === 0,
  };
}

const takers = 12;

/**
 * Acquires one lease many times concurrently, through all nodes. It must have one holder at a time, and each contender
 * must get it once.
 */
export async function raceForLease(name: string, databaseUrls: readonly string[]): Promise<Verdict> {
  const databases = databaseUrls.map(open);
  let [holders, most, served] = [0, 0, 0];
  const take = (database: Database) =>
    withLease(
      database,
      'r10',
      60_000,
      () => new AppError('MIGRATION_LOCKED'),
      async () => {
        holders += 1;
        most = Math.max(most, holders);
        await sleep(20);
        holders -= 1;
        served += 1;
      },
    );
  const all = Array.from({ length: takers / databases.length }, () => databases.map(take)).flat();
  await Promise.allSettled(all);
  await Promise.all(databases.map((database) => database.close()));
  return {
    promised: `${name}: ${takers} contenders for a lease: one holder at a time`,
    measured: `at most ${most} holders, ${served} contenders got it`,
    kept: most === 1 && served === takers,
  };
}
