const { tableMigration } = require('./lib/ddl.cjs');

// A single row with the country whose phone format applies; empty for none.
const table = tableMigration({
  name: 'phone_country',
  columns: {
    id: { type: 'integer' },
    country: { type: ['word', 2], default: '' },
  },
});

module.exports = {
  ...table,
  async up(queryInterface) {
    await table.up(queryInterface);
    await queryInterface.sequelize.query(
      "INSERT INTO phone_country (id, country) SELECT 1, '' FROM (SELECT 1 AS one) AS rows_before WHERE NOT EXISTS (SELECT 1 FROM phone_country)",
    );
  },
};
