const { oneOf, tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'import_rows',
  columns: {
    import_id: { type: 'id' },
    // Negative for members who leave: they have no row in the file.
    line: { type: 'integer' },
    outcome: { type: ['word', 10] },
    code: { type: ['word', 40], null: true },
    // Codes of further faults of the row, each between spaces. Rows are found by any of their codes.
    other_codes: { type: ['word', 255], null: true },
    user_id: { type: 'id', null: true },
    // Why the row was rejected, with the wrong value unless it may be secret.
    reason: { type: 'text', null: true },
    // Search key of a rejected row, which has no account.
    search_key: { type: ['string', 500], null: true },
    // Data for undo: old values of an updated account with the time of the update, and the created enrollments.
    undo_json: { type: 'text', null: true },
    // Outcome of undo for the row's account, and the reason if it was kept.
    undo_outcome: { type: ['word', 10], null: true },
    undo_code: { type: ['word', 20], null: true },
  },
  primaryKey: ['import_id', 'line'],
  checks: {
    import_rows_outcome_known: oneOf('outcome', ['created', 'updated', 'skipped', 'rejected', 'left']),
    import_rows_undo_known: `undo_outcome IS NULL OR ${oneOf('undo_outcome', ['removed', 'restored', 'kept'])}`,
  },
  foreignKeys: {
    import_rows_import_fk: { columns: ['import_id'], references: ['imports', ['id']], onDelete: 'CASCADE' },
  },
});
