import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { scaled } from '../../test/support/machine.js';
import { freePort } from '../../test/support/test-server.js';
import { type Candidate, stopCandidate } from '../requests/candidates.js';
import type { Installed } from './install.js';

const adminEmail = 'admin@example.org';

/** Database of Directus, on the server of the service's database. */
export const directusDatabase = 'coursectl_bench_directus';

/** Copy of the service's enrollments, which Directus serves. */
export const directusEnrollments = 'enrollments';

/** Returns Directus' settings for production, without its request limits and with as many connections as the service. */
function settings(serverUrl: string, folder: string, port: number, password: string): NodeJS.ProcessEnv {
  const server = new URL(serverUrl);
  return {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DB_CLIENT: 'mysql',
    DB_HOST: server.hostname,
    DB_PORT: server.port || '3306',
    DB_USER: decodeURIComponent(server.username),
    DB_PASSWORD: decodeURIComponent(server.password),
    DB_DATABASE: directusDatabase,
    DB_POOL__MIN: '0',
    DB_POOL__MAX: '10',
    SECRET: randomUUID(),
    ADMIN_EMAIL: adminEmail,
    ADMIN_PASSWORD: password,
    ACCESS_TOKEN_TTL: '1d',
    CACHE_ENABLED: 'false',
    RATE_LIMITER_ENABLED: 'false',
    PRESSURE_LIMITER_ENABLED: 'false',
    TELEMETRY: 'false',
    LOG_LEVEL: 'error',
    STORAGE_LOCATIONS: 'local',
    STORAGE_LOCAL_ROOT: path.join(folder, 'uploads'),
    EXTENSIONS_PATH: path.join(folder, 'extensions'),
  };
}

/** Directus as a candidate, with its accounts. */
export interface Directus extends Candidate {
  adminToken: string;
  /** Emails of accounts with the administrator's password. */
  emails: readonly string[];
}

async function startDirectus({ node, cli }: Installed, env: NodeJS.ProcessEnv, folder: string): Promise<Candidate> {
  const logFile = path.join(folder, 'directus.log');
  const log = openSync(logFile, 'a');
  const child = spawn(node, [cli, 'start'], { env, cwd: folder, stdio: ['ignore', log, log] });
  closeSync(log);
  const deadline = performance.now() + scaled(180_000);
  while (child.exitCode === null && performance.now() < deadline) {
    const responses = await fetch(`${env.PUBLIC_URL}/server/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (responses) return { process: child, port: Number(env.PORT) };
    await sleep(100);
  }
  if (child.exitCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  throw new Error(`Directus doesn't serve:\n${readFileSync(logFile, 'utf8').slice(-3000)}`);
}

/**
 * Creates a database for Directus with the service's accounts and enrollments, and serves it.
 * @param source the service's database
 * @param password of the administrator and of all accounts
 */
export async function serveDirectus(
  installed: Installed,
  serverUrl: string,
  source: string,
  folder: string,
  password: string,
): Promise<Directus> {
  mkdirSync(path.join(folder, 'uploads'), { recursive: true });
  mkdirSync(path.join(folder, 'extensions'), { recursive: true });
  const env = settings(serverUrl, folder, await freePort(), password);
  const sql = await createConnection({ uri: serverUrl });
  try {
    await sql.query(`DROP DATABASE IF EXISTS ${directusDatabase}`);
    await sql.query(`CREATE DATABASE ${directusDatabase} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci`);
    await promisify(execFile)(installed.node, [installed.cli, 'bootstrap'], { env, cwd: folder, maxBuffer: 2 ** 26 });
    await sql.query(`USE ${directusDatabase}`);
    const columns = 'first_name, last_name, password, status, role, provider';
    await sql.query(
      `INSERT INTO directus_users (id, email, ${columns})
       SELECT u.id, u.email, a.${columns.replaceAll(', ', ', a.')} FROM ${source}.users u, directus_users a
       WHERE a.email = ? AND u.email <> a.email`,
      [adminEmail],
    );
    // An index for each relation and no others, like in tables that Directus creates.
    const keys = 'PRIMARY KEY (id), KEY (user_id), KEY (course_id), KEY (trainer_id)';
    await sql.query(`CREATE TABLE ${directusEnrollments} (${keys}) SELECT * FROM ${source}.enrollments`);
    await sql.query('INSERT INTO directus_collections (collection) VALUES (?)', [directusEnrollments]);
    const [rows] = await sql.query<RowDataPacket[]>('SELECT email FROM directus_users ORDER BY id LIMIT 100');
    const candidate = await startDirectus(installed, env, folder);
    try {
      const url = String(env.PUBLIC_URL);
      const response = await fetch(`${url}/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: adminEmail, password }),
      });
      if (!response.ok) throw new Error(`Directus answered ${response.status}: ${await response.text()}`);
      const { data } = (await response.json()) as { data: { access_token: string } };
      return { ...candidate, adminToken: data.access_token, emails: rows.map(({ email }) => String(email)) };
    } catch (error) {
      await stopCandidate(candidate);
      throw error;
    }
  } finally {
    await sql.end();
  }
}
