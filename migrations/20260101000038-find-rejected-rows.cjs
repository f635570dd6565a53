const { addColumn, dropColumn } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // What a rejected row says, folded as searches are, so that it is found: it has no account. Rows of earlier imports have none.
    await addColumn(queryInterface, 'import_rows', 'search_key', { type: ['string', 500], null: true });
  },

  async down(queryInterface) {
    await dropColumn(queryInterface, 'import_rows', 'search_key');
  },
};
