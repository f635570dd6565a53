const { oneOf, tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'links',
  columns: {
    // SHA-256 of the token. Only the mail contains the token.
    token_hash: { type: ['word', 64] },
    user_id: { type: 'id' },
    purpose: { type: ['word', 15] },
    // The address that the link was sent to; for `email` the address that the link confirms.
    email: { type: ['string', 254] },
    expires_at: { type: 'timestamp' },
    created_at: { type: 'timestamp' },
  },
  primaryKey: ['token_hash'],
  indexes: {
    links_user: ['user_id', 'purpose'],
    links_expires_at: ['expires_at'],
  },
  checks: {
    links_purpose_known: oneOf('purpose', ['invite', 'reset', 'email', 'email-cancel']),
  },
  foreignKeys: {
    links_user_fk: { columns: ['user_id'], references: ['users', ['id']], onDelete: 'CASCADE' },
  },
});
