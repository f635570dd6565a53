const { addColumn, addIndex, dropColumn, dropIndex } = require('./lib/ddl.cjs');

const [byAccount, byLock] = ['login_throttle_account', 'login_throttle_lock'];

module.exports = {
  async up(queryInterface) {
    // The account whose failures a row counts, as a whole or at an address, so that all its locks are found. No foreign key:
    // a login would lock the account.
    await addColumn(queryInterface, 'login_throttle', 'account_id', { type: 'id', null: true });
    // An account at an address has a hash as its subject: such a row gets the id with the next attempt.
    await queryInterface.sequelize.query(
      "UPDATE `login_throttle` SET `account_id` = SUBSTR(`subject`, 9) WHERE `subject` LIKE 'account:%' AND `account_id` IS NULL",
    );
    await addIndex(queryInterface, 'login_throttle', byAccount, ['account_id', 'locked_until']);
    // Few rows are locked, of the many that the accounts have.
    await addIndex(queryInterface, 'login_throttle', byLock, ['locked_until', 'account_id']);
  },

  async down(queryInterface) {
    await dropIndex(queryInterface, 'login_throttle', byLock);
    await dropIndex(queryInterface, 'login_throttle', byAccount);
    await dropColumn(queryInterface, 'login_throttle', 'account_id');
  },
};
