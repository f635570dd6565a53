const { addColumn, addIndex, dropColumn, dropIndex } = require('./lib/ddl.cjs');

module.exports = {
  async up(queryInterface) {
    // The active trainers in the order of their listing. Everybody else has no key: their entries of the index, in the order
    // of ids, are appended, which costs imports of trainees least.
    await addColumn(queryInterface, 'users', 'trainer_key', {
      type: ['string', 102],
      generated: "CASE WHEN role = 'trainer' AND is_active = 1 THEN last_name_key END",
    });
    await addIndex(queryInterface, 'users', 'users_trainer_key', ['trainer_key', 'id']);
  },

  async down(queryInterface) {
    await dropIndex(queryInterface, 'users', 'users_trainer_key');
    await dropColumn(queryInterface, 'users', 'trainer_key');
  },
};
