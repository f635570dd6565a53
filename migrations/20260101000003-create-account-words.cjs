const { tableMigration } = require('./lib/ddl.cjs');

// Search words of accounts in large databases: see src/schemas/search-words.ts. The program deletes them with their
// account: a foreign key would need another index.
module.exports = tableMigration({
  name: 'account_words',
  columns: { word: { type: ['string', 64] }, account_id: { type: 'id' } },
  primaryKey: ['word', 'account_id'],
});
