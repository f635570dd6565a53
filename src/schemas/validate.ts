import type Joi from 'joi';
import { validationError } from '../errors.js';
import type { FieldProblem } from '../field-problem.js';
import { problemOf } from './problems.js';

/** Maximum number of problems reported for one input. */
const maxProblems = 25;

/**
 * Checks raw input against a schema and returns the normalised value. Drops unknown keys, and keys with the value `undefined`: an
 * option that isn't given is absent, as in JSON.
 * @param input anything: a parsed JSON body, a query, command line options, prompt responses, CSV cells
 * @throws AppError `VALIDATION` with one problem per field, for the first 20 invalid fields. Messages never repeat values
 */
export function validate<T>(schema: Joi.ObjectSchema<T>, input: unknown): T {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    throw validationError([
      { path: '', code: 'WRONG_TYPE', params: { types: ['object'] }, message: 'The input must be an object.' },
    ]);
  }
  const { value, error } = schema.validate(input, {
    abortEarly: false,
    stripUnknown: true,
    errors: { wrap: { label: false } },
  });
  if (!error) return withoutUndefined(value);
  const firstByPath = new Map<string, FieldProblem>();
  for (const detail of error.details) {
    const path = detail.path.join('.');
    if (!firstByPath.has(path)) firstByPath.set(path, { path, ...problemOf(detail), message: detail.message });
  }
  throw validationError([...firstByPath.values()].slice(0, maxProblems));
}

/** Removes keys with the value `undefined`, which Joi keeps. Spreading such a key would clear a field. */
function withoutUndefined<T>(value: T): T {
  for (const key in value) if (value[key] === undefined) delete value[key];
  return value;
}
