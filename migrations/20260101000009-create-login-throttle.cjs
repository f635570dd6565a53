const { createTable, dropTable } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    await createTable(queryInterface, {
      name: 'login_throttle',
      columns: {
        // What is counted: an account, a text that means none, an address. Hashed where it is what somebody typed.
        subject: { type: ['word', 100] },
        failures: { type: 'integer', default: 0 },
        window_started_at: { type: 'timestamp' },
        // Attempts whose outcome isn't known yet: they count until it is, so that many at once don't pass the limit.
        under_way: { type: 'integer', default: 0 },
        under_way_since: { type: 'timestamp', null: true },
        locked_until: { type: 'timestamp', null: true },
        // How often in a row it was locked: each time for longer.
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
