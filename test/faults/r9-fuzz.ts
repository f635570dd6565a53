import { fuzz } from '../http/fuzzing.js';
import { startInProcess } from './in-process.js';
import type { Verdict } from './report.js';

const requests = Number(process.env.FUZZ_REQUESTS ?? 20_000);
const limitSeconds = 240;

/**
 * Generated requests for every operation, as anybody and as every role. `FUZZ_SEED` gives the requests of another run
 * again, `FUZZ_REQUESTS` another number of them.
 */
export async function run(): Promise<Verdict[]> {
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
  console.log(`FUZZ_SEED=${seed}`);
  const service = await startInProcess();
  try {
    const startedAt = performance.now();
    const target = { context: service.context, url: service.server.url };
    const { sent, statuses, slowestMs, problems } = await fuzz(target, { requests, seed });
    const seconds = (performance.now() - startedAt) / 1000;
    for (const problem of problems) console.log(problem);
    const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
    return [
      {
        promised: `${requests} generated requests: no fault of the service, each answered as declared`,
        measured: `${sent} sent, ${problems.length} answered wrongly (seed ${seed}): ${counts.join(', ')}`,
        kept: problems.length === 0 && sent === requests,
      },
      {
        promised: 'no generated request takes longer than 5 s',
        measured: `slowest ${(slowestMs / 1000).toFixed(2)} s`,
        kept: slowestMs < 5000,
      },
      {
        promised: `${requests} generated requests are answered within ${limitSeconds} s`,
        measured: `${seconds.toFixed(0)} s`,
        kept: seconds < limitSeconds,
      },
    ];
  } finally {
    await service.close();
  }
}
