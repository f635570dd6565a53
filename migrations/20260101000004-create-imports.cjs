const { createTable, dropTable, oneOf } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    await createTable(queryInterface, {
      name: 'imports',
      columns: {
        id: { type: 'id' },
        status: { type: ['word', 20] },
        file_name: { type: ['string', 255] },
        file_sha256: { type: ['word', 64] },
        options_json: { type: 'text' },
        // How far it came, committed together with the rows it speaks of: the last data row done, and the lengths up to
        // which the credentials and rejects files belong to rows that are done.
        rows_done: { type: 'integer', default: 0 },
        rows_total: { type: 'integer' },
        created_count: { type: 'integer', default: 0 },
        updated_count: { type: 'integer', default: 0 },
        skipped_count: { type: 'integer', default: 0 },
        rejected_count: { type: 'integer', default: 0 },
        enrolled_count: { type: 'integer', default: 0 },
        credentials_file: { type: ['string', 1000], null: true },
        credentials_bytes: { type: 'bigInteger', default: 0 },
        rejects_file: { type: ['string', 1000], null: true },
        rejects_bytes: { type: 'bigInteger', default: 0 },
        created_by: { type: 'id', null: true },
        created_at: { type: 'timestamp' },
        finished_at: { type: 'timestamp', null: true },
      },
      primaryKey: ['id'],
      indexes: {
        imports_file: ['file_sha256', 'id'],
        imports_status: ['status', 'id'],
      },
      checks: {
        imports_status_known: oneOf('status', ['running', 'interrupted', 'completed']),
      },
    });
  },

  async down(queryInterface) {
    await dropTable(queryInterface, 'imports');
  },
};
