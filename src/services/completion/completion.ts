import type { Config } from '../../config/config.js';
import type { Database } from '../../db/connection.js';
import { selectFromFile } from '../../db/sqlite/thread.js';
import { foldCase, normalizeEmail } from '../../schemas/keys.js';
import { lastCharacter } from '../../schemas/search-words.js';
import { groupNameMaximum, sortKeyBeginning, titleMaximum } from '../../schemas/sort-key.js';
import { parseId, shortIdLength } from '../ids.js';

export type Completable = 'course' | 'user' | 'group' | 'enrollment' | 'import';

/** Suggestion for an argument of the command line. */
export interface Suggestion {
  value: string;
  /** Whether the value is a number or the end of an id, which people can't recognise. */
  isCode: boolean;
  /** Text that helps people to choose. */
  description: string;
}

/** Maximum number of suggestions. Limited, because a shell shows all of them. */
const maxSuggestions = 100;

const shortIdOf = (id: string) => id.slice(-shortIdLength);

const joinParts = (...parts: readonly string[]) => parts.filter((part) => part !== '').join(', ');

const beginsWith = (text: string, typed: string) => foldCase(text.slice(0, typed.length)) === foldCase(typed);

export interface SuggestionSource {
  settings: Config['database'];
  open(): Promise<Database>;
}

type Row = readonly unknown[];

/**
 * Runs a SELECT. For an SQLite file, skips loading Sequelize, because a person waits for the result.
 * @param sql has `?` for each value, and nowhere else
 */
async function select({ settings, open }: SuggestionSource, sql: string, values: readonly string[]): Promise<Row[]> {
  if (settings.dialect !== 'sqlite') {
    const [{ runSelect }, database] = await Promise.all([import('../../db/sql/select.js'), open()]);
    return database.read(() => runSelect(database.sequelize, sql, { values }));
  }
  try {
    return await selectFromFile(settings, sql, values);
  } catch (error) {
    const { translateError } = await import('../../db/translate-error.js');
    throw translateError(error, settings);
  }
}

/** Returns the LIKE pattern of ids whose short id begins with the typed characters; undefined if no id can match. */
function idPattern(typed: string): string | undefined {
  if (typed === '') return '%';
  if (typed.length > shortIdLength || !/^[\da-f]+$/i.test(typed)) return undefined;
  return `%${typed.toLowerCase()}${'_'.repeat(shortIdLength - typed.length)}`;
}

/**
 * Suggests titles of courses. A short id replaces a title that several courses have (ignoring case), or that looks like
 * an id or an option.
 */
async function suggestCourses(source: SuggestionSource, typed: string): Promise<Suggestion[]> {
  const { from, below } = sortKeyBeginning(typed, titleMaximum);
  const ids = typed === '' ? undefined : idPattern(typed);
  const rows = await select(
    source,
    `SELECT courses.id, title, first_name, last_name FROM courses LEFT JOIN users ON users.id = trainer_id
      WHERE (title_key >= ? AND title_key < ?)${ids ? ' OR courses.id LIKE ?' : ''} ORDER BY title_key, courses.id LIMIT ${maxSuggestions}`,
    [from, below, ...(ids ? [ids] : [])],
  );
  const found = rows.map(([id, title, ...trainer]) => ({ id: String(id), title: String(title), trainer }));
  const counts = new Map<string, number>();
  for (const { title } of found) counts.set(foldCase(title), (counts.get(foldCase(title)) ?? 0) + 1);
  return found.flatMap(({ id, title, trainer }) => {
    const isName = counts.get(foldCase(title)) === 1 && parseId(title) === undefined && !title.startsWith('-');
    const byTitle = { value: title, isCode: false, description: trainer.join(' ') };
    const byId = { value: shortIdOf(id), isCode: true, description: joinParts(title, trainer.join(' ')) };
    if (isName && beginsWith(title, typed)) return [byTitle];
    return beginsWith(byId.value, typed) ? [byId] : [];
  });
}

/** Suggests email addresses. */
async function suggestUsers(source: SuggestionSource, typed: string): Promise<Suggestion[]> {
  const from = normalizeEmail(typed);
  const rows = await select(
    source,
    `SELECT email, first_name, last_name FROM users WHERE email >= ? AND email < ? ORDER BY email LIMIT ${maxSuggestions}`,
    [from, from + lastCharacter],
  );
  return rows.map(([email, ...names]) => ({ value: String(email), isCode: false, description: names.join(' ') }));
}

/** Suggests names of groups. Leaves out names that look like an id or an option. */
async function suggestGroups(source: SuggestionSource, typed: string): Promise<Suggestion[]> {
  const { from, below } = sortKeyBeginning(typed, groupNameMaximum);
  const rows = await select(
    source,
    `SELECT name FROM \`groups\` WHERE sort_key >= ? AND sort_key < ? ORDER BY sort_key LIMIT ${maxSuggestions}`,
    [from, below],
  );
  const found = rows.map(([name]) => ({ value: String(name), isCode: false, description: '' }));
  return found.filter(({ value }) => parseId(value) === undefined && !value.startsWith('-'));
}

/** Suggests short ids, newest first. */
async function suggestEnrollments(source: SuggestionSource, typed: string): Promise<Suggestion[]> {
  const ids = idPattern(typed);
  if (!ids) return [];
  const rows = await select(
    source,
    `SELECT enrollments.id, first_name, last_name, title, status FROM enrollments
      JOIN users ON users.id = user_id JOIN courses ON courses.id = course_id
      WHERE enrollments.id LIKE ? ORDER BY enrollments.id DESC LIMIT ${maxSuggestions}`,
    [ids],
  );
  return rows.map(([id, firstName, lastName, title, status]) => ({
    value: shortIdOf(String(id)),
    isCode: true,
    description: joinParts(`${firstName} ${lastName}`, String(title), String(status)),
  }));
}

/** Suggests numbers of imports, newest first; short ids if no number begins with the typed characters. */
async function suggestImports(source: SuggestionSource, typed: string): Promise<Suggestion[]> {
  const find = async (column: string, pattern: string, nameOf: (value: string) => string): Promise<Suggestion[]> => {
    const rows = await select(
      source,
      `SELECT ${column}, file_name, SUBSTR(CAST(created_at AS CHAR), 1, 16) FROM imports
        WHERE CAST(${column} AS CHAR) LIKE ? ORDER BY id DESC LIMIT ${maxSuggestions}`,
      [pattern],
    );
    return rows.map(([value, ...others]) => ({
      value: nameOf(String(value)),
      isCode: true,
      description: others.join(', '),
    }));
  };
  const ids = idPattern(typed);
  if (!ids) return [];
  const numbered = /^\d*$/.test(typed) ? await find('number', `${typed}%`, String) : [];
  return numbered.length > 0 ? numbered : find('id', ids, shortIdOf);
}

const finders: Readonly<Record<Completable, (source: SuggestionSource, typed: string) => Promise<Suggestion[]>>> = {
  course: suggestCourses,
  user: suggestUsers,
  group: suggestGroups,
  enrollment: suggestEnrollments,
  import: suggestImports,
};

/**
 * Returns at most 100 suggestions that begin with the typed characters, ignoring case. Each suggestion keeps the typed
 * characters, because shells drop suggestions that differ from them.
 */
export async function suggestNames(source: SuggestionSource, kind: Completable, typed: string): Promise<Suggestion[]> {
  const names = await finders[kind](source, typed);
  return names
    .filter(({ value }) => beginsWith(value, typed))
    .map((name) => ({ ...name, value: typed + name.value.slice(typed.length) }));
}
