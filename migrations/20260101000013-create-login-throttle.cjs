const { tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'login_throttle',
  columns: {
    // The counted account, identifier without an account, or address. Typed identifiers are hashed.
    subject: { type: ['word', 100] },
    // The account whose failures a row counts, as a whole or at an address, so that all its locks are found. No foreign key:
    // a login would lock the account.
    account_id: { type: 'id', null: true },
    // Failed attempts, and those that are being compared.
    failures: { type: 'integer', default: 0 },
    window_started_at: { type: 'timestamp' },
    // For an account at an address: its last login from there.
    signed_in_at: { type: 'timestamp', null: true },
    locked_until: { type: 'timestamp', null: true },
    // The number of consecutive locks, each longer than the last.
    locks: { type: 'integer', default: 0 },
  },
  primaryKey: ['subject'],
  indexes: {
    login_throttle_window: ['window_started_at'],
    login_throttle_account: ['account_id', 'locked_until'],
    // Few rows are locked, of the many that the accounts have.
    login_throttle_lock: ['locked_until', 'account_id'],
  },
});
