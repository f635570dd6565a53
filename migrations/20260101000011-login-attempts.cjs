const { addColumn, dropColumn } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // Pending attempts by id, with their start, so that each ends only once. Null for none.
    await addColumn(queryInterface, 'login_throttle', 'attempts_json', { type: 'text', null: true });
    // For an account at an address: its last login from there.
    await addColumn(queryInterface, 'login_throttle', 'signed_in_at', { type: 'timestamp', null: true });
    await dropColumn(queryInterface, 'login_throttle', 'under_way');
    await dropColumn(queryInterface, 'login_throttle', 'under_way_since');
  },

  async down(queryInterface) {
    await addColumn(queryInterface, 'login_throttle', 'under_way', { type: 'integer', default: 0 });
    await addColumn(queryInterface, 'login_throttle', 'under_way_since', { type: 'timestamp', null: true });
    await dropColumn(queryInterface, 'login_throttle', 'signed_in_at');
    await dropColumn(queryInterface, 'login_throttle', 'attempts_json');
  },
};
