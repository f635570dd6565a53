import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/until.js';
import { seconds, slowest, startClients, statuses } from './clients.js';
import type { Verdict } from './report.js';
import { createPeople, openStage, untilReady } from './stage.js';
import { recordWrites, storedOnceVerdict } from './writes.js';

/** Kills the database server repeatedly under writes. */

const kills = 10;

export async function run(): Promise<Verdict[]> {
  const stage = await openStage();
  try {
    const instance = await stage.start();
    const { trainerToken } = await createPeople(instance.url);
    const writes = recordWrites(trainerToken);
    const clients = startClients(instance.url, 20, writes.next, 5);
    const recoveries: number[] = [];
    /** For each kill: writes answered 201 since the previous kill, and requests that failed because of it. */
    const [before, failed]: [number[], number[]] = [[], []];
    for (let number = 0; number < kills; number += 1) {
      const [answered, asked] = [writes.answered(), clients.outcomes.length];
      await sleep(800 + 400 * Math.random());
      // On a slow machine the service may not have written anything yet.
      await until(() => writes.answered() > answered, 'a write is answered');
      before.push(writes.answered() - answered);
      await stage.database.crash();
      const upAt = performance.now();
      await untilReady(instance.url);
      recoveries.push(performance.now() - upAt);
      failed.push(clients.outcomes.slice(asked).filter(({ status }) => status === 503).length);
    }
    await sleep(1000);
    await clients.stop();
    return [
      {
        promised: `${kills} times SIGKILL to the database, each of them under writes`,
        measured: `written before each: ${before.join(', ')}; failed at each: ${failed.join(', ')}`,
        kept: before.length === kills && before.every((count) => count > 0) && failed.every((count) => count > 0),
      },
      storedOnceVerdict('every write answered 2xx is stored once', await writes.compare(stage.databaseUrl())),
      {
        promised: 'only 201, or 503 with Retry-After',
        measured: `${statuses(clients.outcomes)}; slowest ${seconds(slowest(clients.outcomes))}`,
        kept: clients.outcomes.every(({ status, retryAfter }) => status === 201 || (status === 503 && retryAfter)),
      },
      {
        promised: 'ready again within 10 s of the server, without a restart',
        measured: `at most ${seconds(Math.max(...recoveries))}`,
        kept: Math.max(...recoveries) < 10_000,
        timed: true,
      },
    ];
  } finally {
    await stage.close();
  }
}
