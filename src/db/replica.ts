import type { MysqlConfig } from '../config/config.js';
import { isAppError } from '../errors.js';
import { type Database, openDatabase } from './connection.js';
import { plainSelect } from './plain-select.js';

/** A server that copies the database from its primary, for reads. */
export interface Replica {
  /**
   * The replica, once it has all that the primary had committed when this was called; nothing where it doesn't get that far in
   * half a second, or can't be used: then read from the primary.
   * @throws AppError where the primary fails
   */
  caughtUp(): Promise<Database | undefined>;
  /**
   * To be told of a failure while it was read: after a fault of the server it isn't used for a while.
   * @returns whether it was one, so that the primary may have the answer
   */
  failed(error: unknown): boolean;
  /** Why it isn't used; nothing while it is. */
  problem(): string | undefined;
  close(): Promise<void>;
}

/** How far a server is, and whether another one got there. */
interface Positions {
  /** Of the primary: what it has committed, as the server calls it. */
  latest: string;
  /** Of the replica: waits for a position for so many seconds. The result is 0 when it got there. */
  wait: string;
}

/** How long a reader waits for the replica at most, in seconds. */
const longestWait = 0.5;
/** How long the question may take, with a connection that must be made first, in milliseconds. */
const askMs = 1000;
/** How long a replica that failed, or was behind, isn't asked, in milliseconds. */
const pauseMs = 5000;

const ofMariadb: Positions = {
  latest: 'SELECT @@GLOBAL.gtid_binlog_pos',
  wait: `SELECT MASTER_GTID_WAIT(?, ${longestWait})`,
};
const ofMysql: Positions = {
  latest: 'SELECT @@GLOBAL.gtid_executed',
  wait: `SELECT WAIT_FOR_EXECUTED_GTID_SET(?, ${longestWait})`,
};

async function oneValue({ sequelize }: Database, sql: string, values: readonly string[] = []): Promise<string> {
  const [row] = await plainSelect(sequelize, sql, { values });
  return String(row?.[0] ?? '');
}

/** Asks at most once at a time: those who come meanwhile share the next answer, which is newer than their question. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const begin = () => {
    const asked = ask().finally(() => {
      running = undefined;
    });
    running = asked;
    return asked;
  };
  return () => {
    if (!running) return begin();
    const afterIt = () => {
      next = undefined;
      return begin();
    };
    next ??= running.then(afterIt, afterIt);
    return next;
  };
}

/**
 * Opens a replica. Nothing is sent until it is asked for.
 * @param onChange told why it isn't used from now on, and with nothing when it is again
 */
export function openReplica(
  primary: Database,
  settings: MysqlConfig,
  onChange: (reason: string | undefined) => void,
): Replica {
  const database = openDatabase(settings);
  let positions: Promise<Positions> | undefined;
  /** The position that it is known to have. */
  let reached = '';
  /** Why it isn't used. */
  let problem: string | undefined;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let isAsked = false;

  function pause(reason: string): void {
    if (problem === undefined) onChange(reason);
    problem = reason;
    // It may come back without what it had.
    reached = '';
    pausedUntil = performance.now() + pauseMs;
  }

  /** @throws AppError where the primary fails */
  async function positionsOf(): Promise<Positions> {
    const version = await primary.read(() => oneValue(primary, 'SELECT VERSION()'));
    return /mariadb/i.test(version) ? ofMariadb : ofMysql;
  }

  function known(): Promise<Positions> {
    positions ??= positionsOf().catch((error: unknown) => {
      positions = undefined;
      throw error;
    });
    return positions;
  }

  const latest = shared(async () => {
    const { latest: sql } = await known();
    return primary.read(() => oneValue(primary, sql));
  });

  /** Why it isn't there within half a second; nothing when it is. */
  async function whyNotAt(position: string): Promise<string | undefined> {
    if (position === '') return 'the primary has no binary log with GTIDs';
    const { wait } = await known();
    try {
      const ask = () => database.read(() => oneValue(database, wait, [position]));
      const answer = await database.withDeadline({ all: askMs }, ask);
      return answer === '0' ? undefined : 'it is more than half a second behind its primary, or has stopped';
    } catch (error) {
      if (!isAppError(error)) throw error;
      return error.message;
    }
  }

  return {
    async caughtUp() {
      // After a fault one reader at a time looks whether it is back.
      if (problem !== undefined && (isAsked || performance.now() < pausedUntil)) return undefined;
      isAsked = true;
      try {
        const position = await latest();
        const reason = position !== '' && position === reached ? undefined : await whyNotAt(position);
        if (reason !== undefined) {
          pause(reason);
          return undefined;
        }
        reached = position;
        if (problem !== undefined) onChange(undefined);
        problem = undefined;
        return database;
      } finally {
        isAsked = false;
      }
    },
    failed(error) {
      if (!isAppError(error)) return false;
      const { code, message } = error;
      if (code !== 'OVERLOADED' && code !== 'SCHEMA_OUTDATED' && !code.startsWith('DATABASE_')) return false;
      pause(message);
      return true;
    },
    problem: () => problem,
    close: () => database.close(),
  };
}
