const { QueryTypes } = require('sequelize');
const { storedWords, wordsOf } = require('./lib/search-words.cjs');

// The Greek Σ has two lower-case letters: ς at the end of a word, else σ. Only σ counts from here on.
const [finalSigma, sigma] = ['ς', 'σ'];
const folded = (text) => text.replaceAll(finalSigma, sigma);

// A copy of the former key function of src/schemas/keys.ts.
const formerKey = (...parts) => {
  const text = parts.filter((part) => part).join(' ');
  const unaccented = text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');
  const key = unaccented.toLowerCase().normalize('NFC');
  return Array.from(key).slice(0, 500).join('');
};

// The database looks through all of a statement for each row.
const batchRows = 200;

/** Conditions of a statement: SQLite bounds how deep an expression is. */
const statementConditions = 100;

const select = ({ sequelize }, sql, replacements) => sequelize.query(sql, { type: QueryTypes.SELECT, replacements });

/** Reads the rows that have a sign in their key, a batch at a time. */
async function* batchesWith(queryInterface, sign, { table, columns }) {
  const sql = `SELECT ${columns.join(', ')} FROM ${table} WHERE id > :after AND INSTR(search_key, :sign) > 0 ORDER BY id LIMIT :batchRows`;
  for (let after = ''; ; ) {
    const rows = await select(queryInterface, sql, { sign, after, batchRows });
    if (rows.length > 0) yield rows;
    if (rows.length < batchRows) return;
    after = rows[rows.length - 1].id;
  }
}

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
 * Rewrites the keys and words of the accounts that have a sign. The rows are written after their words, so that what was
 * interrupted is done again.
 */
async function rewriteAccounts(queryInterface, sign, keyOf) {
  const names = ['first_name', 'last_name', 'first_name_key', 'last_name_key'];
  const columns = ['id', 'email', 'search_key', ...names];
  const source = { table: 'users', columns };
  for await (const before of batchesWith(queryInterface, sign, source)) {
    const after = before.map((account) => ({ ...account, search_key: keyOf(account) }));
    const removed = [];
    const added = [];
    for (const [index, account] of after.entries()) {
      const [old, now] = [storedWords(before[index]), storedWords(account)];
      removed.push(...old.filter((word) => !now.includes(word)).map((word) => [word, account.id]));
      added.push(...now.filter((word) => !old.includes(word)).map((word) => [word, account.id]));
    }
    await deleteAccountWords(queryInterface, removed);
    await insertWords(queryInterface, 'account_words', 'account_id', added);
    await writeKeys(queryInterface, 'users', after);
  }
}

/** The same for courses. */
async function rewriteCourses(queryInterface, sign, keyOf) {
  const columns = ['id', 'search_key', 'title', 'category', 'tags_json'];
  const source = { table: 'courses', columns };
  for await (const courses of batchesWith(queryInterface, sign, source)) {
    for (const course of courses) course.search_key = keyOf(course);
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
    await rewriteAccounts(queryInterface, finalSigma, keyOf);
    await rewriteCourses(queryInterface, finalSigma, keyOf);
    // Rows of plans, which are few and soon gone, have no id.
    await queryInterface.sequelize.query(
      'UPDATE import_plan_rows SET search_key = REPLACE(search_key, :finalSigma, :sigma) WHERE INSTR(search_key, :finalSigma) > 0',
      { replacements: { finalSigma, sigma } },
    );
  },

  async down(queryInterface) {
    await rewriteAccounts(queryInterface, sigma, (account) =>
      formerKey(account.first_name, account.last_name, account.email),
    );
    await rewriteCourses(queryInterface, sigma, ({ title, category, tags_json: tags }) =>
      formerKey(title, category, ...JSON.parse(tags ?? '[]')),
    );
  },
};
