const { addIndex, dropIndex } = require('./lib/ddl.cjs');

/**
 * For those who see courses that aren't published: in every order of the catalogue a page is found without sorting all
 * courses. The public catalogue has indexes of its own, which begin with whether a course is published.
 */
const indexes = [
  ['courses_created_at', ['created_at', 'id']],
  ['courses_updated_at', ['updated_at', 'id']],
  ['courses_title_key', ['title_key', 'id']],
  ['courses_category_key', ['category_key', 'id']],
  ['courses_start_date', ['start_date', 'id']],
];

module.exports = {
  async up(queryInterface) {
    for (const [name, columns] of indexes) await addIndex(queryInterface, 'courses', name, columns);
  },

  async down(queryInterface) {
    for (const [name] of indexes) await dropIndex(queryInterface, 'courses', name);
  },
};
