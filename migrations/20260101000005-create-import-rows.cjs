const { createTable, dropTable, oneOf } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    await createTable(queryInterface, {
      name: 'import_rows',
      columns: {
        import_id: { type: 'id' },
        line: { type: 'integer' },
        outcome: { type: ['word', 10] },
        code: { type: ['word', 40], null: true },
        user_id: { type: 'id', null: true },
        // What an updated account looked like before: what undo restores.
        before_json: { type: 'text', null: true },
      },
      primaryKey: ['import_id', 'line'],
      indexes: {
        import_rows_outcome: ['import_id', 'outcome', 'line'],
      },
      checks: {
        import_rows_outcome_known: oneOf('outcome', ['created', 'updated', 'skipped', 'rejected']),
      },
      foreignKeys: {
        import_rows_import_fk: { columns: ['import_id'], references: ['imports', ['id']], onDelete: 'CASCADE' },
      },
    });
  },

  async down(queryInterface) {
    await dropTable(queryInterface, 'import_rows');
  },
};
