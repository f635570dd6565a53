import { AsyncLocalStorage } from 'node:async_hooks';
import { escape as quoted } from 'sql-escaper';
import type { MysqlConfig } from '../config/config.js';
import { AppError, isAppError } from '../errors.js';
import { type Database, openDatabase } from './connection.js';
import { plainSelect } from './plain-select.js';
import { countMark, createMarks } from './replica-mark.js';
import { checkConnections } from './sequelize-patches/mysql.js';

/** A server that copies the database from its primary, for reads. */
export interface Replica {
  /**
   * Reads the replica with all that the primary had committed when this was called.
   * @param work reads this database, and changes nothing: it may be done again on the primary
   * @returns nothing where the replica doesn't get that far in half a second, takes more than 1.5 s, fails, or has failed
   *   lately: then read from the primary
   * @throws AppError where the primary fails; what `work` throws, unless it is a fault of the replica
   */
  read<R>(work: (database: Database) => Promise<R>): Promise<{ result: R } | undefined>;
  /** Reads each of its tables, unless it isn't asked for a while. @returns why it isn't used; nothing while it is */
  problem(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** What the primary had committed at a moment. */
interface Position {
  /** As the server writes it. */
  text: string;
  /** Greater than those of earlier positions. */
  number: number;
}

/** What a server must have to be read. */
interface Target {
  position: Position;
  /** A mark that the primary had at the position. */
  mark: string;
}

/** The statements that tell how far a server is. */
interface Statements {
  /** Of the primary: what it has committed, as the server calls it. */
  latest: string;
  /** Of the replica: waits for a position, which is quoted, for so many seconds. The result is 0 when it got there. */
  wait: (position: string) => string;
}

/** How long a reader waits for the replica at most, in seconds. */
const longestWait = 0.5;
/** How long a read may use the replica, in milliseconds: as much is left to the primary when it doesn't answer. */
const readMs = 1500;
/** How long it may take to answer the simplest question, in milliseconds. */
const answerMs = 500;
/** How long a replica that failed, or was behind, isn't asked, in milliseconds. */
const pauseMs = 5000;

const ofMariadb: Statements = {
  latest: 'SELECT @@GLOBAL.gtid_binlog_pos',
  wait: (position) => `SELECT MASTER_GTID_WAIT(${position}, ${longestWait})`,
};
const ofMysql: Statements = {
  latest: 'SELECT @@GLOBAL.gtid_executed',
  wait: (position) => `SELECT WAIT_FOR_EXECUTED_GTID_SET(${position}, ${longestWait})`,
};

async function oneValue({ sequelize }: Database, sql: string): Promise<string> {
  const [row] = await plainSelect(sequelize, sql);
  return String(row?.[0] ?? '');
}

/** Whether an error is an answer that the primary would give as well: not that a server failed, was late or differs. */
function isAnswer(error: unknown): boolean {
  if (!isAppError(error)) return false;
  const { code } = error;
  return code !== 'OVERLOADED' && code !== 'SCHEMA_OUTDATED' && !code.startsWith('DATABASE_');
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

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const nameOf = ({ settings }: Database): string => (settings.dialect === 'mysql' ? settings.name : settings.file);

const notACopy = ({ name }: MysqlConfig, primary: Database): string =>
  `its database "${name}" lacks what was just written to the database "${nameOf(primary)}", so it is no copy of it. Check the server and the name in DATABASE_READ_URL, and from which server and database it copies.`;

/**
 * Opens a replica. Nothing is sent until it is asked for.
 * @param onChange told why it isn't used from now on, and with nothing when it is again
 */
export function openReplica(
  primary: Database,
  settings: MysqlConfig,
  onChange: (reason: string | undefined) => void,
): Replica {
  const database = openDatabase({ ...settings, isReplica: true });
  const marks = createMarks(primary);
  let statements: Promise<Statements> | undefined;
  let newest: Position = { text: '', number: 0 };
  /** What the calling read needs. */
  const needed = new AsyncLocalStorage<Target>();
  /**
   * What the server of a connection is known to have. Another connection may lead to another server: one that replaces the
   * first, or the same one with older data.
   */
  const reached = new WeakMap<object, Target>();
  /** Why it isn't used. */
  let problem: string | undefined;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let isProbing = false;

  function pause(reason: string): void {
    if (problem === undefined) onChange(reason);
    problem = reason;
    // Its data may be restored meanwhile, without what it had: each connection is looked at again.
    marks.forget();
    pausedUntil = performance.now() + pauseMs;
  }

  /** @throws AppError where the primary fails */
  async function askForStatements(): Promise<Statements> {
    const version = await primary.read(() => oneValue(primary, 'SELECT VERSION()'));
    return /mariadb/i.test(version) ? ofMariadb : ofMysql;
  }

  function known(): Promise<Statements> {
    statements ??= askForStatements().catch((error: unknown) => {
      statements = undefined;
      throw error;
    });
    return statements;
  }

  const latest = shared(async () => {
    const { latest: sql } = await known();
    const text = await primary.read(() => oneValue(primary, sql));
    if (text !== newest.text) newest = { text, number: newest.number + 1 };
    return newest;
  });

  checkConnections(database.sequelize, async (connection, ask) => {
    const target = needed.getStore();
    if (!target) return;
    const { position, mark } = target;
    const had = reached.get(connection);
    const isMarked = had?.mark === mark;
    if (isMarked && had.position.number >= position.number) return;
    const { wait } = await known();
    if ((await ask(wait(quoted(position.text)))) !== '0')
      throw new AppError('DATABASE_UNREACHABLE', 'it is more than half a second behind its primary, or has stopped');
    if (!isMarked && (await ask(countMark(mark))) !== '1')
      throw new AppError('DATABASE_UNUSABLE', notACopy(settings, primary));
    reached.set(connection, target);
  });

  /** @returns nothing where the replica can't be used, because of the primary @throws AppError where the primary fails */
  async function targetNow(): Promise<Target | undefined> {
    // Older than the position, so that a server that has that has the mark.
    const mark = marks.current();
    const position = await latest();
    if (position.text === '') {
      pause('the primary has no binary log with GTIDs');
      return undefined;
    }
    if (mark !== undefined) return { position, mark };
    let added: string;
    try {
      added = await marks.renew();
    } catch (error) {
      pause(`the primary can't be written, so nothing shows that it is copied: ${reasonOf(error)}`);
      return undefined;
    }
    return { position: await latest(), mark: added };
  }

  /** Whether the server answers at all. */
  async function answers(): Promise<boolean> {
    try {
      await database.withDeadline({ all: answerMs }, () => database.read(() => oneValue(database, 'SELECT 1')));
      return true;
    } catch {
      // Whatever the fault is: nothing is simpler to answer.
      return false;
    }
  }

  /** Reads a server that has all of the target. @returns nothing after a fault of the replica, and where reading takes too long */
  async function readAt<R>(target: Target, work: (database: Database) => Promise<R>) {
    const startedAt = performance.now();
    try {
      const result = await database.withDeadline({ all: readMs }, () => needed.run(target, () => work(database)));
      return { result };
    } catch (error) {
      // Any other fault is found on the primary as well, unless it is the replica's alone.
      if (isAnswer(error)) throw error;
      // A slow query must not take the replica from all others.
      if (performance.now() - startedAt >= readMs && (await answers())) return undefined;
      pause(reasonOf(error));
      return undefined;
    }
  }

  /** As {@link readAt}, after a fault: whether it is back. */
  async function probe<R>(target: Target, work: (database: Database) => Promise<R>) {
    const before = pausedUntil;
    try {
      // Asked first: not all work does so before it fails by itself.
      return await readAt(target, async (replica) => {
        await replica.read(() => oneValue(replica, 'SELECT 1'));
        return work(replica);
      });
    } finally {
      // Not where it was paused again.
      if (pausedUntil === before) {
        problem = undefined;
        onChange(undefined);
      }
    }
  }

  async function read<R>(work: (database: Database) => Promise<R>): Promise<{ result: R } | undefined> {
    if (problem === undefined) {
      const target = await targetNow();
      return target && readAt(target, work);
    }
    // After a fault one reader at a time looks whether it is back.
    if (isProbing || performance.now() < pausedUntil) return undefined;
    isProbing = true;
    try {
      const target = await targetNow();
      return target && (await probe(target, work));
    } finally {
      isProbing = false;
    }
  }

  return {
    read,
    async problem() {
      await read(async (replica) => {
        const tables = Object.values(replica.models).map((model) => model.tableName);
        for (const table of tables)
          await replica.read(() => plainSelect(replica.sequelize, `SELECT 1 FROM \`${table}\` LIMIT 1`));
      });
      return problem;
    },
    close: () => database.close(),
  };
}
