import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import type { Timing } from './figures.js';

export interface PlainSql {
  /** Variants of the queries for a page of a trainer's enrollments and their count, by name. */
  variants: Record<string, () => Promise<Timing>>;
  /** Returns the expected page: the ids in order, and the count. */
  expected(): Promise<{ ids: string[]; totalItems: number }>;
  close(): Promise<void>;
}

const columns = `
  e.id, e.user_id, e.course_id, e.status, e.progress, e.notes, e.enrolled_at, e.completed_at,
  u.id AS uid, u.first_name, u.last_name, u.email, u.avatar, c.id AS cid, c.title, c.description, c.thumbnail`;
const joins = 'JOIN users u ON u.id = e.user_id JOIN courses c ON c.id = e.course_id';
const countSql = 'SELECT COUNT(*) AS total FROM enrollments WHERE trainer_id = ?';
const joined = `SELECT ${columns} FROM enrollments e ${joins}
  WHERE e.trainer_id = ? ORDER BY e.enrolled_at DESC, e.id DESC LIMIT 20`;
/** A deferred join: first the ids from the index, then the rows of the page. */
const idsFirst = (extra = '') => `SELECT ${columns}${extra} FROM (
    SELECT id FROM enrollments WHERE trainer_id = ? ORDER BY enrolled_at DESC, id DESC LIMIT 20
  ) page JOIN enrollments e ON e.id = page.id ${joins} ORDER BY e.enrolled_at DESC, e.id DESC`;
const inOne = idsFirst(`, (${countSql}) AS total`);

/** Opens two connections of the driver for plain SQL. */
export async function openPlainSql(databaseUrl: string, trainerId: string): Promise<PlainSql> {
  const connect = () => createConnection({ uri: databaseUrl, timezone: 'Z' });
  const [first, second] = await Promise.all([connect(), connect()]);
  const rows = (connection: Connection, sql: string, values = [trainerId]) =>
    connection.query<RowDataPacket[]>(sql, values);
  const prepared = (connection: Connection, sql: string, values = [trainerId]) =>
    connection.execute<RowDataPacket[]>(sql, values);
  const asked: Record<string, () => Promise<unknown>> = {
    'join, then count': async () => [await rows(first, joined), await rows(first, countSql)],
    'join beside count': () => Promise.all([rows(first, joined), rows(second, countSql)]),
    'ids first, then count': async () => [await rows(first, idsFirst()), await rows(first, countSql)],
    'ids first beside count': () => Promise.all([rows(first, idsFirst()), rows(second, countSql)]),
    'ids first beside count, prepared': () => Promise.all([prepared(first, idsFirst()), prepared(second, countSql)]),
    'all in one statement': () => rows(first, inOne, [trainerId, trainerId]),
  };
  const timed = (ask: () => Promise<unknown>) => async () => {
    const startedAt = performance.now();
    await ask();
    const clientMs = performance.now() - startedAt;
    return { serverMs: clientMs, clientMs };
  };
  return {
    variants: Object.fromEntries(Object.entries(asked).map(([name, ask]) => [name, timed(ask)])),
    async expected() {
      const [page] = await rows(first, joined);
      const [[count]] = await rows(first, countSql);
      return { ids: page.map(({ id }) => String(id)), totalItems: Number(count?.total) };
    },
    async close() {
      await Promise.all([first.end(), second.end()]);
    },
  };
}
