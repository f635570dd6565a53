const { addColumn, dropColumn, hasColumn } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // Long notes that enrollments share, in place of a copy in each: an id of `audit_texts`, which keeps
    // them while something refers to them.
    await addColumn(queryInterface, 'enrollments', 'notes_text_id', { type: ['word', 43], null: true });
  },

  async down(queryInterface) {
    if (!(await hasColumn(queryInterface, 'enrollments', 'notes_text_id'))) return;
    await queryInterface.sequelize.query(
      'UPDATE `enrollments` SET `notes` = (SELECT `content` FROM `audit_texts` WHERE `id` = `enrollments`.`notes_text_id`), ' +
        '`notes_text_id` = NULL WHERE `notes_text_id` IS NOT NULL',
    );
    await dropColumn(queryInterface, 'enrollments', 'notes_text_id');
  },
};
