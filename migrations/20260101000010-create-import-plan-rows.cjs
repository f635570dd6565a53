const { oneOf, tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'import_plan_rows',
  columns: {
    import_id: { type: 'id' },
    // Negative for members who leave: they have no row in the file.
    line: { type: 'integer' },
    // Planned outcome of the row.
    outcome: { type: ['word', 10] },
    code: { type: ['word', 40], null: true },
    // Codes of further faults, as in import_rows.
    other_codes: { type: ['word', 255], null: true },
    // The field with the problem, if it is a single field.
    field: { type: ['word', 20], null: true },
    reason: { type: 'text', null: true },
    // The matching account.
    user_id: { type: 'id', null: true },
    search_key: { type: ['string', 500] },
    // Fields that an update changes, with their old and new values.
    changes_json: { type: 'text', null: true },
    // Cells of the row, shortened and without passwords.
    cells_json: { type: 'longText' },
  },
  primaryKey: ['import_id', 'line'],
  checks: {
    import_plan_rows_outcome_known: oneOf('outcome', ['created', 'updated', 'skipped', 'rejected', 'left']),
  },
  foreignKeys: {
    import_plan_rows_import_fk: { columns: ['import_id'], references: ['imports', ['id']], onDelete: 'CASCADE' },
  },
});
