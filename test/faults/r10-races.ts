/**
 * R10: requests that compete for the same, concurrently, on every database: never two winners, never a 5xx. On a cluster
 * each node has an instance of its own.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { builtProgram } from '../support/built-program.js';
import { fullDepth } from '../support/depth.js';
import { missingForGalera, startGalera } from '../support/galera.js';
import { mysqlBinary } from '../support/group-replication.js';
import { findServer, startThrowAwayServer } from '../support/test-server.js';
import { Contests } from './r10-contests.js';
import { checkInvariants } from './r10-invariants.js';
import { raceForLease } from './r10-leases.js';
import { measureQuorum } from './r10-quorum.js';
import { type Instance, startInstance } from './r10-service.js';
import type { Verdict } from './report.js';

/** Cleanups of the run, in reverse order. */
class Cleanups {
  private readonly undo: (() => void)[] = [];

  readonly add = (undo: () => void): void => {
    this.undo.push(undo);
  };

  readonly clear = (): void => {
    for (const undo of this.undo.splice(0).reverse()) undo();
  };
}

const instancesPerDatabase = 3;

interface Surroundings {
  program: string;
  folder: string;
  cleanups: Cleanups;
}

async function startInstances({ program, folder, cleanups }: Surroundings, name: string, databaseUrls: string[]) {
  // Files are kept where all instances find them.
  const dataDir = path.join(folder, name);
  mkdirSync(dataDir);
  // Together: they migrate the same empty database.
  return Promise.all(databaseUrls.map((url) => startInstance(program, url, dataDir, cleanups.add)));
}

async function races(name: string, instances: readonly Instance[], databaseUrls: readonly string[]) {
  const startedAt = performance.now();
  const contests = new Contests({ name, urls: instances.map(({ url }) => url) });
  const verdicts = await contests.run().catch((error: unknown) => {
    for (const { written } of instances) console.error(written());
    throw error;
  });
  console.log(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s of races`);
  return [...verdicts, await raceForLease(name, databaseUrls), await checkInvariants(name, databaseUrls)];
}

/** An empty database on a server, reached by all instances. */
async function onServer(surroundings: Surroundings, name: string, serverUrl: string): Promise<Verdict[]> {
  const database = `coursectl_r10_${process.pid}`;
  const connection = await createConnection(serverUrl);
  const instances: Instance[] = [];
  try {
    const [rows] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
    const version = String(rows[0]?.version);
    // A URL says nothing of what is behind it.
    if (/mariadb/i.test(version) !== (name === 'MariaDB')) throw new Error(`The server says that it is ${version}.`);
    console.log(`${name}: version ${version}, ${instancesPerDatabase} instances`);
    await connection.query(`CREATE DATABASE ${database}`);
    const url = new URL(serverUrl);
    url.pathname = `/${database}`;
    instances.push(...(await startInstances(surroundings, name, Array(instancesPerDatabase).fill(url.href))));
    return await races(name, instances, [url.href]);
  } finally {
    for (const instance of instances) instance.kill();
    await connection.query(`DROP DATABASE IF EXISTS ${database}`);
    connection.destroy();
  }
}

async function onSqlite(surroundings: Surroundings): Promise<Verdict[]> {
  const url = `sqlite:${surroundings.folder}/races.sqlite`;
  const instances = await startInstances(surroundings, 'SQLite', [url]);
  const verdicts = await races('SQLite', instances, [url]);
  for (const instance of instances) instance.kill();
  return verdicts;
}

async function onMariadb(surroundings: Surroundings): Promise<Verdict[]> {
  const binary = findServer(['mariadbd']);
  const onStart = surroundings.cleanups.add;
  const server = binary === undefined ? undefined : await startThrowAwayServer({ binary, onStart });
  if (!server) return [{ promised: 'MariaDB: races', measured: 'no mariadbd on the PATH', kept: false }];
  try {
    return await onServer(surroundings, 'MariaDB', server.url);
  } finally {
    await server.stop();
  }
}

async function onMysql(surroundings: Surroundings): Promise<Verdict[]> {
  const given = process.env.TEST_MYSQL_URL;
  if (given) return onServer(surroundings, 'MySQL', given);
  const binary = mysqlBinary();
  const server = binary ? await startThrowAwayServer({ binary, onStart: surroundings.cleanups.add }) : undefined;
  if (server) {
    try {
      return await onServer(surroundings, 'MySQL', server.url);
    } finally {
      await server.stop();
    }
  }
  const measured = 'no TEST_MYSQL_URL, and no mysqld on the PATH that is MySQL';
  return [{ promised: 'MySQL: races', measured, kept: 'not run' }];
}

/** At full depth: R14 forms a cluster in every run. */
async function onGalera(surroundings: Surroundings): Promise<Verdict[]> {
  if (!fullDepth) return [];
  const missing = missingForGalera();
  if (missing !== '') {
    const required = process.env.REQUIRE_GALERA === '1';
    const remedy = `lacks ${missing}: apt-get install ${missing.replaceAll(',', '')}`;
    return [{ promised: 'Galera: races, quorum', measured: remedy, kept: required ? false : 'not run' }];
  }
  const startedAt = performance.now();
  const cluster = await startGalera(surroundings.cleanups.add);
  console.log(`Galera: ${cluster.version}, formed in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  await cluster.nodes[0]?.query('CREATE DATABASE coursectl');
  const urls = cluster.nodes.map(({ url }) => `${url}coursectl`);
  const instances = await startInstances(surroundings, 'Galera', urls);
  const verdicts = await races('Galera', instances, urls);
  return [...verdicts, ...(await measureQuorum(cluster, instances, urls))];
}

/** Runs all of it. Nothing is left behind, whatever way it ends. */
export async function run(): Promise<Verdict[]> {
  const cleanups = new Cleanups();
  const end = () => process.exit(130);
  process.once('exit', cleanups.clear);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
  const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-r10-'));
  cleanups.add(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  try {
    const program = await builtProgram();
    const surroundings = { program, folder, cleanups };
    const verdicts: Verdict[] = [];
    for (const [name, part] of Object.entries({
      SQLite: onSqlite,
      MariaDB: onMariadb,
      MySQL: onMysql,
      Galera: onGalera,
    }))
      try {
        verdicts.push(...(await part(surroundings)));
      } catch (error) {
        // The others say something all the same.
        console.error(error);
        verdicts.push({ promised: `${name}: the races go through`, measured: String(error), kept: false });
      }
    return verdicts;
  } finally {
    cleanups.clear();
    process.off('exit', cleanups.clear);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, end);
  }
}
