import type Types from 'joi';
import { countCharacters, id, oneOf, text, tooLong, unprintable, withCheck } from './fields.js';
import Joi from './joi.js';
import { searchKey } from './keys.js';
import { refuse } from './problems.js';
import { withoutInvisible } from './text.js';

/** Common parameters of listings: search, page, order and optional keys. */

const searchMaximum = 200;

/**
 * Schema of one or more words of a closed list, separated by commas, because a query parameter has one value. The result is a list
 * without duplicates.
 */
export function severalOf(label: string, words: readonly string[]) {
  const mustBe = `${label} must be one of ${words.join(', ')}.`;
  return Joi.string()
    .custom((value: string, helpers) => {
      const chosen = [...new Set(value.split(',').map((word) => word.trim()))];
      if (chosen.every((word) => words.includes(word))) return chosen;
      return refuse(helpers, { code: 'NOT_ONE_OF', params: { values: words }, message: mustBe });
    })
    .messages({ '*': mustBe })
    .meta({ type: 'array', items: { type: 'string', enum: [...words] } });
}

/** Schema of optional keys of a response. */
export const include = <T extends string>(...keys: readonly [T, ...T[]]) =>
  severalOf('include', keys).description(
    `Optional keys of the response: ${keys.join(', ')}. Several are separated by commas`,
  );

const searchTooLong = `search must be at most ${searchMaximum} characters.`;

/** Text to search for in names and titles. */
export const search = withCheck(text('search', searchTooLong).trim().allow(''), (value) => {
  if (countCharacters(value) > searchMaximum) return tooLong(searchMaximum, searchTooLong);
  return unprintable.test(value)
    ? { code: 'UNUSABLE_CHARACTERS', message: 'search must not contain control characters.' }
    : undefined;
})
  // Stored names contain no invisible characters.
  .custom((value: string) => withoutInvisible(value).trim())
  .meta({ maxLength: searchMaximum });

/** Schema of a filter in a body. Refuses unknown conditions and an empty search, because the filter would match everything. */
export function conditions<T extends { search?: string }>(keys: Types.SchemaMap<T>) {
  const names = Object.keys(keys);
  return Joi.object<T>(keys)
    .custom((filter: T, helpers) => {
      // Joi types `original` as any. The base schema has checked that it is an object.
      if (Object.keys(helpers.original as object).some((name) => !names.includes(name)))
        return refuse(helpers, { code: 'UNKNOWN', message: `filter may have only ${names.join(', ')}.` });
      const { search: sought, ...others } = filter;
      return Object.keys(others).length > 0 || searchKey(sought) !== '' ? filter : helpers.error('object.min');
    })
    .min(1)
    .messages({ 'object.base': 'filter must be an object.', 'object.min': 'filter must have a condition.' });
}

export type EndedFilter = 'true' | 'false' | 'all';

/** Filter of courses: ended ones, running and future ones, or all. */
export const ended = oneOf('ended', ['true', 'false', 'all'] as const).default('all');

/** `true` or `false` in a query string. */
export const queryBoolean = (label: string) =>
  Joi.boolean()
    .sensitive()
    .messages({ 'boolean.base': `${label} must be true or false.` });

export const wholeNumber = (label: string, minimum: number, maximum: number) =>
  Joi.number()
    .integer()
    .min(minimum)
    .max(maximum)
    .messages({ '*': `${label} must be a whole number from ${minimum} to ${maximum}.` });

/** Filter by the first day of a course: today, or at most this number of days later. */
export const startsWithin = wholeNumber('startsWithin', 0, 366)
  .description('Only courses that start today or within this number of days')
  .example(7);

/** Highest page. It keeps `page * limit` within the offsets that every database accepts. */
const maximumPage = 1_000_000;

export function paging(defaultLimit: number) {
  return {
    page: wholeNumber('page', 1, maximumPage).default(1),
    limit: wholeNumber('limit', 1, 100).default(defaultLimit),
  };
}

/** Query parameters of a paged listing that may be long. */
export function pagingWithKey(defaultLimit: number) {
  return { ...paging(defaultLimit), afterId: id('afterId') };
}

/** Query parameters of a sorted listing. The first field is the default. */
export function sorting<T extends string>(fields: readonly [T, ...T[]]) {
  return {
    sortBy: oneOf('sortBy', fields).default(fields[0]),
    sortOrder: oneOf('sortOrder', ['ASC', 'DESC'] as const).default('DESC'),
  };
}

export interface Paging {
  page: number;
  limit: number;
}

/** Paging of a listing that may be long. */
export interface PagingWithKey extends Paging {
  /** Id of the last item on the previous page of the client. */
  afterId?: string;
}

export interface Sorting<T extends string> {
  sortBy: T;
  sortOrder: 'ASC' | 'DESC';
}
