const { oneOf, tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'enrollments',
  columns: {
    id: { type: 'id' },
    user_id: { type: 'id' },
    course_id: { type: 'id' },
    // The course's trainer, kept equal by the foreign key below. A trainer's page therefore needs no join.
    trainer_id: { type: 'id' },
    status: { type: ['word', 20], default: 'pending' },
    progress: { type: 'integer', default: 0 },
    // The trainee's message with the request.
    notes: { type: 'text', null: true },
    notes_at: { type: 'timestamp', null: true },
    // The reply of a manager of the course.
    reply: { type: 'text', null: true },
    reply_at: { type: 'timestamp', null: true },
    // No foreign key: it would lock the trainer's account with each reply.
    reply_by: { type: 'id', null: true },
    cancel_reason: { type: ['word', 20], null: true },
    // Position number on the waiting list.
    waiting_number: { type: 'integer', null: true },
    // The trainee's name before the first rename since the enrollment.
    former_name: { type: ['string', 101], null: true },
    enrolled_at: { type: 'timestamp' },
    completed_at: { type: 'timestamp', null: true },
    created_at: { type: 'timestamp' },
    updated_at: { type: 'timestamp' },
  },
  unique: {
    enrollments_user_course_unique: ['user_id', 'course_id'],
    enrollments_waiting_unique: ['course_id', 'waiting_number'],
  },
  indexes: {
    enrollments_trainer: ['trainer_id', 'enrolled_at', 'id'],
    // Contains the progress: a trainer's overview counts enrollments that can be completed.
    enrollments_trainer_status: ['trainer_id', 'status', 'enrolled_at', 'id', 'progress'],
    enrollments_course: ['course_id', 'trainer_id', 'enrolled_at', 'id'],
    enrollments_course_status: ['course_id', 'status', 'enrolled_at', 'id'],
    enrollments_user: ['user_id', 'enrolled_at', 'id'],
    enrollments_status_enrolled: ['status', 'enrolled_at', 'id'],
    enrollments_progress: ['progress', 'status', 'enrolled_at', 'id'],
    // The overview counts enrollments by week, and listings and searches sort them by date.
    enrollments_dates: ['enrolled_at', 'id', 'user_id'],
  },
  checks: {
    enrollments_status_known: oneOf('status', ['pending', 'waiting', 'active', 'completed', 'cancelled']),
    enrollments_cancel_reason_known: oneOf('cancel_reason', ['left', 'refused', 'removed', 'roster']),
    // Waiting enrollments have a number, all others have none.
    enrollments_waiting_numbered: "(status = 'waiting') = (waiting_number IS NOT NULL)",
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
