/**
 * Creates tables with the same meaning on SQLite, MariaDB and MySQL.
 *
 * - Ids and text are `utf8mb4_bin`, fixed words `ascii_bin`. A server's default collation therefore changes nothing about
 *   case and accents. Ids aren't ascii, because MySQL refuses to compare an ascii column with other characters.
 * - Every statement can be repeated. DDL commits by itself on MySQL, so an interrupted migration runs again.
 */
const ascii = ' CHARACTER SET ascii COLLATE ascii_bin';
const unicode = ' CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';

/** `sql` is the type in SQLite, `mysql` the type in MySQL if different, `charset` the character set in MySQL. */
const types = {
  id: { sql: 'CHAR(36)', charset: unicode },
  word: { sql: 'VARCHAR', charset: ascii },
  string: { sql: 'VARCHAR', charset: unicode },
  text: { sql: 'TEXT', charset: unicode },
  longText: { sql: 'TEXT', mysql: 'MEDIUMTEXT', charset: unicode },
  integer: { sql: 'INTEGER' },
  bigInteger: { sql: 'BIGINT' },
  boolean: { sql: 'TINYINT(1)' },
  date: { sql: 'DATE' },
  timestamp: { sql: 'DATETIME', mysql: 'DATETIME(3)' },
};

const columnList = (columns) => columns.map((column) => `\`${column}\``).join(', ');

function columnSql(isSqlite, [name, { type, null: nullable = false, default: value, generated }]) {
  const [kind, length] = [type].flat();
  const { sql, mysql = sql, charset = '' } = types[kind];
  const size = length === undefined ? '' : `(${length})`;
  const typed = `\`${name}\` ${isSqlite ? sql + size : mysql + size + charset}`;
  if (generated) return `${typed} GENERATED ALWAYS AS (${generated}) VIRTUAL`;
  const defaultSql = value === undefined ? '' : ` DEFAULT ${typeof value === 'string' ? `'${value}'` : Number(value)}`;
  return `${typed}${nullable ? '' : ' NOT NULL'}${defaultSql}`;
}

function foreignKeySql([
  name,
  {
    columns,
    references: [target, targetColumns],
    onDelete,
    onUpdate = 'RESTRICT',
  },
]) {
  const references = `REFERENCES \`${target}\` (${columnList(targetColumns)}) ON DELETE ${onDelete} ON UPDATE ${onUpdate}`;
  return `CONSTRAINT \`${name}\` FOREIGN KEY (${columnList(columns)}) ${references}`;
}

/** Creates a table with its keys, checks and indexes, unless they exist. */
async function createTable({ sequelize }, table) {
  const { name, columns, primaryKey = ['id'], unique = {}, indexes = {}, checks = {}, foreignKeys = {} } = table;
  const isSqlite = sequelize.getDialect() === 'sqlite';
  const parts = [
    ...Object.entries(columns).map((column) => columnSql(isSqlite, column)),
    `PRIMARY KEY (${columnList(primaryKey)})`,
    ...Object.entries(checks).map(([check, sql]) => `CONSTRAINT \`${check}\` CHECK (${sql})`),
    ...Object.entries(foreignKeys).map(foreignKeySql),
  ];
  const indexed = [
    ...Object.entries(unique).map(([index, list]) => ({ kind: 'UNIQUE INDEX', index, list: columnList(list) })),
    ...Object.entries(indexes).map(([index, list]) => ({ kind: 'INDEX', index, list: columnList(list) })),
  ];
  // MySQL has no `IF NOT EXISTS` for indexes, and SQLite has no indexes within CREATE TABLE.
  if (!isSqlite) parts.push(...indexed.map(({ kind, index, list }) => `${kind} \`${index}\` (${list})`));
  const options = isSqlite ? '' : ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';
  await sequelize.query(`CREATE TABLE IF NOT EXISTS \`${name}\` (\n  ${parts.join(',\n  ')}\n)${options}`);
  if (!isSqlite) return;
  for (const { kind, index, list } of indexed)
    await sequelize.query(`CREATE ${kind} IF NOT EXISTS \`${index}\` ON \`${name}\` (${list})`);
}

/**
 * Returns the migration that creates a table.
 * @param table { name, columns: { [name]: { type, null?, default?, generated? } }, primaryKey: `['id']` by default,
 *   unique: { [index]: [...] }, indexes: { [index]: [...] }, checks: { [constraint]: sql }, foreignKeys: { [constraint]:
 *   { columns, references: [table, columns], onDelete, onUpdate? } } }
 */
const tableMigration = (table) => ({
  up: (queryInterface) => createTable(queryInterface, table),
  down: ({ sequelize }) => sequelize.query(`DROP TABLE IF EXISTS \`${table.name}\``),
});

/** Returns SQL for "the column is one of these words". */
const oneOf = (column, words) => `\`${column}\` IN (${words.map((word) => `'${word}'`).join(', ')})`;

module.exports = { oneOf, tableMigration };
