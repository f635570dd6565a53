const { addColumn, dropColumn } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // Incremented by transactions that rely on the account, so that of two concurrent ones one fails, on a cluster too.
    await addColumn(queryInterface, 'users', 'lock_version', { type: 'integer', default: 0 });
  },

  async down(queryInterface) {
    await dropColumn(queryInterface, 'users', 'lock_version');
  },
};
