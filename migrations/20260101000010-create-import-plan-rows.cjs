const { oneOf, tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'import_plan_rows',
  columns: {
    import_id: { type: 'id' },
    line: { type: 'integer' },
    // What would become of the row.
    outcome: { type: ['word', 10] },
    code: { type: ['word', 40], null: true },
    // As in import_rows.
    other_codes: { type: ['word', 255], null: true },
    // The field that the reason is about, if it is about one.
    field: { type: ['word', 20], null: true },
    reason: { type: 'text', null: true },
    // The account that the row matches.
    user_id: { type: 'id', null: true },
    search_key: { type: ['string', 500] },
    // The fields that an update changes, with their old and new values.
    changes_json: { type: 'text', null: true },
    // The cells of the row, shortened, without passwords.
    cells_json: { type: 'longText' },
  },
  primaryKey: ['import_id', 'line'],
  checks: {
    import_plan_rows_outcome_known: oneOf('outcome', ['created', 'updated', 'skipped', 'rejected']),
  },
  foreignKeys: {
    import_plan_rows_import_fk: { columns: ['import_id'], references: ['imports', ['id']], onDelete: 'CASCADE' },
  },
});
