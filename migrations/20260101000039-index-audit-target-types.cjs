const { addIndex, dropIndex } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // The entries about one kind of thing, newest first: few are about imports or addresses.
    const columns = ['target_type', 'at', 'id'];
    await addIndex(queryInterface, 'audit_entries', 'audit_entries_target_type', columns);
  },

  async down(queryInterface) {
    await dropIndex(queryInterface, 'audit_entries', 'audit_entries_target_type');
  },
};
