import Joi from 'joi';
import { hasTooManyMarks, rawLength } from './text.js';

/** Numbers, dates and words: none is longer, in units of UTF-16. */
const longestWord = 200;

interface Meta {
  maxLength?: number;
}

/** In characters; undefined where the schema has no limit. */
function maxLengthOf(schema: Joi.Schema): number | undefined {
  // Not in Joi's types: what `meta()` was given.
  const { metas } = schema.$_terms as { metas: Meta[] | null };
  return metas?.find(({ maxLength }) => maxLength !== undefined)?.maxLength;
}

/** Refuses a text in the place of a number, a date or a boolean before it is read as one. */
const readFromShortText = (type: 'number' | 'date' | 'boolean'): Joi.Extension => ({
  type,
  base: Joi[type](),
  prepare: (value: unknown, helpers) =>
    typeof value === 'string' && value.length > longestWord
      ? { value, errors: helpers.error(`${type}.base`) }
      : undefined,
});

const text: Joi.Extension = {
  type: 'string',
  base: Joi.string(),
  messages: {
    'string.tooLong': '{{#label}} is too long.',
    'string.marks': '{{#label}} has too many combining marks in a row.',
  },
  prepare(value: unknown, helpers) {
    if (typeof value !== 'string') return undefined;
    const maxLength = maxLengthOf(helpers.schema);
    if (value.length > rawLength(maxLength ?? 0))
      return { value, errors: helpers.error('string.tooLong', { limit: maxLength }) };
    return hasTooManyMarks(value) ? { value, errors: helpers.error('string.marks') } : undefined;
  },
};

/** A list that is too long is refused for its length, before there is a problem for each of its items. */
const list: Joi.Extension = {
  type: 'array',
  base: Joi.array(),
  prepare(value: unknown, helpers) {
    if (!Array.isArray(value)) return undefined;
    // Joi's types don't say which arguments a rule has.
    const { limit } = (helpers.schema.$_getRule('max')?.args ?? {}) as { limit?: number };
    return limit !== undefined && value.length > limit
      ? { value, errors: helpers.error('array.max', { limit, value }) }
      : undefined;
  },
};

/**
 * Joi for everything that comes from outside: the raw length of a text or list is bounded before anything is done to it.
 * A text may have twice the units of UTF-16 that its `maxLength` (meta) has characters, and some more that are trimmed.
 */
const bounded: typeof Joi = Joi.extend(
  text,
  list,
  readFromShortText('number'),
  readFromShortText('date'),
  readFromShortText('boolean'),
);
export default bounded;
