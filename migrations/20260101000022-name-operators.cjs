const { addColumn, dropColumn } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // Who was at the terminal: the user of the operating system.
    await addColumn(queryInterface, 'audit_entries', 'os_user', { type: ['string', 100], null: true });
  },

  async down(queryInterface) {
    await dropColumn(queryInterface, 'audit_entries', 'os_user');
  },
};
