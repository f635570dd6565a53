const { tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'calendars',
  columns: {
    user_id: { type: 'id' },
    // SHA-256 of the key. Only the calendar's address contains the key.
    key_hash: { type: ['word', 64] },
    created_at: { type: 'timestamp' },
    last_used_at: { type: 'timestamp', null: true },
  },
  primaryKey: ['user_id'],
  unique: {
    calendars_key_unique: ['key_hash'],
  },
  foreignKeys: {
    calendars_user_fk: { columns: ['user_id'], references: ['users', ['id']], onDelete: 'CASCADE' },
  },
});
