const { createTable, dropTable } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // Long texts of audit entries, each once: one request may record the same for hundreds of objects.
    await createTable(queryInterface, {
      name: 'audit_texts',
      columns: {
        // SHA-256 of the text, in base64url.
        id: { type: ['word', 43] },
        content: { type: 'longText' },
      },
      primaryKey: ['id'],
    });
  },

  async down(queryInterface) {
    await dropTable(queryInterface, 'audit_texts');
  },
};
