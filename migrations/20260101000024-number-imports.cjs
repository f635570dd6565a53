const { QueryTypes } = require('sequelize');
const { addColumn, addIndex, dropColumn, dropIndex } = require('./lib/ddl.cjs');

const index = 'imports_number_unique';
const batchRows = 200;

/** Numbers the imports that have no number, in the order of creation. It can be interrupted and repeated. */
async function numberImports({ sequelize }) {
  const [{ last }] = await sequelize.query('SELECT COALESCE(MAX(`number`), 0) AS `last` FROM `imports`', {
    type: QueryTypes.SELECT,
  });
  for (let number = Number(last); ; ) {
    const rows = await sequelize.query(
      'SELECT `id` FROM `imports` WHERE `number` = 0 ORDER BY `created_at`, `id` LIMIT :batchRows',
      { type: QueryTypes.SELECT, replacements: { batchRows } },
    );
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => sequelize.escape(id));
    const cases = ids.map((id, place) => `WHEN ${id} THEN ${number + place + 1}`);
    await sequelize.query(
      `UPDATE \`imports\` SET \`number\` = CASE \`id\` ${cases.join(' ')} END WHERE \`id\` IN (${ids.join(', ')})`,
    );
    number += rows.length;
  }
}

module.exports = {
  async up(queryInterface) {
    // What people call an import: 1 for the first. 0 is for rows that this migration hasn't numbered yet.
    await addColumn(queryInterface, 'imports', 'number', { type: 'integer', default: 0 });
    await numberImports(queryInterface);
    await addIndex(queryInterface, 'imports', index, ['number'], { unique: true });
  },

  async down(queryInterface) {
    await dropIndex(queryInterface, 'imports', index);
    await dropColumn(queryInterface, 'imports', 'number');
  },
};
