import Joi from 'joi';
import { hasTooManyMarks, rawLength } from './text.js';

/** Maximum length of numbers, dates and words, in UTF-16 units. */
const longestWord = 200;

interface Meta {
  /** Maximum length in characters. */
  maxLength?: number;
  /** Whether blank text becomes null. */
  blankIsNull?: boolean;
}

const metaOf = (schema: Joi.Schema): Meta =>
  // Joi's types lack the values of `meta()`.
  Object.assign({}, ...((schema.$_terms as { metas: Meta[] | null }).metas ?? []));

/** Refuses a long text in place of a number, a date or a boolean, before it is parsed. */
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
    const { maxLength, blankIsNull } = metaOf(helpers.schema);
    if (value.length > rawLength(maxLength ?? 0))
      return { value, errors: helpers.error('string.tooLong', { limit: maxLength }) };
    if (blankIsNull && value.trim() === '') return { value: null };
    return hasTooManyMarks(value) ? { value, errors: helpers.error('string.marks') } : undefined;
  },
};

/** Refuses a list that is too long before its items are checked. */
const list: Joi.Extension = {
  type: 'array',
  base: Joi.array(),
  prepare(value: unknown, helpers) {
    if (!Array.isArray(value)) return undefined;
    // Joi's types lack the arguments of rules.
    const { limit } = (helpers.schema.$_getRule('max')?.args ?? {}) as { limit?: number };
    return limit !== undefined && value.length > limit
      ? { value, errors: helpers.error('array.max', { limit, value }) }
      : undefined;
  },
};

/**
 * Joi for all external input. It limits the raw length of a text or list before any other work. A text may have twice as many UTF-16
 * units as its `maxLength` (meta) has characters, plus some white space that is trimmed.
 */
const bounded: typeof Joi = Joi.extend(
  text,
  list,
  readFromShortText('number'),
  readFromShortText('date'),
  readFromShortText('boolean'),
);
export default bounded;
