const { addIndex, dropIndex } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // The accounts that must change their initial password, and those that need not, each in the order of their creation: where
    // people have signed in, few or none must.
    const columns = ['requires_password_change', 'created_at', 'id'];
    await addIndex(queryInterface, 'users', 'users_requires_password_change', columns);
  },

  async down(queryInterface) {
    await dropIndex(queryInterface, 'users', 'users_requires_password_change');
  },
};
