const { oneOf, tableMigration } = require('./lib/ddl.cjs');

/** What searches and their pages need of an account besides the name that is looked up: so they read no rows. */
const shown = ['created_at', 'role', 'is_active'];

module.exports = tableMigration({
  name: 'users',
  columns: {
    id: { type: 'id' },
    first_name: { type: ['string', 50] },
    last_name: { type: ['string', 50] },
    // What names are sorted by: see src/schemas/sort-key.ts.
    first_name_key: { type: ['string', 102], default: '' },
    last_name_key: { type: ['string', 102], default: '' },
    email: { type: ['string', 254] },
    // Every account has one: an entry of an index takes a third of the time of a row in account_words.
    email_domain: { type: ['string', 254], generated: "SUBSTR(email, INSTR(email, '@') + 1)" },
    phone: { type: ['string', 50] },
    // What makes two phones the same: unique, and the key of logins. Null without a phone.
    phone_key: { type: ['string', 50], null: true },
    password_hash: { type: ['word', 72] },
    role: { type: ['word', 20] },
    is_active: { type: 'boolean', default: true },
    avatar: { type: ['string', 255], null: true },
    last_login: { type: 'timestamp', null: true },
    requires_password_change: { type: 'boolean', default: false },
    // The expiry of a generated initial password; null for passwords that a person chose.
    initial_password_expires_at: { type: 'timestamp', null: true },
    // False until an invited person has set one.
    has_password: { type: 'boolean', default: true },
    // Of mails; null for the setting MAIL_LANGUAGE.
    language: { type: ['word', 2], null: true },
    // What the program notes about mails to the person, without a change of updated_at.
    invited_at: { type: 'timestamp', null: true },
    invite_state: { type: ['word', 10], null: true },
    mail_failed_at: { type: 'timestamp', null: true },
    email_confirmed_at: { type: 'timestamp', null: true },
    // The kinds of news that the person has turned off, separated by spaces.
    mail_off: { type: ['word', 100], default: '' },
    // Names and email, normalised for searches: the same on every database, whatever its collation.
    search_key: { type: ['string', 500] },
    // Incremented by transactions that rely on the account, so that of two concurrent ones one fails, on a cluster too.
    lock_version: { type: 'integer', default: 0 },
    created_at: { type: 'timestamp' },
    updated_at: { type: 'timestamp' },
    // 1 for the super admin, else null: its unique index permits one super admin, and any number of nulls.
    super_admin_marker: { type: 'integer', generated: "CASE WHEN role = 'super_admin' THEN 1 END" },
    // The active trainers in the order of their listing. Everybody else has no key: their entries of the index, in the order
    // of ids, are appended, which costs imports of trainees least.
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
    // Each state in the order of creation: a filter of one or two of them reads several.
    users_state: ['role', 'requires_password_change', 'is_active', 'created_at', 'id'],
    // The id is in it for SQLite, whose indexes don't have it by themselves.
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
