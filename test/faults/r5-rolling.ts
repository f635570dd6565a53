import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Balancer, startBalancer } from './balancer.js';
import { type Outcome, seconds, send, slowest, startClients, statuses } from './clients.js';
import type { Verdict } from './report.js';
import { type Instance, people, type Stage, setStage, untilReady } from './stage.js';
import { recordWrites, thereOnce } from './writes.js';

/** Two instances behind a balancer are replaced one after the other, under load and with uploads on their way. */

const uploadMs = 8000;
const uploadPieces = 40;
const drainDelay = { DRAIN_DELAY_MS: '1500' };

/** Uploads a course material piece by piece; settles with the status. */
function slowUpload(url: string, courseId: string, token: string): Promise<Outcome> {
  const at = performance.now();
  const boundary = 'a-boundary-of-the-form';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="slow.txt"\r\nContent-Type: text/plain\r\n\r\n`;
  const path = `/api/courses/${courseId}/files`;
  return new Promise((resolve) => {
    const settle = (status: number) => resolve({ at, ms: performance.now() - at, status, path, retryAfter: false });
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Transfer-Encoding': 'chunked',
    };
    const call = request(url + path, { method: 'POST', headers, agent: false }, (response) => {
      response.resume();
      response.once('end', () => settle(response.statusCode ?? 0));
    });
    call.once('error', () => settle(0));
    call.write(head);
    void (async () => {
      for (let piece = 0; piece < uploadPieces; piece += 1) {
        await sleep(uploadMs / uploadPieces);
        call.write('x'.repeat(20_000));
      }
      call.end(`\r\n--${boundary}--\r\n`);
    })();
  });
}

interface Roll {
  uploads: Outcome[];
  /** How many of them the instance was working on when it was told to end. */
  underWay: number;
  exitCode: number | null;
  tookMs: number;
}

/** Replaces an instance while uploads are on their way to it. */
async function replace(
  stage: Stage,
  instance: Instance,
  balancer: Balancer,
  course: { id: string; token: string },
): Promise<Roll> {
  const path = `/api/courses/${course.id}/files`;
  const uploads: Promise<Outcome>[] = [];
  // Which instance is next depends on the other requests.
  while (uploads.length < 2 || (balancer.underWay(instance.url, path) < 1 && uploads.length < 20)) {
    uploads.push(slowUpload(balancer.url, course.id, course.token));
    await sleep(50);
  }
  await sleep(1000);
  const underWay = balancer.underWay(instance.url, path);
  const from = performance.now();
  instance.kill('SIGTERM');
  const exitCode = await instance.exited;
  const tookMs = performance.now() - from;
  const next = await stage.start({ ...drainDelay, PORT: new URL(instance.url).port });
  await untilReady(next.url);
  while (balancer.ready().length < 2) await sleep(50);
  return { uploads: await Promise.all(uploads), underWay, exitCode, tookMs };
}

export async function run(): Promise<Verdict[]> {
  const stage = await setStage();
  try {
    const instances = [await stage.start(drainDelay), await stage.start(drainDelay)];
    const balancer = await startBalancer(instances.map(({ url }) => url));
    const { trainerToken } = await people(balancer.url);
    const course = { title: 'For files', description: 'That are uploaded.' };
    const created = await send(balancer.url, {
      method: 'POST',
      path: '/api/courses',
      token: trainerToken,
      body: course,
    });
    const { id } = (JSON.parse(created.text) as { course: { id: string } }).course;
    const writes = recordWrites(trainerToken);
    let number = 0;
    const clients = startClients(
      balancer.url,
      20,
      () => {
        number += 1;
        return number % 4 === 0 ? writes.next() : { method: 'GET', path: '/api/auth/me', token: trainerToken };
      },
      10,
    );
    await sleep(1000);
    const rolls: Roll[] = [];
    for (const instance of instances) rolls.push(await replace(stage, instance, balancer, { id, token: trainerToken }));
    await sleep(1000);
    await clients.stop();
    const compared = await writes.compare(stage.databaseUrl());
    for (const failure of new Set(balancer.failures)) console.log(failure);
    await balancer.close();
    const uploads = rolls.flatMap((roll) => roll.uploads);
    const areUnderWay = rolls.every(({ underWay }) => underWay > 0);
    const haveArrived = uploads.every(({ status }) => status === 201);
    const clean = clients.outcomes.every(({ status }) => status === 200 || status === 201);
    return [
      {
        promised: 'two SIGTERM under load: every client gets its 200 or 201, no reset and no 5xx',
        measured: `${statuses(clients.outcomes)}; slowest ${seconds(slowest(clients.outcomes))}`,
        kept: clean && balancer.failures.length === 0,
      },
      {
        promised: 'uploads on their way arrive',
        measured: `${statuses(uploads)}; ${rolls.map(({ underWay }) => underWay).join(' and ')} of them at the one that ends`,
        kept: areUnderWay && haveArrived,
        // When none was at the instance that ends, the run has shown nothing.
        ...(haveArrived && { timed: true as const }),
      },
      {
        promised: 'exit code 0 within 25 s',
        measured: rolls.map(({ exitCode, tookMs }) => `${exitCode} after ${seconds(tookMs)}`).join(', '),
        kept: rolls.every(({ exitCode, tookMs }) => exitCode === 0 && tookMs < 25_000),
      },
      thereOnce('every write answered 201 is there once', compared),
    ];
  } finally {
    await stage.close();
  }
}
