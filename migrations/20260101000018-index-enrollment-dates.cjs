const { addIndex, dropIndex } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // All enrollments, and those of a status, by their dates: the overview counts them by week, the listing sorts them.
    await addIndex(queryInterface, 'enrollments', 'enrollments_enrolled', ['enrolled_at', 'id']);
    await addIndex(queryInterface, 'enrollments', 'enrollments_status_enrolled', ['status', 'enrolled_at', 'id']);
    await dropIndex(queryInterface, 'enrollments', 'enrollments_status');
    // The storage in use by kind of file, from the index alone.
    await addIndex(queryInterface, 'files', 'files_usage', ['state', 'kind', 'bytes']);
  },

  async down(queryInterface) {
    await dropIndex(queryInterface, 'files', 'files_usage');
    await addIndex(queryInterface, 'enrollments', 'enrollments_status', ['status', 'id']);
    await dropIndex(queryInterface, 'enrollments', 'enrollments_status_enrolled');
    await dropIndex(queryInterface, 'enrollments', 'enrollments_enrolled');
  },
};
