import Joi from 'joi';
import { problemCodes } from '../../field-problem.js';
import { enrollmentStatuses } from '../../schemas/enrollment-statuses.js';
import { roles } from '../../schemas/fields.js';
import type { FieldColumn } from '../../schemas/fields-table.js';
import { importStatuses } from '../../schemas/import.js';
import { publicCodes } from './failures.js';
import { component } from './json-schema.js';

/** Schemas of responses, for the documentation and the contract tests. Keys are required unless marked as optional. */

export const text = Joi.string().required();
export const nullableText = Joi.string().allow(null, '').required();
/** One of the values, or null. Joi's conversion to JSON Schema omits null, so `meta` has the complete list. */
export const nullableEnum = (words: readonly string[]) =>
  Joi.valid(...words, null)
    .meta({ enum: [...words, null] })
    .required();
/** One of the given messages. */
export const message = (...texts: string[]) => Joi.valid(...texts).required();
export const boolean = Joi.boolean().strict().required();
export const count = Joi.number().integer().min(0).required();
export const id = Joi.string().required();
/** The id in a path, with a description. */
export const idOf = (entity: string) => id.description(`Id of the ${entity}`);
export const timestamp = Joi.date().iso().required();
export const nullableTimestamp = Joi.date().iso().allow(null).required();
export const date = Joi.string()
  .pattern(/^\d{4}-\d{2}-\d{2}$/)
  .required();
export const nullableDate = date.allow(null);
export const token = Joi.string().required();

const role = component('Role', 'Role of an account', Joi.valid(...roles).required());
function wholeNumberOf({ range, nullable }: Extract<FieldColumn, { type: 'number' }>): Joi.Schema {
  const number = Joi.number().integer().required();
  const bounded = range ? number.min(range[0]).max(range[1]) : number;
  return nullable ? bounded.allow(null) : bounded;
}

export const enrollmentStatus = component(
  'EnrollmentStatus',
  'Status of an enrollment',
  Joi.valid(...enrollmentStatuses).required(),
);

function shapeOf(column: FieldColumn): Joi.Schema {
  switch (column.type) {
    case 'word':
      if ('nullable' in column) return nullableEnum(column.words);
      if (column.words === roles) return role;
      return column.words === enrollmentStatuses ? enrollmentStatus : Joi.valid(...column.words).required();
    case 'flag':
      return boolean;
    case 'moment':
      return 'nullable' in column ? nullableTimestamp : timestamp;
    case 'date':
      return nullableDate;
    case 'number':
      return wholeNumberOf(column);
    case 'list':
      return Joi.array().items(Joi.string()).required();
    case 'longText':
      return 'nullable' in column ? nullableText : text.allow('');
    default:
      if ('nullable' in column) return nullableText;
      return column.default === '' || column.mayBeEmpty ? text.allow('') : text;
  }
}

/** Returns schemas of the id and of some fields. @param table declarations of all fields */
export const shapesOf = <Field extends string>(
  table: Record<Field, { column: FieldColumn }>,
  shown: readonly Field[],
): Record<string, Joi.Schema> => ({
  id,
  ...Object.fromEntries(shown.map((field) => [field, shapeOf(table[field].column)])),
});

/** Code in the header of every failure. */
export const errorCode = component('ErrorCode', 'Why a request was refused', Joi.valid(...publicCodes).required());

const bound = Joi.number().integer().min(0).example(3);
const words = Joi.array().items(Joi.string()).example([]);

/** Values in the message of a failure. Failures of the specification have none. */
export const errorParams = component(
  'ErrorParams',
  'Values in the message; absent without any',
  Joi.object({
    seatsLeft: bound.description('Free seats of the course'),
    wanted: bound.description('Requested seats').example(5),
    maxBytes: bound.description('Maximum bytes of a file, or of all files of a course'),
    max: bound.description('Maximum number, such as of courses of a trainer, files of a course, or members of a group'),
    from: Joi.valid(...enrollmentStatuses).description('Current status of the enrollment'),
    to: Joi.valid(...enrollmentStatuses).description('Requested status of the enrollment'),
    status: Joi.valid(...importStatuses).description('Status of the import'),
  }).example({ seatsLeft: 3 }),
);

const problemParams = component(
  'ProblemParams',
  'Values in the message of a problem; empty without any',
  Joi.object({
    min: bound.description('Minimum number of characters or items, or minimum value'),
    max: bound.description('Maximum number of characters or items, or maximum value'),
    values: words.description('Permitted values'),
    types: words.description('Permitted JSON types'),
    fields: words.description('Other fields that the problem concerns'),
  })
    .example({ min: 2 })
    .required(),
);

const pagination = component(
  'Pagination',
  'The page of a listing',
  Joi.object({
    currentPage: count,
    totalPages: count,
    totalItems: count,
    itemsPerPage: count,
    totalItemsCapped: Joi.valid(true),
  }).required(),
);

/** Response of a paged listing. */
export function pageOf(plural: string, item: Joi.ObjectSchema): Joi.ObjectSchema {
  return Joi.object({
    [plural]: Joi.array().items(item).required(),
    pagination,
  });
}

/** Every failure except invalid input. */
export const failure = component(
  'Error',
  'Any failure except invalid input; the header `Error-Code` has its code',
  Joi.object({
    error: text,
    code: Joi.string().description('Set if clients must handle this failure').example('PASSWORD_CHANGE_REQUIRED'),
    params: errorParams,
  }),
);

export const validationFailure = component(
  'ValidationError',
  'Invalid input, with every invalid field',
  Joi.object({
    errors: Joi.array()
      .items(
        Joi.object({
          type: Joi.valid('field').required(),
          path: Joi.string().allow('').required(),
          location: Joi.valid('body', 'query', 'params').description('Part of the request').required(),
          msg: text,
          code: component(
            'ProblemCode',
            'Problem of a field',
            Joi.valid(...problemCodes).example('TOO_SHORT'),
          ).required(),
          params: problemParams,
        }),
      )
      .min(1)
      .required(),
  }),
);
