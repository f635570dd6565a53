const { addColumn, addIndex, dropColumn, dropIndex, hasColumn } = require('./lib/ddl.cjs');

const table = 'users';
const column = 'phone_key';
const index = 'users_phone_key_unique';
/** Holds the keys on SQLite, which can't change a column, while it is made anew. */
const copy = 'phone_key_copy';

const isNullable = async ({ sequelize }) => {
  const [columns] = await sequelize.query(
    sequelize.getDialect() === 'sqlite' ? `PRAGMA table_info(\`${table}\`)` : `SHOW COLUMNS FROM \`${table}\``,
  );
  const found = columns.find(({ name, Field }) => (name ?? Field) === column);
  return found !== undefined && (found.notnull === 0 || found.Null === 'YES');
};

/** Lets the key be null, or not. Each step is left out where it was done before. */
async function setNullable(queryInterface, nullable) {
  const { sequelize } = queryInterface;
  const run = (sql) => sequelize.query(sql);
  if (sequelize.getDialect() !== 'sqlite') {
    const type = 'VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';
    await run(`ALTER TABLE \`${table}\` MODIFY \`${column}\` ${type} ${nullable ? 'NULL' : 'NOT NULL'}`);
    return;
  }
  if (await hasColumn(queryInterface, table, column)) {
    if ((await isNullable(queryInterface)) === nullable) return;
    // A column that isn't nullable needs a default.
    await addColumn(queryInterface, table, copy, {
      type: ['string', 50],
      null: nullable,
      ...(!nullable && { default: '' }),
    });
    await run(`UPDATE \`${table}\` SET \`${copy}\` = \`${column}\``);
    await dropIndex(queryInterface, table, index);
    await dropColumn(queryInterface, table, column);
  }
  await run(`ALTER TABLE \`${table}\` RENAME COLUMN \`${copy}\` TO \`${column}\``);
  await addIndex(queryInterface, table, index, [column], { unique: true });
}

module.exports = {
  async up(queryInterface) {
    // The key of accounts without a phone is null: there may be several of them.
    await setNullable(queryInterface, true);
  },

  async down(queryInterface) {
    // Each needs a key of its own, which no phone has.
    await queryInterface.sequelize.query(`UPDATE \`${table}\` SET \`${column}\` = id WHERE \`${column}\` IS NULL`);
    await setNullable(queryInterface, false);
  },
};
