import { randomUUID } from 'node:crypto';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { Call, Outcome } from './clients.js';
import type { Verdict } from './report.js';

/** Recorded writes of courses, to be compared with the database afterwards. */
export interface Writes {
  next(): Call & { done(outcome: Outcome & { text: string }): void };
  /** Returns the number of writes answered 201 so far. */
  answered(): number;
  /** Compares the tables with the responses. */
  compare(databaseUrl: string): Promise<Comparison>;
}

export interface Comparison {
  answered: number;
  /** Answered writes without a row of the answered id. */
  missing: number;
  doubled: number;
  /** Rows without exactly one audit entry. */
  unaudited: number;
  /** Rows whose write was not answered 201. */
  unanswered: number;
}

/** Returns a verdict on whether each answered write is stored once. */
export function storedOnceVerdict(promised: string, compared: Comparison): Verdict {
  const { answered, missing, doubled, unaudited, unanswered } = compared;
  return {
    promised,
    measured: `${answered} answered, ${missing} missing, ${doubled} doubled, ${unaudited} not audited once; ${unanswered} stored without a 201`,
    kept: answered > 0 && missing + doubled + unaudited === 0,
  };
}

/** Records distinct writes, each sent once. */
export function recordWrites(token: string): Writes {
  /** Answered ids by title. */
  const answered = new Map<string, string>();
  return {
    next() {
      const title = `Written ${randomUUID()}`;
      return {
        method: 'POST',
        path: '/api/courses',
        token,
        body: { title, description: 'To be found again.' },
        done({ status, text }) {
          if (status === 201) answered.set(title, (JSON.parse(text) as { course: { id: string } }).course.id);
        },
      };
    },
    answered: () => answered.size,
    async compare(databaseUrl) {
      const connection = await createConnection(databaseUrl);
      const [rows] = await connection.query<RowDataPacket[]>(
        `SELECT id, title, (SELECT COUNT(*) FROM audit_entries WHERE target_id = courses.id AND action = 'course.create') AS audited
         FROM courses WHERE title LIKE 'Written %'`,
      );
      await connection.end();
      const found = new Map<string, string[]>();
      for (const { id, title } of rows as { id: string; title: string }[])
        found.set(title, [...(found.get(title) ?? []), id]);
      return {
        answered: answered.size,
        missing: [...answered].filter(([title, id]) => !found.get(title)?.includes(id)).length,
        doubled: [...found.values()].filter((ids) => ids.length > 1).length,
        unaudited: rows.filter(({ audited }) => Number(audited) !== 1).length,
        unanswered: [...found.keys()].filter((title) => !answered.has(title)).length,
      };
    },
  };
}
