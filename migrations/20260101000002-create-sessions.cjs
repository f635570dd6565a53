const { oneOf, tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'sessions',
  columns: {
    id: { type: 'id' },
    user_id: { type: 'id' },
    // How the person signed in.
    method: { type: ['word', 10], default: 'password' },
    created_at: { type: 'timestamp' },
    last_used_at: { type: 'timestamp', null: true },
    expires_at: { type: 'timestamp' },
    ip: { type: ['word', 45], null: true },
    user_agent: { type: ['string', 255], null: true },
  },
  checks: { sessions_method_check: oneOf('method', ['password', 'oidc']) },
  indexes: {
    sessions_user: ['user_id', 'created_at'],
    sessions_expires_at: ['expires_at'],
  },
  foreignKeys: {
    sessions_user_fk: { columns: ['user_id'], references: ['users', ['id']], onDelete: 'CASCADE' },
  },
});
