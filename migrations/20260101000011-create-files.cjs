const { oneOf, tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'files',
  columns: {
    id: { type: 'id' },
    kind: { type: ['word', 20] },
    // The row is created before the file and deleted after it, so that the cleanup finds leftovers of a crash.
    state: { type: ['word', 10] },
    storage_key: { type: ['word', 100] },
    // No foreign keys, because the row outlives its owner until the file is removed.
    course_id: { type: 'id', null: true },
    user_id: { type: 'id', null: true },
    name: { type: ['string', 255] },
    content_type: { type: ['word', 150] },
    bytes: { type: 'bigInteger' },
    uploaded_by: { type: 'id', null: true },
    created_at: { type: 'timestamp' },
  },
  unique: {
    files_storage_key_unique: ['storage_key'],
  },
  indexes: {
    files_course: ['course_id', 'kind', 'id'],
    files_user: ['user_id', 'id'],
    files_state: ['state', 'created_at', 'id'],
    // Covers the query for the storage in use by kind of file.
    files_usage: ['state', 'kind', 'bytes'],
  },
  checks: {
    files_kind_known: oneOf('kind', ['material', 'thumbnail', 'avatar']),
    files_state_known: oneOf('state', ['pending', 'live', 'marked']),
  },
});
