import { expect } from 'chai';
import type Joi from 'joi';
import { isAppError } from '../../src/errors.js';
import { courseUpdateSchema } from '../../src/schemas/course.js';
import { bulkAssignmentSchema, enrollmentListingSchema } from '../../src/schemas/enrollment.js';
import { importOptionsSchema } from '../../src/schemas/import.js';
import { registerSchema } from '../../src/schemas/user.js';
import { validate } from '../../src/schemas/validate.js';

/** Returns the code and parameters of the only problem of a field. */
function problemOf(schema: Joi.ObjectSchema, path: string, value: unknown) {
  try {
    validate(schema, { [path]: value });
  } catch (error) {
    if (!isAppError(error, 'VALIDATION')) throw error;
    const { code, params } = error.details.find((detail) => detail.path === path) ?? {};
    return [code, params ?? {}];
  }
  return undefined;
}

describe('The problem of a field has a code and parameters', () => {
  const roles = ['super_admin', 'trainer', 'trainee'];
  const cases: readonly [schema: Joi.ObjectSchema, path: string, value: unknown, code: string, params: object][] = [
    [registerSchema, 'firstName', undefined, 'REQUIRED', {}],
    [registerSchema, 'firstName', '  ', 'REQUIRED', {}],
    [registerSchema, 'firstName', 5, 'WRONG_TYPE', { types: ['string'] }],
    [registerSchema, 'firstName', 'A', 'TOO_SHORT', { min: 2 }],
    [registerSchema, 'firstName', 'a'.repeat(51), 'TOO_LONG', { max: 50 }],
    [registerSchema, 'firstName', 'a'.repeat(5000), 'TOO_LONG', { max: 50 }],
    [registerSchema, 'firstName', '\u200b\u200b', 'INVISIBLE', {}],
    [registerSchema, 'firstName', 'Ada\u0000', 'UNUSABLE_CHARACTERS', {}],
    [registerSchema, 'email', 'nobody', 'EMAIL_INVALID', {}],
    [registerSchema, 'phone', 'a@b', 'PHONE_INVALID', {}],
    [registerSchema, 'password', 'short', 'TOO_SHORT', { min: 6 }],
    [registerSchema, 'role', 'king', 'NOT_ONE_OF', { values: roles }],
    [registerSchema, 'isActive', 'true', 'WRONG_TYPE', { types: ['boolean'] }],
    [courseUpdateSchema, 'maxStudents', 0, 'TOO_SMALL', { min: 1 }],
    [courseUpdateSchema, 'maxStudents', 1e9, 'TOO_LARGE', { max: 1_000_000 }],
    [courseUpdateSchema, 'maxStudents', 1.5, 'WRONG_TYPE', { types: ['integer'] }],
    [courseUpdateSchema, 'startDate', '2026-02-30', 'DATE_INVALID', {}],
    [courseUpdateSchema, 'tags', Array.from({ length: 31 }, String), 'TOO_MANY', { max: 30 }],
    [bulkAssignmentSchema, 'traineeIds', [], 'TOO_FEW', { min: 1 }],
    [enrollmentListingSchema, 'sortBy', 'name', 'NOT_ONE_OF', { values: ['enrolledAt', 'completedAt', 'progress'] }],
    [
      importOptionsSchema,
      'resetPasswords',
      'true',
      'NEEDS_OTHER_FIELD',
      { fields: ['onExisting'], values: ['update'] },
    ],
  ];
  for (const [schema, path, value, code, params] of cases)
    it(`${path} ${JSON.stringify(value)?.slice(0, 30)}: ${code}`, () => {
      expect(problemOf(schema, path, value)).to.deep.equal([code, params]);
    });
});
