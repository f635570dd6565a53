/**
 * R10: concurrent competing requests on every kind of database. Never two winners, never a 5xx. On a cluster, each node
 * has its own instance.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { fullDepth } from '../support/depth.js';
import { missingForGalera, startGalera } from '../support/galera.js';
import { mysqlBinary } from '../support/group-replication.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { findServer, startThrowAwayServer } from '../support/test-server.js';
import { atExit } from './cleanup.js';
import { checkInvariants, raceForLease } from './r10-aftermath.js';
import { Contests, courseQuota } from './r10-contests.js';
import { measureQuorum } from './r10-quorum.js';
import type { Verdict } from './report.js';
import { type Instance, startInstance } from './stage.js';

const instancesPerDatabase = 3;

/** A database and the instances on it. */
interface RaceTarget {
  name: string;
  /** URLs of the database, one for each node. */
  databaseUrls: string[];
  instances: Instance[];
}

/** Starts an instance for each URL. They start together, because they migrate the same empty database. */
async function startInstances(folder: string, name: string, databaseUrls: string[]): Promise<RaceTarget> {
  // All instances share the folder of files.
  const dataDir = path.join(folder, name);
  mkdirSync(dataDir);
  const settings = { FILE_COURSE_QUOTA_BYTES: String(courseQuota) };
  const instances = await Promise.all(databaseUrls.map((url) => startInstance(url, dataDir, settings)));
  return { name, databaseUrls: [...new Set(databaseUrls)], instances };
}

async function race({ name, databaseUrls, instances }: RaceTarget): Promise<Verdict[]> {
  const contests = new Contests(
    name,
    instances.map(({ url }) => url),
  );
  try {
    await contests.run();
  } catch (error) {
    for (const { written } of instances) console.error(written());
    throw error;
  }
  return [...contests.verdicts, await raceForLease(name, databaseUrls), await checkInvariants(name, databaseUrls)];
}

/** Runs the races on an empty database of a server, with all instances. */
async function onServer(folder: string, name: string, serverUrl: string): Promise<Verdict[]> {
  const database = `coursectl_r10_${process.pid}`;
  const connection = await createConnection(serverUrl);
  let place: RaceTarget | undefined;
  try {
    const [rows] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
    const version = String(rows[0]?.version);
    // A URL doesn't name the kind of server.
    if (/mariadb/i.test(version) !== (name === 'MariaDB')) throw new Error(`The server says that it is ${version}.`);
    await connection.query(`CREATE DATABASE ${database}`);
    const { href } = new URL(`/${database}`, serverUrl);
    place = await startInstances(folder, name, Array<string>(instancesPerDatabase).fill(href));
    return await race(place);
  } finally {
    for (const instance of place?.instances ?? []) instance.kill('SIGKILL');
    await connection.query(`DROP DATABASE IF EXISTS ${database}`);
    connection.destroy();
  }
}

async function onOwnServer(folder: string, name: string, binary: string): Promise<Verdict[]> {
  const server = await startThrowAwayServer({ binary, onStart: atExit });
  if (!server) throw new Error(`${binary} starts no server.`);
  try {
    return await onServer(folder, name, server.url);
  } finally {
    await server.stop();
  }
}

async function onSqlite(folder: string): Promise<Verdict[]> {
  const place = await startInstances(folder, 'SQLite', [`sqlite:${folder}/races.sqlite`]);
  const verdicts = await race(place);
  for (const instance of place.instances) instance.kill('SIGKILL');
  return verdicts;
}

async function onMariadb(folder: string): Promise<Verdict[]> {
  const binary = findServer(['mariadbd']);
  if (binary !== undefined) return onOwnServer(folder, 'MariaDB', binary);
  return [{ promised: 'MariaDB: races', measured: 'no mariadbd on the PATH', kept: false }];
}

async function onMysql(folder: string): Promise<Verdict[]> {
  const given = process.env.TEST_MYSQL_URL;
  const binary = mysqlBinary();
  if (given) return onServer(folder, 'MySQL', given);
  if (binary !== undefined) return onOwnServer(folder, 'MySQL', binary);
  const measured = 'no TEST_MYSQL_URL, and no mysqld on the PATH that is MySQL';
  return [{ promised: 'MySQL: races', measured, kept: 'not run' }];
}

/** Only at full depth, because R14 forms a cluster in every run. */
async function onGalera(folder: string): Promise<Verdict[]> {
  if (!fullDepth) return [];
  const missing = missingForGalera();
  if (missing !== '') {
    const measured = `lacks ${missing}: apt-get install ${missing.replaceAll(',', '')}`;
    return [
      { promised: 'Galera: races, quorum', measured, kept: process.env.REQUIRE_GALERA === '1' ? false : 'not run' },
    ];
  }
  const cluster = await startGalera(atExit);
  await cluster.nodes[0]?.query('CREATE DATABASE coursectl');
  const urls = cluster.nodes.map(({ url }) => `${url}coursectl`);
  const place = await startInstances(folder, 'Galera', urls);
  const verdicts = [...(await race(place)), ...(await measureQuorum(cluster, place.instances))];
  return [...verdicts, await checkInvariants('Galera, after all came back', urls)];
}

/** Runs the races on every kind of database. A failure on one doesn't stop the others. */
export async function run(): Promise<Verdict[]> {
  const folder = temporaryFolder();
  const verdicts: Verdict[] = [];
  for (const [name, on] of Object.entries({ SQLite: onSqlite, MariaDB: onMariadb, MySQL: onMysql, Galera: onGalera }))
    try {
      verdicts.push(...(await on(folder.path)));
    } catch (error) {
      console.error(error);
      verdicts.push({ promised: `${name}: the races go through`, measured: String(error), kept: false });
    }
  folder.remove();
  return verdicts;
}
