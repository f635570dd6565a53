const { oneOf, tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'audit_entries',
  columns: {
    id: { type: 'id' },
    at: { type: 'timestamp' },
    // No foreign keys, because entries outlive their accounts.
    actor_id: { type: 'id', null: true },
    origin: { type: ['word', 10] },
    // The operating system's user at the terminal.
    os_user: { type: ['string', 100], null: true },
    ip: { type: ['word', 45], null: true },
    action: { type: ['word', 60] },
    target_type: { type: ['word', 30] },
    target_id: { type: 'id', null: true },
    before_json: { type: 'longText', null: true },
    after_json: { type: 'longText', null: true },
  },
  indexes: {
    audit_entries_at: ['at', 'id'],
    audit_entries_target: ['target_id', 'at', 'id'],
    audit_entries_actor: ['actor_id', 'at', 'id'],
    audit_entries_action: ['action', 'at', 'id'],
    // Finds rare types, such as imports and addresses.
    audit_entries_target_type: ['target_type', 'at', 'id'],
  },
  checks: {
    audit_entries_origin_known: oneOf('origin', ['http', 'cli', 'program']),
  },
});
