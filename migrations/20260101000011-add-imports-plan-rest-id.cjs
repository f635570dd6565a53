const { addColumn, dropColumn } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // The id of the plan for the remaining rows, unless data that they depend on has changed.
    await addColumn(queryInterface, 'imports', 'plan_rest_id', { type: ['word', 16], null: true });
  },

  async down(queryInterface) {
    await dropColumn(queryInterface, 'imports', 'plan_rest_id');
  },
};
