import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createConnection } from 'mysql2/promise';
import { v7 as uuidv7 } from 'uuid';

/** An empty database of the leg's kind: a file for SQLite, a schema of its own on the server for MySQL. */
export interface EmptyDatabase {
  /** For DATABASE_URL. */
  url: string;
  drop(): Promise<void>;
}

export const onMysql = Boolean(process.env.TEST_DATABASE_URL);

/** A folder for one test's files, below the system's temporary folder. */
export function temporaryFolder(): { path: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-'));
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Runs statements on the MySQL/MariaDB server of this leg, outside any database of coursectl's. */
export async function onServer(...statements: string[]): Promise<void> {
  const connection = await createConnection({ uri: serverUrl(), multipleStatements: false });
  try {
    for (const statement of statements) await connection.query(statement);
  } finally {
    await connection.end();
  }
}

export function serverUrl(database = ''): string {
  const url = new URL(process.env.TEST_DATABASE_URL ?? '');
  url.pathname = `/${database}`;
  return url.href;
}

export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  if (!onMysql) {
    const folder = temporaryFolder();
    return { url: `sqlite:${folder.path}/test.sqlite`, drop: async () => folder.remove() };
  }
  const name = `coursectl_test_${uuidv7().replaceAll('-', '')}`;
  await onServer(`CREATE DATABASE ${name}`);
  return { url: serverUrl(name), drop: () => onServer(`DROP DATABASE ${name}`) };
}
