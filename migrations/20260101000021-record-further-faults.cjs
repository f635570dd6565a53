const { addColumn, dropColumn } = require('./lib/ddl.cjs');

const tables = ['import_rows', 'import_plan_rows'];

module.exports = {
  async up(queryInterface) {
    // The codes of the further faults of a row, each between spaces: rows are found by any of their codes.
    for (const table of tables)
      await addColumn(queryInterface, table, 'other_codes', { type: ['word', 255], null: true });
  },

  async down(queryInterface) {
    for (const table of tables) await dropColumn(queryInterface, table, 'other_codes');
  },
};
