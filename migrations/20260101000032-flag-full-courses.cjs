const { QueryTypes } = require('sequelize');
const { addColumn, addIndex, dropColumn, dropIndex } = require('./lib/ddl.cjs');

/** Each statement locks so many courses, whose enrollments it counts. */
const batchRows = 500;

/** The statuses of enrollments that took a seat when this migration was written. */
const seatsTaken = "SELECT COUNT(*) FROM enrollments WHERE course_id = courses.id AND status IN ('pending', 'active')";

/** Flags the courses that are full, one statement a batch. It can be interrupted and repeated. */
async function flagFull({ sequelize }) {
  for (let after = ''; ; ) {
    const batch = await sequelize.query('SELECT id FROM courses WHERE id > :after ORDER BY id LIMIT :batchRows', {
      type: QueryTypes.SELECT,
      replacements: { after, batchRows },
    });
    if (batch.length === 0) return;
    const last = batch[batch.length - 1].id;
    await sequelize.query(
      `UPDATE courses SET is_full = 1 WHERE id > :after AND id <= :last AND max_students <= (${seatsTaken})`,
      { replacements: { after, last } },
    );
    after = last;
  }
}

module.exports = {
  async up(queryInterface) {
    // See src/services/capacity.ts.
    await addColumn(queryInterface, 'courses', 'is_full', { type: 'boolean', default: false });
    await flagFull(queryInterface);
    // With what decides who may see a course: there may be many full ones that aren't published.
    const columns = ['is_full', 'id', 'is_published', 'trainer_id'];
    await addIndex(queryInterface, 'courses', 'courses_is_full', columns);
  },

  async down(queryInterface) {
    await dropIndex(queryInterface, 'courses', 'courses_is_full');
    await dropColumn(queryInterface, 'courses', 'is_full');
  },
};
