const { tableMigration } = require('./lib/ddl.cjs');

module.exports = tableMigration({
  name: 'groups',
  columns: {
    id: { type: 'id' },
    name: { type: ['string', 100] },
    // Name without case and repeated spaces. Capitals of a letter can be three letters.
    name_key: { type: ['string', 300] },
    // Sort key of the name: see src/schemas/sort-key.ts.
    sort_key: { type: ['string', 202] },
    // Name, normalised for searches.
    search_key: { type: ['string', 500] },
    note: { type: 'text', null: true },
    // Options of a roster, and the digest of its last rejected rows; null for other groups.
    sync_json: { type: 'longText', null: true },
    synced_at: { type: 'timestamp', null: true },
    // The last sync, if it was held because too many people would leave.
    held_json: { type: 'text', null: true },
    // Incremented when the members change. Of two concurrent changes, one fails, even on a cluster.
    lock_version: { type: 'integer', default: 0 },
    created_at: { type: 'timestamp' },
    updated_at: { type: 'timestamp' },
  },
  unique: {
    groups_name_key_unique: ['name_key'],
  },
  indexes: {
    groups_sort_key: ['sort_key', 'id'],
  },
});
