const { tableMigration } = require('./lib/ddl.cjs');

// Search words of courses: see src/schemas/search-words.ts. Courses are few compared with accounts, so a foreign key is
// affordable. Its index serves searches for a word that most courses have.
module.exports = tableMigration({
  name: 'course_words',
  columns: { word: { type: ['string', 64] }, course_id: { type: 'id' } },
  primaryKey: ['word', 'course_id'],
  indexes: { course_words_course: ['course_id', 'word'] },
  foreignKeys: {
    course_words_course_fk: { columns: ['course_id'], references: ['courses', ['id']], onDelete: 'CASCADE' },
  },
});
