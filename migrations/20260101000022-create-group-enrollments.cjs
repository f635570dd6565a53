const { tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  // Enrollments that a roster has made. When a person leaves the roster, these enrollments end.
  name: 'group_enrollments',
  columns: {
    enrollment_id: { type: 'id' },
    group_id: { type: 'id' },
  },
  primaryKey: ['enrollment_id', 'group_id'],
  indexes: {
    group_enrollments_group: ['group_id', 'enrollment_id'],
  },
  foreignKeys: {
    group_enrollments_enrollment_fk: {
      columns: ['enrollment_id'],
      references: ['enrollments', ['id']],
      onDelete: 'CASCADE',
    },
    group_enrollments_group_fk: { columns: ['group_id'], references: ['groups', ['id']], onDelete: 'CASCADE' },
  },
});
