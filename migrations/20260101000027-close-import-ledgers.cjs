const { addColumn, dropColumn } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // From then on the ledger of the import is exported and deleted: the import can't be undone or resumed.
    await addColumn(queryInterface, 'imports', 'ledger_closed_at', { type: 'timestamp', null: true });
  },

  async down(queryInterface) {
    await dropColumn(queryInterface, 'imports', 'ledger_closed_at');
  },
};
