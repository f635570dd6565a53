const { QueryTypes } = require('sequelize');
const { createTable, dropTable } = require('./lib/ddl.cjs');
const { wordLength, wordsOf } = require('./lib/search-words.cjs');

const batchRows = 500;

/** Stores the words of all courses, one statement a batch. It can be interrupted and repeated. */
async function fill({ sequelize }) {
  const ignoring = sequelize.getDialect() === 'sqlite' ? 'INSERT OR IGNORE' : 'INSERT IGNORE';
  for (let after = ''; ; ) {
    const courses = await sequelize.query(
      'SELECT id, search_key FROM courses WHERE id > :after ORDER BY id LIMIT :batchRows',
      { type: QueryTypes.SELECT, replacements: { after, batchRows } },
    );
    const rows = courses.flatMap(({ id, search_key: key }) =>
      wordsOf(key).map((word) => `(${sequelize.escape(word)}, ${sequelize.escape(id)})`),
    );
    if (rows.length > 0)
      await sequelize.query(`${ignoring} INTO course_words (word, course_id) VALUES ${rows.join(', ')}`);
    if (courses.length < batchRows) return;
    after = courses[courses.length - 1].id;
  }
}

module.exports = {
  async up(queryInterface) {
    // All words by which courses are found among many: see src/schemas/search-words.ts. Courses are few beside accounts, so they
    // can have a foreign key, and its index serves searches for a word that most courses have.
    await createTable(queryInterface, {
      name: 'course_words',
      columns: { word: { type: ['string', wordLength] }, course_id: { type: 'id' } },
      primaryKey: ['word', 'course_id'],
      indexes: { course_words_course: ['course_id', 'word'] },
      foreignKeys: {
        course_words_course_fk: { columns: ['course_id'], references: ['courses', ['id']], onDelete: 'CASCADE' },
      },
    });
    await fill(queryInterface);
  },

  async down(queryInterface) {
    await dropTable(queryInterface, 'course_words');
  },
};
