const { addColumn, addIndex, createTable, dropColumn, dropIndex, dropTable } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // One row: the country whose way of writing phones counts, empty for none, and the one that phones are given keys for; null
    // when they aren't. Those keys replace the others together, once all accounts have theirs.
    await createTable(queryInterface, {
      name: 'phone_country',
      columns: {
        id: { type: 'integer' },
        country: { type: ['word', 2], default: '' },
        next_country: { type: ['word', 2], null: true },
      },
      primaryKey: ['id'],
    });
    await queryInterface.sequelize.query(
      "INSERT INTO phone_country (id, country) SELECT 1, '' FROM (SELECT 1 AS one) AS rows_before WHERE NOT EXISTS (SELECT 1 FROM phone_country)",
    );
    await addColumn(queryInterface, 'users', 'next_phone_key', { type: ['string', 50], null: true });
    await addIndex(queryInterface, 'users', 'users_next_phone_key_unique', ['next_phone_key'], { unique: true });
  },

  async down(queryInterface) {
    await dropIndex(queryInterface, 'users', 'users_next_phone_key_unique');
    await dropColumn(queryInterface, 'users', 'next_phone_key');
    await dropTable(queryInterface, 'phone_country');
  },
};
