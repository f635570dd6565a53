const { tableMigration } = require('./lib/ddl.cjs');

// Words by which accounts are found in large databases: see src/schemas/search-words.ts. The program removes them with their
// account: a foreign key would need another index.
module.exports = tableMigration({
  name: 'account_words',
  columns: { word: { type: ['string', 64] }, account_id: { type: 'id' } },
  primaryKey: ['word', 'account_id'],
});
