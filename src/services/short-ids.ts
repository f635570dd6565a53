import { type FindOptions, Op } from 'sequelize';
import { validationError } from '../errors.js';
import type { Core } from './core.js';

/** Short ids are ends of ids, because UUIDv7 of the same time have the same beginning. */
const ending = /^[\da-f]{8,12}$/;

export const isEndOfId = (text: string) => ending.test(text.trim().toLowerCase());

const maxListedIds = 5;

/** Models whose objects can be named by the end of an id. */
export type ShortIdSubject =
  | 'Enrollment'
  | 'Import'
  | 'Session'
  | 'Identity'
  | 'File'
  | 'Course'
  | 'User'
  | 'Group'
  | 'Mail';

type Find = (core: Core, options: FindOptions) => Promise<{ id: string }[]>;

const finders: Readonly<Record<ShortIdSubject, Find>> = {
  Enrollment: ({ database }, options) => database.models.Enrollment.findAll(options),
  Import: ({ database }, options) => database.models.Import.findAll(options),
  Session: ({ database }, options) => database.models.Session.findAll(options),
  Identity: ({ database }, options) => database.models.Identity.findAll(options),
  File: ({ database }, options) => database.models.StoredFile.findAll(options),
  Course: ({ database }, options) => database.models.Course.findAll(options),
  User: ({ database }, options) => database.models.User.findAll(options),
  Group: ({ database }, options) => database.models.Group.findAll(options),
  Mail: ({ database }, options) => database.models.Mail.findAll(options),
};

/** Owner of the objects, such as the course of files. */
interface OwnerFilter {
  userId?: string;
  courseId?: string;
}

/**
 * Finds the id with this end of 8 to 12 digits.
 * @returns undefined if no id has this end, and for text of another form
 * @throws AppError `VALIDATION` for the end of several ids
 */
export async function findIdEndingWith(
  core: Core,
  subject: ShortIdSubject,
  text: string,
  within: OwnerFilter = {},
): Promise<string | undefined> {
  const end = text.trim().toLowerCase();
  if (!isEndOfId(end)) return undefined;
  const where = { ...within, id: { [Op.like]: `%${end}` } };
  const found = await core.database.read(() =>
    finders[subject](core, { attributes: ['id'], where, order: ['id'], limit: maxListedIds + 1 }),
  );
  if (found.length < 2) return found[0]?.id;
  const ids = found.slice(0, maxListedIds).map(({ id }) => id);
  const more = found.length > maxListedIds ? ' and others' : '';
  const message = `${subject}: several ids end with ${end}. Give the whole id: ${ids.join(', ')}${more}.`;
  throw validationError([{ path: 'id', code: 'AMBIGUOUS', message }]);
}

/** Returns the whole id, or the text unchanged if no id has this end: the operation then refuses the text. */
export async function resolveShortId(
  core: Core,
  subject: ShortIdSubject,
  text: string,
  within: OwnerFilter = {},
): Promise<string> {
  return (await findIdEndingWith(core, subject, text, within)) ?? text;
}
