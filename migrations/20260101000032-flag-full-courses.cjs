const { QueryTypes } = require('sequelize');
const { addColumn, addIndex, dropColumn, dropIndex } = require('./lib/ddl.cjs');

/** Each statement locks so many courses, whose enrollments it counts. */
const batchRows = 500;

/** The statuses of enrollments that took a seat when this migration was written. */
const seatsTaken = "SELECT COUNT(*) FROM enrollments WHERE course_id = courses.id AND status IN ('pending', 'active')";

/** Clears the flag of the courses that aren't full, one statement a batch. It can be interrupted and repeated. */
async function clearFlags({ sequelize }) {
  for (let after = ''; ; ) {
    const batch = await sequelize.query('SELECT id FROM courses WHERE id > :after ORDER BY id LIMIT :batchRows', {
      type: QueryTypes.SELECT,
      replacements: { after, batchRows },
    });
    if (batch.length === 0) return;
    const last = batch[batch.length - 1].id;
    await sequelize.query(
      'UPDATE courses SET may_be_full = 0 WHERE id > :after AND id <= :last AND may_be_full = 1 ' +
        `AND (max_students IS NULL OR max_students > (${seatsTaken}))`,
      { replacements: { after, last } },
    );
    after = last;
  }
}

module.exports = {
  async up(queryInterface) {
    // Set for every course that is full: see src/services/capacity.ts. Set by default, so that a course that another program
    // writes is counted, and the migration may be interrupted.
    await addColumn(queryInterface, 'courses', 'may_be_full', { type: 'boolean', default: true });
    await clearFlags(queryInterface);
    // With what decides who may see a course: there may be many full ones that aren't published.
    const columns = ['may_be_full', 'id', 'is_published', 'trainer_id'];
    await addIndex(queryInterface, 'courses', 'courses_may_be_full', columns);
  },

  async down(queryInterface) {
    await dropIndex(queryInterface, 'courses', 'courses_may_be_full');
    await dropColumn(queryInterface, 'courses', 'may_be_full');
  },
};
