const { oneOf, tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'enrollments',
  columns: {
    id: { type: 'id' },
    user_id: { type: 'id' },
    course_id: { type: 'id' },
    // The course's trainer, kept equal by the foreign key below, so that a trainer's page needs no join.
    trainer_id: { type: 'id' },
    status: { type: ['word', 20], default: 'pending' },
    progress: { type: 'integer', default: 0 },
    notes: { type: 'text', null: true },
    enrolled_at: { type: 'timestamp' },
    completed_at: { type: 'timestamp', null: true },
    created_at: { type: 'timestamp' },
    updated_at: { type: 'timestamp' },
  },
  unique: {
    enrollments_user_course_unique: ['user_id', 'course_id'],
  },
  indexes: {
    enrollments_trainer: ['trainer_id', 'enrolled_at', 'id'],
    enrollments_trainer_status: ['trainer_id', 'status', 'enrolled_at', 'id'],
    enrollments_course: ['course_id', 'trainer_id', 'enrolled_at', 'id'],
    enrollments_course_status: ['course_id', 'status', 'enrolled_at', 'id'],
    enrollments_user: ['user_id', 'enrolled_at', 'id'],
    enrollments_status_enrolled: ['status', 'enrolled_at', 'id'],
    // The overview counts enrollments by week, the listing sorts them, also those of the accounts that a search has found.
    enrollments_dates: ['enrolled_at', 'id', 'user_id'],
  },
  checks: {
    enrollments_status_known: oneOf('status', ['pending', 'active', 'completed', 'cancelled']),
    enrollments_progress_range: 'progress BETWEEN 0 AND 100',
  },
  foreignKeys: {
    enrollments_user_fk: { columns: ['user_id'], references: ['users', ['id']], onDelete: 'CASCADE' },
    enrollments_course_fk: {
      columns: ['course_id', 'trainer_id'],
      references: ['courses', ['id', 'trainer_id']],
      onDelete: 'CASCADE',
      onUpdate: 'CASCADE',
    },
  },
});
