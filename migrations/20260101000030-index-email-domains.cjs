const { addColumn, addIndex, dropColumn, dropIndex } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // Every account has one: an entry of an index takes a third of the time of a row in account_words. The id is in it for
    // SQLite, whose indexes don't have it by themselves.
    await addColumn(queryInterface, 'users', 'email_domain', {
      type: ['string', 254],
      generated: "SUBSTR(email, INSTR(email, '@') + 1)",
    });
    await addIndex(queryInterface, 'users', 'users_email_domain', ['email_domain', 'id']);
    // The index finds them. Kept, they would still be found after a change of the email.
    await queryInterface.sequelize.query(
      'DELETE FROM account_words WHERE EXISTS ' +
        '(SELECT 1 FROM users WHERE users.id = account_words.account_id AND INSTR(users.email_domain, account_words.word) = 1)',
    );
  },

  async down(queryInterface) {
    await dropIndex(queryInterface, 'users', 'users_email_domain');
    await dropColumn(queryInterface, 'users', 'email_domain');
  },
};
