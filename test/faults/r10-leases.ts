import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/db/connection.js';
import { withLease } from '../../src/db/lease.js';
import { AppError } from '../../src/errors.js';
import type { Verdict } from './report.js';

const takers = 12;

/** Many acquire one lease concurrently, through all nodes: it has one holder at a time, and each gets it once. */
export async function raceForLease(name: string, databaseUrls: readonly string[]): Promise<Verdict> {
  const databases = databaseUrls.map((url) =>
    openDatabase(loadConfig({ env: { DATABASE_URL: url }, cwd: '/' }).database),
  );
  const startedAt = performance.now();
  let [holders, most] = [0, 0];
  const refusal = () => new AppError('MIGRATION_LOCKED');
  try {
    const acquisitions = await Promise.allSettled(
      Array.from({ length: takers }, async (_, index) => {
        const database = databases[index % databases.length];
        if (!database) throw new Error('There is no database.');
        await withLease(database, 'r10', 60_000, refusal, async () => {
          holders += 1;
          most = Math.max(most, holders);
          await sleep(20);
          holders -= 1;
        });
      }),
    );
    const failures = acquisitions.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    return {
      promised: `${name}: ${takers} take a lease: one holder at a time`,
      measured: `at most ${most} holders, ${failures.length} failed ${failures[0] ?? ''}in ${Math.round(performance.now() - startedAt)} ms`,
      kept: most === 1 && failures.length === 0,
    };
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
}
