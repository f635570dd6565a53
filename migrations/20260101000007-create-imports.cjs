const { oneOf, tableMigration } = require('./lib/ddl.cjs');

const running = [
  'queued',
  'running',
  'interrupted',
  'completed',
  'stopped',
  'failed',
  'cancelled',
  'undoing',
  'undone',
];
// Imports over HTTP that are planned before they are applied.
const planned = ['planning', 'planned', 'expired', 'discarded'];

module.exports = tableMigration({
  name: 'imports',
  columns: {
    id: { type: 'id' },
    // Number shown to people: 1 for the first import.
    number: { type: 'integer', default: 0 },
    status: { type: ['word', 20] },
    origin: { type: ['word', 10] },
    file_name: { type: ['string', 255] },
    // The file, which is read again when the import is resumed.
    file_path: { type: ['string', 1000] },
    file_sha256: { type: ['word', 64] },
    options_json: { type: 'longText' },
    // The applied plan; null before.
    plan_id: { type: ['word', 16], null: true },
    // Recognised encoding, delimiter and columns.
    format_json: { type: 'text', null: true },
    // Progress, committed together with its rows: the last finished data row, and how many bytes of the credentials and
    // rejects files belong to finished rows. The digests are the SHA-256 of these bytes.
    rows_done: { type: 'integer', default: 0 },
    rows_total: { type: 'integer', null: true },
    created_count: { type: 'integer', default: 0 },
    updated_count: { type: 'integer', default: 0 },
    skipped_count: { type: 'integer', default: 0 },
    rejected_count: { type: 'integer', default: 0 },
    enrolled_count: { type: 'integer', default: 0 },
    // Places on waiting lists, and enrollments that were not made because there was no place.
    waiting_count: { type: 'integer', default: 0 },
    left_out_count: { type: 'integer', default: 0 },
    // Members whom a sync took out of its group.
    left_count: { type: 'integer', default: 0 },
    credentials_file: { type: ['string', 1000], null: true },
    credentials_bytes: { type: 'bigInteger', default: 0 },
    credentials_digest: { type: ['word', 64], null: true },
    rejects_file: { type: ['string', 1000], null: true },
    rejects_bytes: { type: 'bigInteger', default: 0 },
    rejects_digest: { type: ['word', 64], null: true },
    // The passwords of an import over HTTP can be fetched once.
    credentials_fetched_at: { type: 'timestamp', null: true },
    cancel_requested: { type: 'boolean', default: false },
    error_code: { type: ['word', 40], null: true },
    error_message: { type: 'text', null: true },
    created_by: { type: 'id', null: true },
    created_at: { type: 'timestamp' },
    started_at: { type: 'timestamp', null: true },
    finished_at: { type: 'timestamp', null: true },
    undone_at: { type: 'timestamp', null: true },
    // Time when the ledger was closed. It is then exported and deleted, and the import can't be undone or resumed.
    ledger_closed_at: { type: 'timestamp', null: true },
    // New people whom an import of a trainer may invite, and since when they count.
    invites_reserved: { type: 'integer', default: 0 },
    invites_reserved_at: { type: 'timestamp', null: true },
  },
  unique: {
    imports_number_unique: ['number'],
  },
  indexes: {
    imports_file: ['file_sha256', 'id'],
    imports_status: ['status', 'id'],
    imports_created_by: ['created_by', 'id'],
    // The overview counts recent imports with rejected rows.
    imports_finished: ['finished_at', 'rejected_count', 'status'],
  },
  checks: {
    imports_status_valid: oneOf('status', [...running, ...planned]),
    imports_origin_known: oneOf('origin', ['cli', 'http']),
  },
});
