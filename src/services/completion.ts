import { cast, col, Op, type WhereOptions, where as whereIs } from 'sequelize';
import type { Import } from '../db/models/import.js';
import { caseless, normalizeEmail } from '../schemas/keys.js';
import { lastCharacter } from '../schemas/search-words.js';
import { sortKeyBeginning, titleMaximum } from '../schemas/sort-key.js';
import type { Core } from './core.js';
import { idIn } from './ids.js';
import { shortIdLength } from './short-ids.js';

/** What can be completed. */
export type Completable = 'course' | 'user' | 'enrollment' | 'import';

/** What names something at the command line. */
export interface Name {
  value: string;
  /** It is a number or the end of an id, which says little. */
  isCode: boolean;
  /** What else people need to choose between those of a kind. */
  description: string;
}

/** How many names are offered at most: a shell shows them all. */
const most = 100;

const shortened = (id: string) => id.slice(-shortIdLength);

const nameOf = (person: { firstName: string; lastName: string } | undefined) =>
  person ? `${person.firstName} ${person.lastName}` : '';

const listed = (...parts: readonly (string | undefined)[]) => parts.filter((part) => part).join(', ');

/** Whether a text begins as typed, in any case. */
const begins = (text: string, typed: string) => caseless(text.slice(0, typed.length)) === caseless(typed);

/** The ids whose last characters begin so; all for none typed. Nothing where no id can be meant. */
function idsBeginning(typed: string): { id?: { [Op.like]: string } } | undefined {
  if (typed === '') return {};
  if (typed.length > shortIdLength || !/^[\da-f]+$/i.test(typed)) return undefined;
  return { id: { [Op.like]: `%${typed.toLowerCase()}${'_'.repeat(shortIdLength - typed.length)}` } };
}

/**
 * Titles, and short ids of courses that their titles don't name: where several have the same but for case, and where it is
 * spelled like an id or an option.
 */
async function courses({ database }: Core, typed: string): Promise<Name[]> {
  const { Course, User } = database.models;
  const { from, below } = sortKeyBeginning(typed, titleMaximum);
  const ids = typed === '' ? undefined : idsBeginning(typed);
  const beginning = { titleKey: { [Op.gte]: from, [Op.lt]: below } };
  const where: WhereOptions = ids ? { [Op.or]: [beginning, ids] } : beginning;
  const found = await database.read(() =>
    Course.findAll({
      attributes: ['id', 'title'],
      where,
      include: [{ model: User, as: 'trainer', attributes: ['firstName', 'lastName'] }],
      order: ['titleKey', 'id'],
      limit: most,
    }),
  );
  const counts = new Map<string, number>();
  for (const { title } of found) counts.set(caseless(title), (counts.get(caseless(title)) ?? 0) + 1);
  return found.flatMap(({ id, title, trainer }) => {
    const isName = counts.get(caseless(title)) === 1 && idIn(title) === undefined && !title.startsWith('-');
    const byTitle = { value: title, isCode: false, description: nameOf(trainer) };
    const byId = { value: shortened(id), isCode: true, description: listed(title, nameOf(trainer)) };
    if (isName && begins(title, typed)) return [byTitle];
    return begins(byId.value, typed) ? [byId] : [];
  });
}

/** Email addresses. */
async function users({ database }: Core, typed: string): Promise<Name[]> {
  const from = normalizeEmail(typed);
  const found = await database.read(() =>
    database.models.User.findAll({
      attributes: ['email', 'firstName', 'lastName'],
      where: { email: { [Op.gte]: from, [Op.lt]: from + lastCharacter } },
      order: ['email'],
      limit: most,
    }),
  );
  return found.map((user) => ({ value: user.email, isCode: false, description: nameOf(user) }));
}

/** Short ids, the newest first. */
async function enrollments({ database }: Core, typed: string): Promise<Name[]> {
  const where = idsBeginning(typed);
  if (!where) return [];
  const { Enrollment, User, Course } = database.models;
  const found = await database.read(() =>
    Enrollment.findAll({
      attributes: ['id', 'status'],
      where,
      include: [
        { model: User, as: 'user', attributes: ['firstName', 'lastName'] },
        { model: Course, as: 'course', attributes: ['title'] },
      ],
      order: [['id', 'DESC']],
      limit: most,
    }),
  );
  return found.map(({ id, status, user, course }) => ({
    value: shortened(id),
    isCode: true,
    description: listed(nameOf(user), course?.title, status),
  }));
}

/** Numbers, or short ids where no number begins so; the newest first. */
async function imports({ database }: Core, typed: string): Promise<Name[]> {
  const find = async (where: WhereOptions, nameOne: (record: Import) => string): Promise<Name[]> => {
    const attributes = ['id', 'number', 'fileName', 'createdAt'];
    const order: [string, string][] = [['id', 'DESC']];
    const found = await database.read(() => database.models.Import.findAll({ attributes, where, order, limit: most }));
    return found.map((record) => ({
      value: nameOne(record),
      isCode: true,
      description: `${record.fileName}, ${record.createdAt.toISOString().slice(0, 16).replace('T', ' ')}`,
    }));
  };
  const ids = idsBeginning(typed);
  if (!ids) return [];
  const numbered = /^\d*$/.test(typed)
    ? await find(whereIs(cast(col('number'), 'char'), { [Op.like]: `${typed}%` }), ({ number }) => String(number))
    : [];
  return numbered.length > 0 ? numbered : find(ids, ({ id }) => shortened(id));
}

const finders: Readonly<Record<Completable, (core: Core, typed: string) => Promise<Name[]>>> = {
  course: courses,
  user: users,
  enrollment: enrollments,
  import: imports,
};

/**
 * What the command line accepts as the name of one of these, beginning as typed in any case: at most 100, with what was typed
 * as it is, because shells leave out what differs.
 */
export async function namesBeginning(core: Core, what: Completable, typed: string): Promise<Name[]> {
  const names = await finders[what](core, typed);
  return names
    .filter(({ value }) => begins(value, typed))
    .map((name) => ({ ...name, value: typed + name.value.slice(typed.length) }));
}
