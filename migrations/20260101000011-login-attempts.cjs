const { addColumn, dropColumn } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // Attempts whose outcome isn't known yet, each with its id and beginning: so each ends once. Null without any.
    await addColumn(queryInterface, 'login_throttle', 'attempts_json', { type: 'text', null: true });
    // Of an account and an address together: when they last signed in.
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
