import { v7 as uuidv7 } from 'uuid';
import type { Database } from './connection.js';
import { nowMsSql } from './dialect.js';

/**
 * Marks: rows with a random name that are written into the database, and must be found by each connection to its replica. A
 * position alone doesn't show that a server copies this database: it may have another one, or copy another primary that has
 * got further.
 */
interface Marks {
  /** The name of the mark, while it is new enough. */
  current(): string | undefined;
  /** Writes another one, once for all who ask meanwhile. @throws AppError where the database can't be written within a second */
  renew(): Promise<string>;
  /** From now on there is no current mark. */
  forget(): void;
}

/**
 * How long a mark is used, in milliseconds: so long a copy of the database on another server, which has the mark too, may be
 * taken for what the replica copies.
 */
const usedMs = 60_000;
/** How long it stays in the database, in milliseconds: longer than any read that needs it, whatever the clocks of its servers. */
const keptMs = 15 * 60_000;
/** How long writing may take, in milliseconds: reads wait for it, which a locked table must not stop. */
const writeMs = 1000;

/** Marks are rows beside the leases, in a table that every migrated database has. */
const prefix = 'replica ';

/** The statement that counts the rows of a mark. */
export const countMark = (mark: string): string => `SELECT COUNT(*) FROM leases WHERE name = '${prefix}${mark}'`;

async function writeMark(primary: Database): Promise<string> {
  const { sequelize } = primary;
  const mark = uuidv7();
  const now = nowMsSql(sequelize);
  const statements = [
    `DELETE FROM leases WHERE name LIKE '${prefix}%' AND expires_at < ${now}`,
    // Run again, it changes nothing.
    `INSERT INTO leases (name, owner, expires_at) VALUES ('${prefix}${mark}', '${mark}', ${now} + ${keptMs}) ON DUPLICATE KEY UPDATE owner = owner`,
  ];
  await primary.withDeadline({ all: writeMs }, async () => {
    for (const sql of statements) await primary.inStatement(() => sequelize.query(sql));
  });
  return mark;
}

/** Marks of this process in a primary. */
export function createMarks(primary: Database): Marks {
  let current: { mark: string; until: number } | undefined;
  let running: Promise<string> | undefined;

  async function renew(): Promise<string> {
    try {
      const mark = await writeMark(primary);
      current = { mark, until: performance.now() + usedMs };
      return mark;
    } finally {
      running = undefined;
    }
  }

  return {
    current: () => (current && performance.now() < current.until ? current.mark : undefined),
    renew() {
      running ??= renew();
      return running;
    },
    forget() {
      current = undefined;
    },
  };
}
