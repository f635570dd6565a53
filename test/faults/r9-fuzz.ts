import { contract } from '../../src/http/api/contract.js';
import { fuzz } from '../http/support/fuzzing.js';
import { keptLog } from '../support/kept-log.js';
import { onThisMachine, patientPool } from '../support/machine.js';
import { startInProcess } from './in-process.js';
import type { Verdict } from './report.js';

const requests = Number(process.env.FUZZ_REQUESTS ?? 20_000);
/** Of processor time, which other programs don't take. */
const limitSeconds = onThisMachine(240);
const slowestAllowedMs = onThisMachine(5000);

/** Operations that only a database without people admits. */
const needsEmpty: readonly string[] = ['setup', 'loadDemo'];

/**
 * Generated requests for every operation, as anybody and as every role. `FUZZ_SEED` gives the requests of another run
 * again, `FUZZ_REQUESTS` another number of them.
 */
export async function run(): Promise<Verdict[]> {
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
  console.log(`FUZZ_SEED=${seed}`);
  const log = keptLog();
  // Beside tests a request waits longer for a connection.
  const service = await startInProcess(patientPool, log.logger);
  try {
    const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
    const target = { context: service.context, url: service.server.url, takeLog: log.take };
    const all = Object.keys(contract) as (keyof typeof contract)[];
    const toSucceed = all.filter((name) => !needsEmpty.includes(name));
    const found = await fuzz(target, { requests, seed, toSucceed });
    const { sent, statuses, slowestMs, slowest, unread, met, problems } = found;
    const { user, system } = process.cpuUsage(cpuBefore);
    const [seconds, cpuSeconds] = [(performance.now() - startedAt) / 1000, (user + system) / 1_000_000];
    // Where others keep the cores busy, each request takes as much longer as all of them do.
    const slowestLimitMs = slowestAllowedMs * Math.max(1, seconds / cpuSeconds);
    for (const problem of problems) console.log(problem);
    const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
    const least = Math.min(...all.map((name) => met.get(name)?.answered ?? 0));
    // There are people throughout: setup and the demo programme are refused, as they should be.
    const rarest = [...met].sort(([, one], [, other]) => one.succeeded - other.succeeded).slice(0, 8);
    console.log(`seldom with success: ${rarest.map(([name, { succeeded }]) => `${name} ${succeeded}`).join(', ')}`);
    const never = toSucceed.filter((name) => !met.get(name)?.succeeded);
    return [
      {
        promised: `${requests} generated requests: no 5xx, each answered with a status and body that are declared`,
        measured: `${sent} sent, ${problems.length} answered wrongly (seed ${seed}): ${counts.join(', ')}`,
        kept: problems.length === 0 && sent >= requests,
      },
      {
        promised:
          'the program sees nearly all of them, and each operation is met, and all succeed now and then but setup and loadDemo, which need a database without people',
        measured: `${unread} unread; ${all.length} operations, each met at least ${least} times; never with success: ${never.join(', ') || 'none'}`,
        kept: unread < sent / 20 && least > 0 && never.length === 0,
      },
      {
        promised: `no generated request takes longer than ${slowestAllowedMs / 1000} s, or as much longer as all take beside other programs`,
        measured: `slowest ${(slowestMs / 1000).toFixed(2)} s (${slowest}) of ${(slowestLimitMs / 1000).toFixed(1)} s`,
        kept: slowestMs < slowestLimitMs,
        timed: true,
      },
      {
        promised: `${requests} generated requests are answered in ${limitSeconds} s of processor time`,
        measured: `${cpuSeconds.toFixed(0)} s, ${seconds.toFixed(0)} s in all`,
        kept: cpuSeconds < limitSeconds,
        timed: true,
      },
    ];
  } finally {
    await service.close();
  }
}
