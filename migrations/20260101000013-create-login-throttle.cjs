const { tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'login_throttle',
  columns: {
    // Account, unknown identifier or address. Typed identifiers are hashed.
    subject: { type: ['word', 100] },
    // The account of the row, everywhere or at an address, by which all its locks are found. No foreign key: a login
    // would lock the account.
    account_id: { type: 'id', null: true },
    // Failed attempts, and attempts without a known outcome.
    failures: { type: 'integer', default: 0 },
    window_started_at: { type: 'timestamp' },
    // Last login of an account from an address.
    signed_in_at: { type: 'timestamp', null: true },
    locked_until: { type: 'timestamp', null: true },
    // Number of consecutive locks. Each is longer than the previous one.
    locks: { type: 'integer', default: 0 },
  },
  primaryKey: ['subject'],
  indexes: {
    login_throttle_window: ['window_started_at'],
    login_throttle_account: ['account_id', 'locked_until'],
    // Only a small share of the rows is locked.
    login_throttle_lock: ['locked_until', 'account_id'],
  },
});
