const { tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'certificates',
  columns: {
    id: { type: 'id' },
    code: { type: ['word', 34] },
    // Null once the certificate is revoked. Removing the enrollment revokes its certificate.
    enrollment_id: { type: 'id', null: true },
    user_id: { type: 'id' },
    // The course may have been deleted.
    course_id: { type: 'id' },
    // Names, title and dates on the day of completion, in the programme's time zone.
    first_name: { type: ['string', 50] },
    last_name: { type: ['string', 50] },
    course_title: { type: ['string', 200] },
    trainer_name: { type: ['string', 101] },
    start_date: { type: 'date', null: true },
    end_date: { type: 'date', null: true },
    completed_on: { type: 'date' },
    issued_at: { type: 'timestamp' },
    revoked_at: { type: 'timestamp', null: true },
  },
  unique: {
    certificates_code_unique: ['code'],
    certificates_enrollment_unique: ['enrollment_id'],
  },
  indexes: {
    certificates_issued_at: ['issued_at', 'id'],
    certificates_course: ['course_id', 'issued_at', 'id'],
    certificates_user: ['user_id', 'issued_at', 'id'],
  },
  foreignKeys: {
    certificates_enrollment_fk: {
      columns: ['enrollment_id'],
      references: ['enrollments', ['id']],
      onDelete: 'SET NULL',
    },
    certificates_user_fk: { columns: ['user_id'], references: ['users', ['id']], onDelete: 'CASCADE' },
  },
});
