const { oneOf, tableMigration } = require('./lib/ddl.cjs');

/** Columns that searches and their pages read besides the name, so that they read no rows. */
const shown = ['created_at', 'role', 'is_active'];

module.exports = tableMigration({
  name: 'users',
  columns: {
    id: { type: 'id' },
    first_name: { type: ['string', 50] },
    last_name: { type: ['string', 50] },
    // Sort keys of the names: see src/schemas/sort-key.ts.
    first_name_key: { type: ['string', 102], default: '' },
    last_name_key: { type: ['string', 102], default: '' },
    email: { type: ['string', 254] },
    // Indexed here rather than in account_words, because every account has a domain: an index entry takes a third of the
    // time of a row.
    email_domain: { type: ['string', 254], generated: "SUBSTR(email, INSTR(email, '@') + 1)" },
    phone: { type: ['string', 50] },
    // Normalised phone: unique, and the key of logins. Null without a phone.
    phone_key: { type: ['string', 50], null: true },
    password_hash: { type: ['word', 72] },
    role: { type: ['word', 20] },
    is_active: { type: 'boolean', default: true },
    avatar: { type: ['string', 255], null: true },
    last_login: { type: 'timestamp', null: true },
    requires_password_change: { type: 'boolean', default: false },
    // Expiry of a generated initial password; null for a password that a person chose.
    initial_password_expires_at: { type: 'timestamp', null: true },
    // False until an invited person has set a password.
    has_password: { type: 'boolean', default: true },
    // Language of mails; null for the setting MAIL_LANGUAGE.
    language: { type: ['word', 2], null: true },
    // Program notes about mails to the person. They don't change updated_at.
    invited_at: { type: 'timestamp', null: true },
    invite_state: { type: ['word', 10], null: true },
    mail_failed_at: { type: 'timestamp', null: true },
    email_confirmed_at: { type: 'timestamp', null: true },
    // Kinds of news that the person has turned off, separated by spaces.
    mail_off: { type: ['word', 100], default: '' },
    // Names and email, normalised for searches. The same on every database, whatever its collation.
    search_key: { type: ['string', 500] },
    // Incremented by transactions that rely on the account. Of two concurrent ones, one fails, even on a cluster.
    lock_version: { type: 'integer', default: 0 },
    created_at: { type: 'timestamp' },
    updated_at: { type: 'timestamp' },
    // 1 for the super admin, otherwise null. The unique index permits one 1 and any number of nulls.
    super_admin_marker: { type: 'integer', generated: "CASE WHEN role = 'super_admin' THEN 1 END" },
    // Lists active trainers in order. Null for all others: their index entries are in the order of ids and are appended,
    // which slows imports of trainees least.
    trainer_key: {
      type: ['string', 102],
      generated: "CASE WHEN role = 'trainer' AND is_active = 1 THEN last_name_key END",
    },
  },
  unique: {
    users_email_unique: ['email'],
    users_super_admin_unique: ['super_admin_marker'],
    users_phone_key_unique: ['phone_key'],
  },
  indexes: {
    users_created_at: ['created_at', 'id'],
    users_last_login: ['last_login', 'id'],
    // Sorts each state by creation. A filter on one or two columns reads several states.
    users_state: ['role', 'requires_password_change', 'is_active', 'created_at', 'id'],
    // Contains the id for SQLite, whose indexes don't include it.
    users_email_domain: ['email_domain', 'id'],
    users_trainer_key: ['trainer_key', 'id'],
    users_last_names: ['last_name_key', 'id', ...shown, 'first_name_key', 'search_key'],
    users_first_names: ['first_name_key', 'id', ...shown, 'last_name_key', 'search_key'],
    users_invite_state: ['invite_state', 'created_at', 'id'],
  },
  checks: {
    users_invite_state_known: `invite_state IS NULL OR ${oneOf('invite_state', ['queued', 'sent', 'failed', 'accepted'])}`,
    users_role_known: oneOf('role', ['super_admin', 'trainer', 'trainee']),
    users_super_admin_active: "role <> 'super_admin' OR is_active = 1",
  },
});
