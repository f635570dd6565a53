const { QueryTypes } = require('sequelize');
const { storedWords, wordsOf } = require('./lib/search-words.cjs');

// Letters and apostrophes that are a form of others, which count in their place from here on. The Greek Σ has two of lower case.
const forms = Object.entries({
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ς: 'σ' },
  ...{ '‘': "'", '’': "'", ʻ: "'", ʼ: "'" },
});
const letters = forms.map(([letter]) => letter);
const keyLength = 500;
const cut = (key) => Array.from(key).slice(0, keyLength).join('');
const folded = (key) => cut(forms.reduce((text, [letter, form]) => text.replaceAll(letter, form), key));

// A copy of the former key function of src/schemas/keys.ts.
const formerKey = (...parts) => {
  const text = parts.filter((part) => part).join(' ');
  const unaccented = text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');
  return cut(unaccented.toLowerCase().normalize('NFC'));
};

// The database looks through all of a statement for each row.
const batchRows = 200;

/** Conditions of a statement: SQLite bounds how deep an expression is. */
const statementConditions = 100;

const select = ({ sequelize }, sql, replacements) => sequelize.query(sql, { type: QueryTypes.SELECT, replacements });

/** The condition that a key has one of the letters. */
const hasLetter = letters.map((letter) => `INSTR(search_key, '${letter}') > 0`).join(' OR ');

/** Reads the rows of a table that a condition holds for, a batch at a time. */
async function* batchesOf(queryInterface, { table, columns, condition }) {
  const sql = `SELECT ${columns.join(', ')} FROM ${table} WHERE id > :after AND (${condition}) ORDER BY id LIMIT :batchRows`;
  for (let after = ''; ; ) {
    const rows = await select(queryInterface, sql, { after, batchRows });
    if (rows.length > 0) yield rows;
    if (rows.length < batchRows) return;
    after = rows[rows.length - 1].id;
  }
}

/** Rows whose key changes, with the new one. */
const withNewKeys = (rows, keyOf) =>
  rows.flatMap((row) => {
    const after = { ...row, search_key: keyOf(row) };
    return after.search_key === row.search_key ? [] : [{ before: row, after }];
  });

/** Writes the keys of rows, in one statement. */
async function writeKeys({ sequelize }, table, rows) {
  const keys = rows.map(({ id, search_key: key }) => `WHEN ${sequelize.escape(id)} THEN ${sequelize.escape(key)}`);
  const ids = rows.map(({ id }) => sequelize.escape(id)).join(', ');
  await sequelize.query(
    `UPDATE ${table} SET search_key = CASE id ${keys.join(' ')} ELSE search_key END WHERE id IN (${ids})`,
  );
}

/** @param words pairs of a word and an id; those that are stored already are left */
async function insertWords({ sequelize }, table, column, words) {
  if (words.length === 0) return;
  const ignoring = sequelize.getDialect() === 'sqlite' ? 'INSERT OR IGNORE' : 'INSERT IGNORE';
  const rows = words.map(([word, id]) => `(${sequelize.escape(word)}, ${sequelize.escape(id)})`);
  await sequelize.query(`${ignoring} INTO ${table} (word, ${column}) VALUES ${rows.join(', ')}`);
}

async function deleteAccountWords({ sequelize }, words) {
  for (let at = 0; at < words.length; at += statementConditions) {
    // Not as pairs: MariaDB finds those without the index.
    const these = words
      .slice(at, at + statementConditions)
      .map(([word, id]) => `(word = ${sequelize.escape(word)} AND account_id = ${sequelize.escape(id)})`);
    await sequelize.query(`DELETE FROM account_words WHERE ${these.join(' OR ')}`);
  }
}

/**
 * Rewrites the keys and words of accounts. The rows are written after their words, so that what was interrupted is done again.
 * @param condition holds for all rows whose key changes
 */
async function rewriteAccounts(queryInterface, condition, keyOf) {
  const names = ['first_name', 'last_name', 'first_name_key', 'last_name_key'];
  const source = { table: 'users', columns: ['id', 'email', 'search_key', ...names], condition };
  for await (const accounts of batchesOf(queryInterface, source)) {
    const changes = withNewKeys(accounts, keyOf);
    if (changes.length === 0) continue;
    const removed = [];
    const added = [];
    for (const { before, after } of changes) {
      const [old, now] = [storedWords(before), storedWords(after)];
      removed.push(...old.filter((word) => !now.includes(word)).map((word) => [word, after.id]));
      added.push(...now.filter((word) => !old.includes(word)).map((word) => [word, after.id]));
    }
    await deleteAccountWords(queryInterface, removed);
    await insertWords(queryInterface, 'account_words', 'account_id', added);
    await writeKeys(
      queryInterface,
      'users',
      changes.map(({ after }) => after),
    );
  }
}

/** The same for courses. */
async function rewriteCourses(queryInterface, condition, keyOf) {
  const source = { table: 'courses', columns: ['id', 'search_key', 'title', 'category', 'tags_json'], condition };
  for await (const batch of batchesOf(queryInterface, source)) {
    const courses = withNewKeys(batch, keyOf).map(({ after }) => after);
    if (courses.length === 0) continue;
    const ids = courses.map(({ id }) => queryInterface.sequelize.escape(id)).join(', ');
    await queryInterface.sequelize.query(`DELETE FROM course_words WHERE course_id IN (${ids})`);
    const words = courses.flatMap(({ id, search_key: key }) => wordsOf(key).map((word) => [word, id]));
    await insertWords(queryInterface, 'course_words', 'course_id', words);
    await writeKeys(queryInterface, 'courses', courses);
  }
}

module.exports = {
  async up(queryInterface) {
    // Searches fold what they look for in the same way: see src/schemas/keys.ts.
    const keyOf = ({ search_key: key }) => folded(key);
    await rewriteAccounts(queryInterface, hasLetter, keyOf);
    await rewriteCourses(queryInterface, hasLetter, keyOf);
    // Rows of plans, which are few and soon gone, have no id.
    const text = (value) => queryInterface.sequelize.escape(value);
    const foldedKey = forms.reduce(
      (key, [letter, form]) => `REPLACE(${key}, ${text(letter)}, ${text(form)})`,
      'search_key',
    );
    await queryInterface.sequelize.query(
      `UPDATE import_plan_rows SET search_key = SUBSTR(${foldedKey}, 1, ${keyLength}) WHERE ${hasLetter}`,
    );
  },

  async down(queryInterface) {
    // By a key nobody can tell whether it was folded. One that this program didn't make stays as it is.
    const unfolded = (key, former) => (key === folded(former) ? former : key);
    await rewriteAccounts(queryInterface, '1 = 1', ({ search_key: key, first_name: first, last_name: last, email }) =>
      unfolded(key, formerKey(first, last, email)),
    );
    await rewriteCourses(queryInterface, '1 = 1', ({ search_key: key, title, category, tags_json: tags }) =>
      unfolded(key, formerKey(title, category, ...JSON.parse(tags ?? '[]'))),
    );
  },
};
