const { tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'import_plans',
  columns: {
    import_id: { type: 'id' },
    // Number of requested plans. A process that computes an older revision stops.
    revision: { type: 'integer', default: 1 },
    // Rows planned so far.
    rows_read: { type: 'integer', default: 0 },
    // The finished plan, as the API shows it.
    plan_json: { type: 'longText', null: true },
    // Time when the plan was applied. The import then uses this plan until its first rows are committed.
    applied_at: { type: 'timestamp', null: true },
    // Number of leaving members that a person has approved.
    allow_leaving: { type: 'integer', null: true },
    expires_at: { type: 'timestamp' },
  },
  primaryKey: ['import_id'],
  indexes: { import_plans_expiry: ['expires_at'] },
  foreignKeys: {
    import_plans_import_fk: { columns: ['import_id'], references: ['imports', ['id']], onDelete: 'CASCADE' },
  },
});
