import { type FindOptions, Op } from 'sequelize';
import { validationError } from '../errors.js';
import type { Core } from './core.js';

/** The end of an id: the beginnings of UUIDv7 of the same time are alike. */
const ending = /^[\da-f]{8,12}$/;

/** How many ids an ambiguous ending lists. */
const maxListedIds = 5;

/** What is named by an id alone. */
export type NamedById = 'Enrollment' | 'Import' | 'Session' | 'File';

type Find = (core: Core, options: FindOptions) => Promise<{ id: string }[]>;

const finders: Readonly<Record<NamedById, Find>> = {
  Enrollment: ({ database }, options) => database.models.Enrollment.findAll(options),
  Import: ({ database }, options) => database.models.Import.findAll(options),
  Session: ({ database }, options) => database.models.Session.findAll(options),
  File: ({ database }, options) => database.models.StoredFile.findAll(options),
};

/**
 * The id that ends so, of 8 digits or more. Other text, and the end of none, is returned as it is: the operation refuses it.
 * @param within whose it is, such as the files of a course
 * @throws AppError `VALIDATION` for the end of several ids
 */
export async function wholeId(
  core: Core,
  subject: NamedById,
  typed: string,
  within: { userId?: string; courseId?: string } = {},
): Promise<string> {
  const end = typed.trim().toLowerCase();
  if (!ending.test(end)) return typed;
  const where = { ...within, id: { [Op.like]: `%${end}` } };
  const found = await core.database.read(() =>
    finders[subject](core, { attributes: ['id'], where, order: ['id'], limit: maxListedIds + 1 }),
  );
  if (found.length < 2) return found[0]?.id ?? typed;
  const ids = found.slice(0, maxListedIds).map(({ id }) => id);
  const more = found.length > maxListedIds ? ' and others' : '';
  const message = `${subject}: several ids end with ${end}. Give the whole id: ${ids.join(', ')}${more}.`;
  throw validationError([{ path: 'id', message }]);
}
