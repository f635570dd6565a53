const { addIndex, dropIndex } = require('./lib/ddl.cjs');

/** What searches and their pages need of an account besides the name that is looked up: so they read no rows. */
const rest = ['created_at', 'role', 'is_active'];

module.exports = {
  async up(queryInterface) {
    await addIndex(queryInterface, 'users', 'users_last_names', [
      'last_name_key',
      'id',
      ...rest,
      'first_name_key',
      'search_key',
    ]);
    await addIndex(queryInterface, 'users', 'users_first_names', [
      'first_name_key',
      'id',
      ...rest,
      'last_name_key',
      'search_key',
    ]);
    await dropIndex(queryInterface, 'users', 'users_last_name_key');
    await dropIndex(queryInterface, 'users', 'users_first_name_key');
    // The enrollments of the accounts that a search has found, in the order of their dates.
    await addIndex(queryInterface, 'enrollments', 'enrollments_dates', ['enrolled_at', 'id', 'user_id']);
    await dropIndex(queryInterface, 'enrollments', 'enrollments_enrolled');
  },

  async down(queryInterface) {
    await addIndex(queryInterface, 'enrollments', 'enrollments_enrolled', ['enrolled_at', 'id']);
    await dropIndex(queryInterface, 'enrollments', 'enrollments_dates');
    await addIndex(queryInterface, 'users', 'users_first_name_key', ['first_name_key', 'id']);
    await addIndex(queryInterface, 'users', 'users_last_name_key', ['last_name_key', 'id']);
    await dropIndex(queryInterface, 'users', 'users_first_names');
    await dropIndex(queryInterface, 'users', 'users_last_names');
  },
};
