/**
 * R14: three instances behind HAProxy, on a cluster of three databases behind HAProxy, with the configuration of this
 * repository. Under load, the instances are replaced one after the other. Then the node with the connections is killed,
 * then an instance. Finally HAProxy's connections are ended.
 */
import { mkdirSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { writeCertificate } from '../support/certificate.js';
import type { Cluster } from '../support/cluster.js';
import { missingForGalera, startGalera } from '../support/galera.js';
import { mysqlBinary, startGroupReplication } from '../support/group-replication.js';
import { type Haproxy, startHaproxy } from '../support/haproxy.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { findServer, freePort } from '../support/test-server.js';
import { atExit } from './cleanup.js';
import { type Call, type Outcome, seconds, send, slowest, startClients, statuses } from './clients.js';
import type { Verdict } from './report.js';
import { createPeople, type Instance, startInstance } from './stage.js';
import { recordWrites, storedOnceVerdict } from './writes.js';

const clients = 12;
/** Pause between two requests of a client, in milliseconds. */
const pauseMs = 20;
/** Maximum time without a served request, in milliseconds. */
const longestOutageMs = 15_000;
/** Minimum duration of the load after an event and after its recovery, in milliseconds. */
const watchedMs = 7000;
/** Duration before the first event. */
const calmMs = 3000;
/** Requests that must be served after an event. On a slow machine the load continues for up to this many milliseconds. */
const enoughServed = 50;
const longestWatchMs = 60_000;
/**
 * Time in which running requests may be lost, because HAProxy notices a killed instance after two checks. In
 * milliseconds.
 */
const noticeMs = 3000;
/** Duration and pieces of an upload, and drain delay. An upload lasts longer than an ending instance accepts requests. */
const [uploadMs, uploadPieces, drainDelayMs] = [8000, 40, 5000];

interface Scene {
  cluster: Cluster;
  haproxy: Haproxy;
  instances: { instance: Instance; start(): Promise<Instance> }[];
  url: string;
  close(): void;
}

async function setScene(cluster: Cluster): Promise<Scene> {
  const connection = await createConnection(cluster.nodes[0]?.url ?? '');
  await connection.query('CREATE DATABASE coursectl');
  await connection.end();
  const folder = temporaryFolder();
  const dataDir = path.join(folder.path, 'data');
  mkdirSync(dataDir);
  writeCertificate(folder.path);
  const [http, https, listen, peers] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const ports = [await freePort(), await freePort(), await freePort()];
  const nodes = cluster.nodes.map(({ url }) => Number(new URL(url).port));
  const haproxy = startHaproxy(folder.path, { http, https, instances: ports, database: { listen, peers, nodes } });
  atExit(haproxy.kill);
  const databaseUrl = `mysql://coursectl:coursectl@127.0.0.1:${listen}/coursectl`;
  const instances: Scene['instances'] = [];
  for (const port of ports) {
    const settings = {
      PORT: String(port),
      TRUST_PROXY: 'loopback',
      FILE_COURSE_QUOTA_BYTES: '100000000',
      DRAIN_DELAY_MS: String(drainDelayMs),
    };
    const start = () => startInstance(databaseUrl, dataDir, settings);
    instances.push({ instance: await start(), start });
  }
  return {
    cluster,
    haproxy,
    instances,
    url: `https://127.0.0.1:${https}`,
    close() {
      for (const { instance } of instances) instance.kill('SIGKILL');
      haproxy.kill();
      cluster.stop();
      folder.remove();
    },
  };
}

/** Creates writes, and reads of just written rows. Counts reads that don't find the row. */
function createLoad(token: string) {
  const writes = recordWrites(token);
  const written: string[] = [];
  const reads = { found: 0, stale: 0 };
  return {
    writes,
    reads,
    next(): Call & { done(outcome: Outcome & { text: string }): void } {
      const id = written.shift();
      if (id !== undefined)
        return {
          method: 'GET',
          path: `/api/courses/${id}`,
          token,
          done({ status }) {
            if (status === 200) reads.found += 1;
            if (status === 404) reads.stale += 1;
          },
        };
      const { done, ...call } = writes.next();
      return {
        ...call,
        done(outcome) {
          done(outcome);
          if (outcome.status === 201) written.push((JSON.parse(outcome.text) as { course: { id: string } }).course.id);
        },
      };
    },
  };
}

const isServed = ({ status }: Outcome) => status === 200 || status === 201;
/** Response of the service without its database, and of HAProxy without a ready instance. */
const isRefused = ({ status }: Outcome) => status === 503;
/** Result of a request whose instance or connection ended: no response, or HAProxy's 502. */
const isLost = ({ status }: Outcome) => status === 0 || status === 502;

/** Returns the longest time without a served request in a period, in milliseconds. */
function longestGap(outcomes: readonly Outcome[], from: number, until: number): number {
  const servedAt = outcomes.filter(isServed).map(({ at, ms }) => at + ms);
  const times = [from, ...servedAt.filter((at) => at > from && at < until).sort((one, other) => one - other), until];
  return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at)));
}

/** Returns the results of the requests in a period. */
function during(outcomes: readonly Outcome[], from: number, until: number) {
  const own = outcomes.filter(({ at, ms }) => at + ms >= from && at < until);
  const lost = own.filter(isLost);
  return {
    text: `${statuses(own)}; without a served request for ${seconds(longestGap(own, from, until))} at most; slowest ${seconds(slowest(own))}`,
    gapMs: longestGap(own, from, until),
    served: own.filter(isServed).length,
    lost: lost.length,
    /** Lost requests that were sent after HAProxy must have noticed the event. */
    late: lost.filter(({ at }) => at > from + noticeMs).length,
    wrong: own.filter((one) => !isServed(one) && !isRefused(one) && !isLost(one)).length,
  };
}

/** Continues the load until enough requests were served since a moment. */
async function watch(outcomes: readonly Outcome[], from: number, atLeastMs: number): Promise<void> {
  await sleep(atLeastMs);
  const isEnough = () => outcomes.filter((one) => one.at >= from && isServed(one)).length >= enoughServed;
  const deadline = performance.now() + longestWatchMs;
  while (!isEnough() && performance.now() < deadline) await sleep(100);
}

interface Event {
  promised: string;
  /** Causes the event. */
  happen(): Promise<void>;
  recover?(): Promise<void>;
  /** Whether running requests may be lost, because their instance or connection was killed. */
  mayLose: boolean;
}

function eventsOf({ cluster, haproxy, instances }: Scene): Event[] {
  const [node] = cluster.nodes;
  const [one] = instances;
  if (!node || !one) throw new Error('There is no cluster.');
  return [
    {
      promised: 'the database node with all connections is killed: nothing but 200, 201 and 503, and for at most 15 s',
      happen: () => node.kill(),
      recover: () => node.rejoin(),
      mayLose: false,
    },
    {
      promised: 'an instance is killed: the others serve, and only its running requests are lost',
      happen: async () => one.instance.kill('SIGKILL'),
      recover: async () => {
        one.instance = await one.start();
      },
      mayLose: true,
    },
    {
      promised: "HAProxy's connections to the database end: nothing but 200, 201 and 503",
      // The killed node is back, and another node has the connections.
      happen: async () => {
        for (const name of ['one', 'two', 'three']) await haproxy.command(`shutdown sessions server database/${name}`);
      },
      mayLose: false,
    },
    {
      promised: "HAProxy's connections to an instance end: only their running requests are lost",
      happen: async () => void (await haproxy.command('shutdown sessions server instances/two')),
      mayLose: true,
    },
  ];
}

/** Uploads a course material piece by piece, and returns the status. */
function slowUpload(url: string, path: string, token: string): Promise<number> {
  const boundary = 'a-boundary-of-the-form';
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    'Transfer-Encoding': 'chunked',
  };
  return new Promise((resolve) => {
    const options = { method: 'POST', headers, agent: false, rejectUnauthorized: false } as const;
    const call = request(url + path, options, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    call.once('error', () => resolve(0));
    call.write(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="slow.txt"\r\nContent-Type: text/plain\r\n\r\n`,
    );
    void (async () => {
      for (let piece = 0; piece < uploadPieces; piece += 1) {
        await sleep(uploadMs / uploadPieces);
        call.write('x'.repeat(2000));
      }
      call.end(`\r\n--${boundary}--\r\n`);
    })();
  });
}

/** Returns the number of uploads that an instance is receiving, from its metrics. */
async function uploadsAt({ url }: Instance): Promise<number> {
  const { text } = await send(url, { method: 'GET', path: '/metrics' });
  return Number(/^coursectl_requests_waiting\{for="uploads"\} (\d+)$/m.exec(text)?.[1]);
}

/** Replaces the instances one after the other, each while it receives an upload. */
async function replaceInstances({ instances, haproxy, url }: Scene, token: string, outcomes: readonly Outcome[]) {
  const body = { title: 'For files', description: 'That are uploaded.' };
  const created = await send(url, { method: 'POST', path: '/api/courses', token, body });
  const path = `/api/courses/${(JSON.parse(created.text) as { course: { id: string } }).course.id}/files`;
  const uploads: Promise<number>[] = [];
  const ends: { code: number | null; ms: number; uploads: number }[] = [];
  const from = performance.now();
  for (const [index, each] of instances.entries()) {
    let underWay = 0;
    // The other requests determine which instance gets the upload.
    for (let tries = 0; underWay === 0 && tries < 20; tries += 1) {
      uploads.push(slowUpload(url, path, token));
      await sleep(200);
      underWay = await uploadsAt(each.instance);
    }
    const endedFrom = performance.now();
    each.instance.kill('SIGTERM');
    ends.push({ code: await each.instance.exited, ms: performance.now() - endedFrom, uploads: underWay });
    each.instance = await each.start();
    await haproxy.untilServer(`instances/${['one', 'two', 'three'][index]}`, 'UP');
  }
  const arrived = await Promise.all(uploads);
  const own = outcomes.filter(({ at, ms }) => at + ms >= from);
  // An instance refuses with Retry-After if its database is slow. HAProxy sends no Retry-After.
  for (const { path: of, status, ms, retryAfter } of own.filter((one) => !isServed(one)))
    console.log(`${of}: ${status} after ${seconds(ms)}, ${retryAfter ? 'with' : 'without'} Retry-After`);
  return [
    {
      promised: 'instances are replaced one after the other: nothing but 200 and 201',
      measured: `${statuses(own)}; slowest ${seconds(slowest(own))}`,
      kept: own.length >= enoughServed && own.every(isServed),
    },
    {
      promised: 'uploads to an ending instance arrive',
      measured: `${statuses(arrived.map((status) => ({ status })))}; ${ends.map((end) => end.uploads).join(', ')} of them at ending instances`,
      kept: arrived.every((status) => status === 201) && ends.every((end) => end.uploads > 0),
    },
    {
      promised: 'an instance ends within 25 s of SIGTERM with exit code 0',
      measured: ends.map(({ code, ms }) => `${code} after ${seconds(ms)}`).join(', '),
      kept: ends.every(({ code, ms }) => code === 0 && ms < 25_000),
    },
  ];
}

async function measure(scene: Scene): Promise<Verdict[]> {
  const direct = scene.instances[0]?.instance.url ?? '';
  const { trainerToken: token } = await createPeople(direct);
  const load = createLoad(token);
  const group = startClients(scene.url, clients, () => load.next(), pauseMs);
  const { outcomes } = group;
  await watch(outcomes, performance.now(), calmMs);
  const verdicts: Verdict[] = [
    {
      promised: `behind HAProxy ${enoughServed} or more requests are served, and none is refused`,
      measured: statuses(outcomes),
      kept: outcomes.length >= enoughServed && outcomes.every(isServed),
    },
  ];
  verdicts.push(...(await replaceInstances(scene, token, outcomes)));
  for (const { promised, happen, recover, mayLose } of eventsOf(scene)) {
    const from = performance.now();
    await happen();
    await watch(outcomes, from, watchedMs);
    if (recover) {
      await recover();
      await watch(outcomes, performance.now(), watchedMs);
    }
    const { text, gapMs, served, lost, late, wrong } = during(outcomes, from, performance.now());
    const isKept =
      served >= enoughServed && gapMs < longestOutageMs && late === 0 && wrong === 0 && lost <= (mayLose ? clients : 0);
    verdicts.push({
      promised,
      measured: mayLose ? `${text}, ${lost} lost, ${late} of them later than ${seconds(noticeMs)}` : text,
      kept: isKept,
    });
    if (!isKept) console.log(scene.instances.map(({ instance }) => instance.written()).join('\n'));
  }
  await group.stop();
  const { found, stale } = load.reads;
  // A node that was never down.
  const witness = scene.cluster.nodes[1]?.url ?? '';
  return [
    ...verdicts,
    {
      promised: 'a client can read its own write at any instance',
      measured: `${found} found, ${stale} not`,
      kept: found >= enoughServed && stale === 0,
    },
    storedOnceVerdict('every write answered 201 is stored once', await load.writes.compare(`${witness}coursectl`)),
  ];
}

export async function run(): Promise<Verdict[]> {
  const binary = mysqlBinary();
  const programs = ['haproxy', 'openssl'].filter((program) => findServer([program]) === undefined);
  const verdicts: Verdict[] = [];
  for (const { name, missing, isRequired, start } of [
    {
      name: 'Galera',
      missing: missingForGalera(),
      isRequired: process.env.REQUIRE_GALERA === '1',
      start: (): Promise<Cluster> => startGalera(atExit),
    },
    {
      name: 'Group Replication',
      missing: binary === undefined ? 'a mysqld on the PATH that is MySQL' : '',
      isRequired: false,
      start: () => startGroupReplication(binary ?? '', atExit),
    },
  ]) {
    const lacking = [missing, ...programs].filter(Boolean).join(', ');
    if (lacking !== '') {
      const promised = `${name}: instances and nodes behind HAProxy`;
      verdicts.push({ promised, measured: `lacks ${lacking}`, kept: isRequired ? false : 'not run' });
      continue;
    }
    const scene = await setScene(await start());
    try {
      const own = await measure(scene);
      verdicts.push(...own.map((verdict) => ({ ...verdict, promised: `${name}: ${verdict.promised}` })));
    } finally {
      console.log(`${name}:\n${scene.haproxy.log()}`);
      scene.close();
    }
  }
  return verdicts;
}
