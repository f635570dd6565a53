const { QueryTypes } = require('sequelize');
const { createTable, dropTable } = require('./lib/ddl.cjs');
const { storedWords, wordLength } = require('./lib/search-words.cjs');

const batchRows = 500;

/** Stores the words of all accounts, one statement a batch. It can be interrupted and repeated. */
async function fill({ sequelize }) {
  const ignoring = sequelize.getDialect() === 'sqlite' ? 'INSERT OR IGNORE' : 'INSERT IGNORE';
  for (let after = ''; ; ) {
    const accounts = await sequelize.query(
      'SELECT id, search_key, first_name_key, last_name_key, email FROM users WHERE id > :after ORDER BY id LIMIT :batchRows',
      { type: QueryTypes.SELECT, replacements: { after, batchRows } },
    );
    const rows = accounts.flatMap((account) =>
      storedWords(account).map((word) => `(${sequelize.escape(word)}, ${sequelize.escape(account.id)})`),
    );
    if (rows.length > 0)
      await sequelize.query(`${ignoring} INTO account_words (word, account_id) VALUES ${rows.join(', ')}`);
    if (accounts.length < batchRows) return;
    after = accounts[accounts.length - 1].id;
  }
}

module.exports = {
  async up(queryInterface) {
    // Words by which accounts are found in large databases: see src/schemas/search-words.ts. The program removes them with
    // their account: a foreign key would need another index.
    await createTable(queryInterface, {
      name: 'account_words',
      columns: { word: { type: ['string', wordLength] }, account_id: { type: 'id' } },
      primaryKey: ['word', 'account_id'],
    });
    await fill(queryInterface);
  },

  async down(queryInterface) {
    await dropTable(queryInterface, 'account_words');
  },
};
