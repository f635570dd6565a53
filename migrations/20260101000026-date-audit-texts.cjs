const { addColumn, addIndex, dropColumn, dropIndex } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // When a text was last referred to, to the hour; null where that isn't known. Unused texts are found by it.
    await addColumn(queryInterface, 'audit_texts', 'used_at', { type: 'timestamp', null: true });
    await addIndex(queryInterface, 'audit_texts', 'audit_texts_used', ['used_at', 'id']);
    // The enrollments that share a text.
    await addIndex(queryInterface, 'enrollments', 'enrollments_notes_text', ['notes_text_id']);
  },

  async down(queryInterface) {
    await dropIndex(queryInterface, 'enrollments', 'enrollments_notes_text');
    await dropIndex(queryInterface, 'audit_texts', 'audit_texts_used');
    await dropColumn(queryInterface, 'audit_texts', 'used_at');
  },
};
