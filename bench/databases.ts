import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createConnection } from 'mysql2/promise';
import { remark, wholeNumber } from './figures.js';
import { type Programme, type RunSql, type Sizes, seedProgramme } from './programme.js';
import { cpuSecondsOf } from './requests/candidates.js';
import { openBenchServer } from './server.js';
import { openContext, type Service, serve } from './service.js';

export interface ServedDatabase {
  databaseUrl: string;
  programme: Programme;
  service: Service;
  /** Processor time in seconds of the service, its clients in this process, and a private server. */
  cpuSeconds(): number;
}

/** Temporary databases, dropped at the end. */
export interface Databases {
  /** Creates a database with a programme of the given size, and serves it. */
  prepare(name: string, sizes: Sizes): Promise<ServedDatabase>;
  /** Like `prepare`, on SQLite. */
  prepareFile(name: string, sizes: Sizes): Promise<ServedDatabase>;
  close(): Promise<void>;
}

/** @param serverOptions of a private server */
export async function openDatabases(serverOptions?: readonly string[]): Promise<Databases> {
  const server = await openBenchServer(serverOptions);
  const sql = await createConnection({ uri: server.url });
  const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
  const names: string[] = [];
  const services: Service[] = [];

  async function seed(databaseUrl: string, sizes: Sizes, run?: RunSql): Promise<Programme> {
    const context = await openContext(databaseUrl, folder);
    const { database } = context;
    try {
      await context.schema.up();
      return await seedProgramme(database, run ?? ((text) => database.sequelize.query(text)), sizes);
    } finally {
      await context.close();
    }
  }

  async function served(databaseUrl: string, sizes: Sizes, run?: RunSql): Promise<ServedDatabase> {
    const startedAt = performance.now();
    const programme = await seed(databaseUrl, sizes, run);
    const service = await serve(databaseUrl, folder);
    services.push(service);
    const seconds = (performance.now() - startedAt) / 1000;
    const people = wholeNumber(1 + sizes.trainers + sizes.trainees);
    const made = `${people} users, ${wholeNumber(sizes.courses)} courses, ${wholeNumber(sizes.enrollments)} enrollments`;
    remark(`${made}: made in ${seconds.toFixed(1)} s`);
    const pids = [process.pid, ...(databaseUrl.startsWith('sqlite:') ? [] : [server.pid() ?? []].flat())];
    return { databaseUrl, programme, service, cpuSeconds: () => cpuSecondsOf(pids) };
  }

  return {
    async prepare(name, sizes) {
      names.push(name);
      await sql.query(`DROP DATABASE IF EXISTS ${name}`);
      await sql.query(`CREATE DATABASE ${name}`);
      await sql.query(`USE ${name}`);
      return served(`${server.url}${name}`, sizes, (text) => sql.query(text));
    },
    prepareFile: (name, sizes) => served(`sqlite:${path.join(folder, `${name}.sqlite`)}`, sizes),
    async close() {
      for (const service of services) await service.close();
      for (const name of names) await sql.query(`DROP DATABASE IF EXISTS ${name}`);
      await sql.end();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
