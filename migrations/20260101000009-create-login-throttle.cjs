const { createTable, dropTable } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    await createTable(queryInterface, {
      name: 'login_throttle',
      columns: {
        // The counted account, identifier without an account, or address. Typed identifiers are hashed.
        subject: { type: ['word', 100] },
        failures: { type: 'integer', default: 0 },
        window_started_at: { type: 'timestamp' },
        // Pending attempts, which count too, so that concurrent ones can't exceed the limit.
        under_way: { type: 'integer', default: 0 },
        under_way_since: { type: 'timestamp', null: true },
        locked_until: { type: 'timestamp', null: true },
        // The number of consecutive locks, each longer than the last.
        locks: { type: 'integer', default: 0 },
      },
      primaryKey: ['subject'],
      indexes: {
        login_throttle_window: ['window_started_at'],
      },
    });
  },

  async down(queryInterface) {
    await dropTable(queryInterface, 'login_throttle');
  },
};
