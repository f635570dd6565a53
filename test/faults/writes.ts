import { randomUUID } from 'node:crypto';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { Call, Outcome } from './clients.js';

/** Courses that were asked for, to be counted afterwards. */
export interface Writes {
  next(): Call & { done(outcome: Outcome): void };
  /** How the table compares with what was answered. */
  compare(databaseUrl: string): Promise<{ answered: number; missing: number; doubled: number; unanswered: number }>;
}

/** Writes that can be told from each other; none is sent twice. */
export function recordWrites(token: string): Writes {
  const answered = new Set<string>();
  return {
    next() {
      const title = `Written ${randomUUID()}`;
      return {
        ...{ method: 'POST', path: '/api/courses', token, body: { title, description: 'To be found again.' } },
        done({ status }) {
          if (status === 201) answered.add(title);
        },
      };
    },
    async compare(databaseUrl) {
      const connection = await createConnection(databaseUrl);
      const [rows] = await connection.query<RowDataPacket[]>("SELECT title FROM courses WHERE title LIKE 'Written %'");
      await connection.end();
      const found = new Map<string, number>();
      for (const { title } of rows as { title: string }[]) found.set(title, (found.get(title) ?? 0) + 1);
      return {
        answered: answered.size,
        missing: [...answered].filter((title) => !found.has(title)).length,
        doubled: [...found.values()].filter((count) => count > 1).length,
        unanswered: [...found.keys()].filter((title) => !answered.has(title)).length,
      };
    },
  };
}
