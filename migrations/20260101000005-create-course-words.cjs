const { tableMigration } = require('./lib/ddl.cjs');

// All words by which courses are found among many: see src/schemas/search-words.ts. Courses are few beside accounts, so they can
// have a foreign key, and its index serves searches for a word that most courses have.
module.exports = tableMigration({
  name: 'course_words',
  columns: { word: { type: ['string', 64] }, course_id: { type: 'id' } },
  primaryKey: ['word', 'course_id'],
  indexes: { course_words_course: ['course_id', 'word'] },
  foreignKeys: {
    course_words_course_fk: { columns: ['course_id'], references: ['courses', ['id']], onDelete: 'CASCADE' },
  },
});
