const { createTable, dropTable } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // The courses whose seats were freed since it was stored whether they are full: see src/services/capacity.ts. No foreign key:
    // who frees a seat would lock the course, and wait for all who enroll.
    await createTable(queryInterface, {
      name: 'freed_seats',
      columns: { id: { type: 'id' }, course_id: { type: 'id' } },
      primaryKey: ['id'],
      indexes: { freed_seats_course: ['course_id'] },
    });
  },

  async down(queryInterface) {
    await dropTable(queryInterface, 'freed_seats');
  },
};
