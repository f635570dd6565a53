const { QueryTypes } = require('sequelize');
const { addColumn, addIndex, dropColumn, dropIndex } = require('./lib/ddl.cjs');
const { sortKey } = require('./lib/sort-key.cjs');

/** The texts that have keys to sort by, with the characters that they may have. */
const sorted = {
  users: { last_name: 50, first_name: 50 },
  courses: { title: 200, category: 100 },
};

// The database looks through all of a statement for each row.
const batchRows = 200;

const keyOf = (column) => `${column}_key`;

/** Rows of a table whose keys aren't right, with the right ones. */
function wrongRows(columns, rows) {
  return rows.flatMap((row) => {
    const keys = Object.entries(columns).map(([column, most]) => [
      keyOf(column),
      row[column] === null ? null : sortKey(row[column], most),
    ]);
    return keys.every(([key, value]) => row[key] === value) ? [] : [{ id: row.id, keys: Object.fromEntries(keys) }];
  });
}

/** Writes the keys of a table's rows, one statement a batch. It can be interrupted and repeated. */
async function makeKeys({ sequelize }, table, columns) {
  const names = Object.keys(columns);
  const selected = [...names, ...names.map(keyOf)].map((name) => `\`${name}\``).join(', ');
  for (let after = ''; ; ) {
    const rows = await sequelize.query(
      `SELECT \`id\`, ${selected} FROM \`${table}\` WHERE \`id\` > :after ORDER BY \`id\` LIMIT :batchRows`,
      { type: QueryTypes.SELECT, replacements: { after, batchRows } },
    );
    const wrong = wrongRows(columns, rows);
    if (wrong.length > 0) {
      const cases = names.map(keyOf).map((key) => {
        const values = wrong.map(({ id, keys }) => `WHEN ${sequelize.escape(id)} THEN ${sequelize.escape(keys[key])}`);
        return `\`${key}\` = CASE \`id\` ${values.join(' ')} ELSE \`${key}\` END`;
      });
      const ids = wrong.map(({ id }) => sequelize.escape(id)).join(', ');
      await sequelize.query(`UPDATE \`${table}\` SET ${cases.join(', ')} WHERE \`id\` IN (${ids})`);
    }
    if (rows.length < batchRows) return;
    after = rows[rows.length - 1].id;
  }
}

module.exports = {
  async up(queryInterface) {
    // Names and titles in the order of a dictionary: see src/schemas/sort-key.ts. A key has the folded text, two spaces, the text.
    for (const [table, columns] of Object.entries(sorted)) {
      for (const [column, most] of Object.entries(columns)) {
        // As long as the texts: courses without a category have none.
        const rest = column === 'category' ? { null: true } : { default: '' };
        await addColumn(queryInterface, table, keyOf(column), { type: ['string', 2 * most + 2], ...rest });
      }
      await makeKeys(queryInterface, table, columns);
    }
    await addIndex(queryInterface, 'users', 'users_last_name_key', ['last_name_key', 'id']);
    await addIndex(queryInterface, 'users', 'users_first_name_key', ['first_name_key', 'id']);
    await addIndex(queryInterface, 'courses', 'courses_published_title_key', ['is_published', 'title_key', 'id']);
    await addIndex(queryInterface, 'courses', 'courses_published_category_key', ['is_published', 'category_key', 'id']);
    await dropIndex(queryInterface, 'users', 'users_last_name');
    await dropIndex(queryInterface, 'courses', 'courses_published_title');
    // The one on categories stays: the list of categories is made of it.
  },

  async down(queryInterface) {
    await addIndex(queryInterface, 'courses', 'courses_published_title', ['is_published', 'title', 'id']);
    await addIndex(queryInterface, 'users', 'users_last_name', ['last_name', 'id']);
    await dropIndex(queryInterface, 'courses', 'courses_published_category_key');
    await dropIndex(queryInterface, 'courses', 'courses_published_title_key');
    await dropIndex(queryInterface, 'users', 'users_first_name_key');
    await dropIndex(queryInterface, 'users', 'users_last_name_key');
    for (const [table, columns] of Object.entries(sorted))
      for (const column of Object.keys(columns).reverse()) await dropColumn(queryInterface, table, keyOf(column));
  },
};
