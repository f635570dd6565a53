import { QueryTypes } from 'sequelize';
import type { Database } from '../connection.js';
import { isSqlite } from '../dialect.js';

export interface TableSize {
  name: string;
  rows: number;
  /** Includes indexes on MySQL and MariaDB; on SQLite only the values. */
  bytes: number;
}

/** Number of rows read on SQLite to estimate their length, which SQLite doesn't report. */
const sampledRows = 20;

/**
 * Estimates the sizes of tables without counting rows. MySQL and MariaDB have statistics. On SQLite, row numbers give the
 * count and a sample gives the length, so gaps left by deleted rows count as rows.
 */
export async function tableSizes(database: Database, names: readonly string[]): Promise<TableSize[]> {
  const { sequelize } = database;
  if (isSqlite(sequelize)) {
    const sizes: TableSize[] = [];
    for (const name of names) sizes.push(await database.read(() => sizeOnSqlite(database, name)));
    return sizes;
  }
  const sql =
    'SELECT TABLE_NAME AS name, TABLE_ROWS AS row_count, DATA_LENGTH + INDEX_LENGTH AS bytes FROM information_schema.TABLES ' +
    'WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (:names)';
  const found = await database.read(() =>
    sequelize.query<{ name: string; row_count: number | string; bytes: number | string }>(sql, {
      replacements: { names },
      type: QueryTypes.SELECT,
    }),
  );
  const sizes = new Map(found.map((row) => [row.name, { rows: Number(row.row_count), bytes: Number(row.bytes) }]));
  return names.flatMap((name) => {
    const size = sizes.get(name);
    return size ? { name, ...size } : [];
  });
}

async function sizeOnSqlite({ sequelize }: Database, name: string): Promise<TableSize> {
  // Two subqueries, because SQLite finds a single minimum or maximum without a scan.
  const [ends] = await sequelize.query<{ first: number | null; last: number | null }>(
    `SELECT (SELECT MIN(rowid) FROM ${name}) AS first, (SELECT MAX(rowid) FROM ${name}) AS last`,
    { type: QueryTypes.SELECT },
  );
  if (!ends || ends.first === null || ends.last === null) return { name, rows: 0, bytes: 0 };
  const rows = ends.last - ends.first + 1;
  const sample = await sequelize.query<Record<string, unknown>>(
    `SELECT * FROM ${name} ORDER BY rowid DESC LIMIT ${sampledRows}`,
    { type: QueryTypes.SELECT },
  );
  const lengths = sample.flatMap((row) => Object.values(row).map((value) => Buffer.byteLength(String(value ?? ''))));
  const bytes = lengths.reduce((sum, length) => sum + length, 0);
  return { name, rows, bytes: Math.round((bytes / Math.max(sample.length, 1)) * rows) };
}
