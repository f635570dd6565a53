import { setTimeout as sleep } from 'node:timers/promises';
import { seconds, slowest, startCrowd, statuses } from './clients.js';
import type { Verdict } from './report.js';
import { people, setStage, untilReady } from './stage.js';
import { recordWrites } from './writes.js';

/** The database server is killed under writes, again and again. */

const kills = 10;

export async function run(): Promise<Verdict[]> {
  const stage = await setStage();
  try {
    const instance = await stage.start();
    const { trainerToken } = await people(instance.url);
    const writes = recordWrites(trainerToken);
    const crowd = startCrowd(instance.url, 20, writes.next, 5);
    const recoveries: number[] = [];
    for (let number = 0; number < kills; number += 1) {
      await sleep(800 + 400 * Math.random());
      await stage.database.crash();
      const upAt = performance.now();
      await untilReady(instance.url);
      recoveries.push(performance.now() - upAt);
    }
    await sleep(1000);
    await crowd.stop();
    const { answered, missing, doubled, unanswered } = await writes.compare(stage.databaseUrl());
    return [
      {
        promised: `${kills} times SIGKILL: every write answered 2xx is there once`,
        measured: `${answered} answered, ${missing} missing, ${doubled} doubled, ${unanswered} there with a 503`,
        kept: answered > 0 && missing + doubled === 0,
      },
      {
        promised: 'only 201, or 503 with Retry-After',
        measured: `${statuses(crowd.outcomes)}; slowest ${seconds(slowest(crowd.outcomes))}`,
        kept: crowd.outcomes.every(({ status, retryAfter }) => status === 201 || (status === 503 && retryAfter)),
      },
      {
        promised: 'ready again within 10 s of the server, without a restart',
        measured: `at most ${seconds(Math.max(...recoveries))}`,
        kept: Math.max(...recoveries) < 10_000,
      },
    ];
  } finally {
    await stage.close();
  }
}
