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
    // What people call an import: 1 for the first.
    number: { type: 'integer', default: 0 },
    status: { type: ['word', 20] },
    // Where it was asked for: at a terminal or over HTTP.
    origin: { type: ['word', 10] },
    file_name: { type: ['string', 255] },
    // Where the file is read again when the import is resumed.
    file_path: { type: ['string', 1000] },
    file_sha256: { type: ['word', 64] },
    options_json: { type: 'longText' },
    // The plan that was applied; null until there is one.
    plan_id: { type: ['word', 16], null: true },
    // Encoding, delimiter and columns, as they were recognised.
    format_json: { type: 'text', null: true },
    // How far it came, committed together with the rows it speaks of: the last data row done, and the lengths up to
    // which the credentials and rejects files belong to rows that are done, with the SHA-256 of these bytes.
    rows_done: { type: 'integer', default: 0 },
    rows_total: { type: 'integer', null: true },
    created_count: { type: 'integer', default: 0 },
    updated_count: { type: 'integer', default: 0 },
    skipped_count: { type: 'integer', default: 0 },
    rejected_count: { type: 'integer', default: 0 },
    enrolled_count: { type: 'integer', default: 0 },
    // Places on waiting lists, and enrollments that were left out because there was no place.
    waiting_count: { type: 'integer', default: 0 },
    left_out_count: { type: 'integer', default: 0 },
    credentials_file: { type: ['string', 1000], null: true },
    credentials_bytes: { type: 'bigInteger', default: 0 },
    credentials_digest: { type: ['word', 64], null: true },
    rejects_file: { type: ['string', 1000], null: true },
    rejects_bytes: { type: 'bigInteger', default: 0 },
    rejects_digest: { type: ['word', 64], null: true },
    // The passwords of an import over HTTP can be fetched once.
    credentials_fetched_at: { type: 'timestamp', null: true },
    cancel_requested: { type: 'boolean', default: false },
    // Why it failed.
    error_code: { type: ['word', 40], null: true },
    error_message: { type: 'text', null: true },
    created_by: { type: 'id', null: true },
    created_at: { type: 'timestamp' },
    started_at: { type: 'timestamp', null: true },
    finished_at: { type: 'timestamp', null: true },
    undone_at: { type: 'timestamp', null: true },
    // From then on the ledger of the import is exported and deleted: the import can't be undone or resumed.
    ledger_closed_at: { type: 'timestamp', null: true },
  },
  unique: {
    imports_number_unique: ['number'],
  },
  indexes: {
    imports_file: ['file_sha256', 'id'],
    imports_status: ['status', 'id'],
  },
  checks: {
    imports_status_valid: oneOf('status', [...running, ...planned]),
    imports_origin_known: oneOf('origin', ['cli', 'http']),
  },
});
