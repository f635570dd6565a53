// @ts-check
/**
 * A connection to an SQLite file in its own thread. The library blocks the calling thread while it waits for a lock.
 * Plain JavaScript: a TypeScript loader would start slowly. CommonJS: loading ECMAScript modules takes a fifth longer.
 */
const { existsSync } = require('node:fs');
const path = require('node:path');
const { parentPort, workerData } = require('node:worker_threads');

/**
 * @typedef {import('@photostructure/sqlite').DatabaseSyncInstance} Connection
 * @typedef {import('@photostructure/sqlite').StatementSyncInstance} Statement
 * @typedef {import('./thread.js').Request} Request
 * @typedef {import('./thread.js').Reply} Reply
 */

/**
 * Loads the SQLite library. The build bundles the library, so that the published package has no dependency with an
 * install script.
 * @returns {typeof import('@photostructure/sqlite')}
 */
function loadLibrary() {
  const bundled = path.join(__dirname, '../sqlite-library/dist/index.cjs');
  return require(existsSync(bundled) ? bundled : '@photostructure/sqlite');
}

/**
 * Primary result codes of SQLite that callers handle (sqlite.org/rescode.html), with their texts. For a failed statement
 * with rows, the library gives only the text.
 * @type {readonly (readonly [number, string, RegExp])[]}
 */
const resultCodes = [
  [5, 'SQLITE_BUSY', /^database is locked$/],
  [6, 'SQLITE_LOCKED', /^database table is locked/],
  [8, 'SQLITE_READONLY', /^attempt to write a readonly database$/],
  [10, 'SQLITE_IOERR', /^disk I\/O error$/],
  [11, 'SQLITE_CORRUPT', /^database disk image is malformed$/],
  [13, 'SQLITE_FULL', /^database or disk is full$/],
  [14, 'SQLITE_CANTOPEN', /^unable to open database file$/],
  [19, 'SQLITE_CONSTRAINT', /constraint failed/],
  [26, 'SQLITE_NOTADB', /^file is not a database$/],
];

/**
 * Converts an error to a message for the main thread, with SQLite's code names, which Sequelize expects.
 * @param {unknown} error
 * @returns {NonNullable<Reply['failure']>}
 */
function failureOf(error) {
  const { message, code, errcode } = /** @type {Error & { code?: string, errcode?: number }} */ (error);
  if (code !== 'ERR_SQLITE_ERROR') return { message, code: code ?? 'SQLITE_MISUSE' };
  const [errno, name] = resultCodes.find(([number, , text]) =>
    errcode === undefined ? text.test(message) : number === (errcode & 0xff),
  ) ?? [1, 'SQLITE_ERROR'];
  return { message: `${name}: ${message}`, code: name, errno };
}

/**
 * Number of compiled statements in the cache, and maximum length of a cached statement. Long statements are seldom
 * repeated.
 */
const cachedStatements = 100;
const cachedLength = 2000;

/**
 * Compiles statements and caches the most recently used ones.
 * @param {Connection} connection
 * @returns {(sql: string) => Statement}
 */
function createCompiler(connection) {
  /** @type {Map<string, Statement>} */
  const statements = new Map();
  return (sql) => {
    const known = statements.get(sql);
    const statement = known ?? connection.prepare(sql);
    if (sql.length > cachedLength) return statement;
    if (known) statements.delete(sql);
    statements.set(sql, statement);
    const [oldest] = statements.keys();
    if (statements.size > cachedStatements && oldest !== undefined) statements.delete(oldest);
    return statement;
  };
}

/**
 * Sets the modes of the connection. WAL lets readers continue during a write; FULL makes commits survive a power failure.
 * SQLite doesn't wait for the lock under which a new file is switched to WAL, hence the loop.
 * @param {Connection} connection
 * @param {number} deadline
 */
function tune(connection, deadline) {
  for (;;) {
    try {
      connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
      return;
    } catch (error) {
      if (failureOf(error).code !== 'SQLITE_BUSY' || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10 * (1 + Math.random()));
    }
  }
}

/**
 * Returns a SHA-256 digest in hexadecimal digits. Loads node:crypto here, because few connections need it.
 * @param {unknown} text
 * @param {unknown} _bits
 */
const sha256 = (text, _bits) => require('node:crypto').createHash('sha256').update(String(text)).digest('hex');

/** @type {{ file: string, busyTimeoutMs: number }} */
const options = workerData;
let busyTimeoutMs = options.busyTimeoutMs;

function open() {
  const { DatabaseSync } = loadLibrary();
  const connection = new DatabaseSync(options.file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    // The function `SHA2` of MySQL and MariaDB, for 256 bits only.
    connection.function('sha2', { deterministic: true }, sha256);
    tune(connection, Date.now() + busyTimeoutMs);
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

/** Statements without rows. Asking the library whether a statement has rows is slow. */
const withoutRows = /^\s*(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|CREATE|DROP|ALTER)\b/i;

/**
 * @param {Connection} connection
 * @returns {() => number} reads the schema version
 */
function createVersionReader(connection) {
  const statement = connection.prepare('PRAGMA schema_version');
  statement.setReturnArrays(true);
  let version = -1;
  return () => {
    try {
      const [row] = /** @type {number[][]} */ (/** @type {unknown} */ (statement.all()));
      version = row?.[0] ?? -1;
    } catch {
      // The next statement reports why the file can't be read.
    }
    return version;
  };
}

/**
 * @param {Connection} connection
 * @returns {(request: Request) => Omit<Reply, 'inTransaction'>}
 */
function createExecutor(connection) {
  const compile = createCompiler(connection);
  const readVersion = createVersionReader(connection);
  /** @type {WeakMap<Statement, { version: number, columns: string[] }>} */
  const described = new WeakMap();

  /**
   * Returns the names of a statement's columns. Call it after the statement has run, because the table may have changed
   * since it was compiled.
   * @param {Statement} statement
   * @param {number} version
   */
  function columnsOf(statement, version) {
    const known = described.get(statement);
    if (known?.version === version) return known.columns;
    const columns = statement.columns().map(({ name }) => name);
    described.set(statement, { version, columns });
    return columns;
  }

  return ({ kind, sql, parameters, busyTimeoutMs: wanted }) => {
    if (wanted !== busyTimeoutMs) connection.exec(`PRAGMA busy_timeout = ${wanted}`);
    busyTimeoutMs = wanted;
    const statement = compile(sql);
    /** @type {any[]} The library binds names from one object, positions from several arguments. */
    const bound = Array.isArray(parameters) ? parameters : [parameters];
    if (kind === 'run' || withoutRows.test(sql)) {
      const { changes, lastInsertRowid } = statement.run(...bound);
      return { changes: Number(changes), lastID: Number(lastInsertRowid), schemaVersion: readVersion() };
    }
    // Arrays, because objects would repeat the column names in every row.
    statement.setReturnArrays(true);
    const rows = /** @type {unknown[][]} */ (/** @type {unknown} */ (statement.all(...bound)));
    const schemaVersion = readVersion();
    return rows.length === 0
      ? { schemaVersion }
      : { columns: columnsOf(statement, schemaVersion), rows, schemaVersion };
  };
}

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
try {
  const connection = open();
  const execute = createExecutor(connection);
  port.on('message', (/** @type {Request | 'close'} */ request) => {
    if (request === 'close') {
      connection.close();
      // Ends the thread, which frees the remaining memory of the connection.
      port.close();
      return;
    }
    /** @type {ReturnType<typeof execute>} */
    let reply;
    try {
      reply = execute(request);
    } catch (error) {
      reply = { failure: failureOf(error) };
    }
    port.postMessage({ ...reply, inTransaction: connection.isTransaction });
  });
  port.postMessage({ inTransaction: false });
} catch (error) {
  port.postMessage({ failure: failureOf(error), inTransaction: false });
  port.close();
}
