const { addColumn, dropColumn } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // The id that a plan of the rows that are not done has, as long as nothing they meet has changed.
    await addColumn(queryInterface, 'imports', 'plan_rest_id', { type: ['word', 16], null: true });
  },

  async down(queryInterface) {
    await dropColumn(queryInterface, 'imports', 'plan_rest_id');
  },
};
