/**
 * Table definitions with the same result on SQLite, MariaDB and MySQL.
 *
 * - Ids and text are `utf8mb4_bin`, fixed words `ascii_bin`: case, accents and a server's default collation
 *   change nothing. Ids aren't ascii, because comparing an ascii column with other characters is an error on MySQL.
 * - Every statement is idempotent: DDL commits by itself on MySQL, so an interrupted migration runs again.
 */
const isSqlite = (queryInterface) => queryInterface.sequelize.getDialect() === 'sqlite';

const ascii = 'CHARACTER SET ascii COLLATE ascii_bin';
const mysqlTypes = {
  id: () => 'CHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  word: (length) => `VARCHAR(${length}) ${ascii}`,
  string: (length) => `VARCHAR(${length}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  text: () => 'TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  longText: () => 'MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  integer: () => 'INTEGER',
  bigInteger: () => 'BIGINT',
  boolean: () => 'TINYINT(1)',
  date: () => 'DATE',
  timestamp: () => 'DATETIME(3)',
};
const sqliteTypes = {
  id: () => 'CHAR(36)',
  word: (length) => `VARCHAR(${length})`,
  string: (length) => `VARCHAR(${length})`,
  text: () => 'TEXT',
  longText: () => 'TEXT',
  integer: () => 'INTEGER',
  bigInteger: () => 'BIGINT',
  boolean: () => 'TINYINT(1)',
  date: () => 'DATE',
  timestamp: () => 'DATETIME',
};

/** `['string', 50]` or `'id'`, with ` NOT NULL` unless `null: true`, and a default if there is one. */
function columnSql(types, [name, { type, null: nullable = false, default: value, generated }]) {
  const [kind, length] = [type].flat();
  const sqlType = types[kind](length);
  if (generated) return `\`${name}\` ${sqlType} GENERATED ALWAYS AS (${generated}) VIRTUAL`;
  const defaultSql = value === undefined ? '' : ` DEFAULT ${typeof value === 'string' ? `'${value}'` : Number(value)}`;
  return `\`${name}\` ${sqlType}${nullable ? '' : ' NOT NULL'}${defaultSql}`;
}

const columnList = (columns) => columns.map((column) => `\`${column}\``).join(', ');

/**
 * Creates a table with its keys, checks and indexes.
 * @param table { name, columns: { [name]: { type, null?, default?, generated? } }, primaryKey: [...],
 *   unique: { [index]: [...] }, indexes: { [index]: [...] }, checks: { [constraint]: sql },
 *   foreignKeys: { [constraint]: { columns, references: [table, columns], onDelete, onUpdate? } } }
 */
async function createTable(queryInterface, table) {
  const sqlite = isSqlite(queryInterface);
  const parts = Object.entries(table.columns).map((column) => columnSql(sqlite ? sqliteTypes : mysqlTypes, column));
  parts.push(`PRIMARY KEY (${columnList(table.primaryKey)})`);
  for (const [name, check] of Object.entries(table.checks ?? {})) parts.push(`CONSTRAINT \`${name}\` CHECK (${check})`);
  for (const [name, key] of Object.entries(table.foreignKeys ?? {})) {
    const [target, targetColumns] = key.references;
    parts.push(
      `CONSTRAINT \`${name}\` FOREIGN KEY (${columnList(key.columns)}) REFERENCES \`${target}\` (${columnList(targetColumns)})` +
        ` ON DELETE ${key.onDelete} ON UPDATE ${key.onUpdate ?? 'RESTRICT'}`,
    );
  }
  const indexes = [
    ...Object.entries(table.unique ?? {}).map(([name, columns]) => ({ name, columns, kind: 'UNIQUE INDEX' })),
    ...Object.entries(table.indexes ?? {}).map(([name, columns]) => ({ name, columns, kind: 'INDEX' })),
  ];
  if (!sqlite)
    for (const index of indexes) parts.push(`${index.kind} \`${index.name}\` (${columnList(index.columns)})`);
  const options = sqlite ? '' : ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';
  await queryInterface.sequelize.query(
    `CREATE TABLE IF NOT EXISTS \`${table.name}\` (\n  ${parts.join(',\n  ')}\n)${options}`,
  );
  if (!sqlite) return;
  for (const index of indexes) {
    await queryInterface.sequelize.query(
      `CREATE ${index.kind} IF NOT EXISTS \`${index.name}\` ON \`${table.name}\` (${columnList(index.columns)})`,
    );
  }
}

/** Drops a table if it exists. */
async function dropTable(queryInterface, name) {
  await queryInterface.sequelize.query(`DROP TABLE IF EXISTS \`${name}\``);
}

/** With SQL, because Sequelize's describeTable() fails on SQLite's generated columns, which `table_info` leaves out. */
async function hasColumn(queryInterface, table, name) {
  const sql = isSqlite(queryInterface) ? `PRAGMA table_xinfo(\`${table}\`)` : `SHOW COLUMNS FROM \`${table}\``;
  const [columns] = await queryInterface.sequelize.query(sql);
  return columns.some((column) => (column.name ?? column.Field) === name);
}

/** Adds a column to a table that doesn't have it. */
async function addColumn(queryInterface, table, name, column) {
  if (await hasColumn(queryInterface, table, name)) return;
  const types = isSqlite(queryInterface) ? sqliteTypes : mysqlTypes;
  await queryInterface.sequelize.query(`ALTER TABLE \`${table}\` ADD COLUMN ${columnSql(types, [name, column])}`);
}

/** Drops a column of a table that has it. */
async function dropColumn(queryInterface, table, name) {
  if (!(await hasColumn(queryInterface, table, name))) return;
  await queryInterface.sequelize.query(`ALTER TABLE \`${table}\` DROP COLUMN \`${name}\``);
}

/** MySQL has no `IF EXISTS` for indexes. */
async function hasIndex(queryInterface, table, name) {
  const [indexes] = await queryInterface.sequelize.query(`SHOW INDEX FROM \`${table}\` WHERE Key_name = '${name}'`);
  return indexes.length > 0;
}

/** Adds an index to a table that doesn't have it. @param options { unique? } */
async function addIndex(queryInterface, table, name, columns, { unique = false } = {}) {
  const sqlite = isSqlite(queryInterface);
  if (!sqlite && (await hasIndex(queryInterface, table, name))) return;
  const unlessExists = sqlite ? 'IF NOT EXISTS ' : '';
  await queryInterface.sequelize.query(
    `CREATE ${unique ? 'UNIQUE INDEX' : 'INDEX'} ${unlessExists}\`${name}\` ON \`${table}\` (${columnList(columns)})`,
  );
}

/** Drops an index of a table that has it. */
async function dropIndex(queryInterface, table, name) {
  const sqlite = isSqlite(queryInterface);
  if (!sqlite && !(await hasIndex(queryInterface, table, name))) return;
  await queryInterface.sequelize.query(
    sqlite ? `DROP INDEX IF EXISTS \`${name}\`` : `DROP INDEX \`${name}\` ON \`${table}\``,
  );
}

/** The statements that made a table of SQLite and its indexes. */
async function sqliteDefinition(sequelize, table, transaction) {
  const [rows] = await sequelize.query(
    "SELECT type, sql FROM sqlite_master WHERE tbl_name = :table AND sql IS NOT NULL ORDER BY type = 'index', name",
    { replacements: { table }, transaction },
  );
  return rows.map(({ sql }) => sql);
}

/**
 * SQLite can't change a check: the table and those that refer to it are copied, dropped (the referring ones first, so that
 * nothing is deleted with their parent), created again and filled, in one transaction.
 */
async function rebuildOnSqlite(sequelize, { table, referring }, changed) {
  // Immediate: a transaction that begins with reading can't write when another one has written since.
  await sequelize.transaction({ type: 'IMMEDIATE' }, async (transaction) => {
    const run = (sql) => sequelize.query(sql, { transaction });
    const definitions = new Map();
    for (const name of [...referring, table]) {
      definitions.set(name, await sqliteDefinition(sequelize, name, transaction));
      await run(`CREATE TABLE \`${name}_copy\` AS SELECT * FROM \`${name}\``);
      await run(`DROP TABLE \`${name}\``);
    }
    for (const name of [table, ...referring]) {
      const [create, ...indexes] = definitions.get(name);
      await run(name === table ? changed(create) : create);
      await run(`INSERT INTO \`${name}\` SELECT * FROM \`${name}_copy\``);
      await run(`DROP TABLE \`${name}_copy\``);
      for (const index of indexes) await run(index);
    }
  });
}

/**
 * Replaces a check of a table by one with another name, unless that is done.
 * @param change { table, referring: tables with foreign keys to it, from: [name, sql], to: [name, sql] }
 */
async function replaceCheck(queryInterface, change) {
  const { sequelize } = queryInterface;
  const clause = ([name, check]) => `CONSTRAINT \`${name}\` CHECK (${check})`;
  const { table, from, to } = change;
  if (isSqlite(queryInterface)) {
    const [definition] = await sqliteDefinition(sequelize, table);
    if (!definition.includes(clause(from))) return;
    await rebuildOnSqlite(sequelize, change, (sql) => sql.replace(clause(from), clause(to)));
    return;
  }
  const [[created]] = await sequelize.query(`SHOW CREATE TABLE \`${table}\``);
  if (!created['Create Table'].includes(`\`${from[0]}\``)) return;
  await sequelize.query(`ALTER TABLE \`${table}\` DROP CONSTRAINT \`${from[0]}\`, ADD ${clause(to)}`);
}

/** SQL for "this column is one of these words". */
const oneOf = (column, words) => `\`${column}\` IN (${words.map((word) => `'${word}'`).join(', ')})`;

module.exports = { addColumn, addIndex, createTable, dropColumn, dropIndex, dropTable, hasColumn, oneOf, replaceCheck };
