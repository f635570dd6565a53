const { oneOf, tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  // Accounts of the organisation's sign-in (OpenID Connect) that sign people in.
  name: 'identities',
  columns: {
    id: { type: 'id' },
    user_id: { type: 'id' },
    issuer: { type: ['string', 255] },
    // Unique for each issuer, and never reassigned (OpenID Connect Core, section 2).
    subject: { type: ['string', 255] },
    // As the issuer gave it when the identity was linked; null without one.
    email: { type: ['string', 254], null: true },
    linked_by: { type: ['word', 10] },
    created_at: { type: 'timestamp' },
    last_used_at: { type: 'timestamp', null: true },
  },
  unique: {
    identities_subject_unique: ['issuer', 'subject'],
  },
  checks: { identities_linked_by_check: oneOf('linked_by', ['email', 'creation', 'owner']) },
  indexes: {
    identities_user: ['user_id', 'created_at'],
  },
  foreignKeys: {
    identities_user_fk: { columns: ['user_id'], references: ['users', ['id']], onDelete: 'CASCADE' },
  },
});
