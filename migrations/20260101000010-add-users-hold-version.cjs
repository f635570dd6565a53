const { addColumn, dropColumn } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // Changed by whoever relies on the account, so that of two at once one fails, on every kind of cluster.
    await addColumn(queryInterface, 'users', 'hold_version', { type: 'integer', default: 0 });
  },

  async down(queryInterface) {
    await dropColumn(queryInterface, 'users', 'hold_version');
  },
};
