import { expect } from 'chai';
import fc from 'fast-check';
import type Joi from 'joi';
import { AppError } from '../../src/errors.js';
import * as auth from '../../src/schemas/auth.js';
import { trainerCourseListingSchema } from '../../src/schemas/course.js';
import { bulkAssignmentSchema, trainerEnrollmentListingSchema } from '../../src/schemas/enrollment.js';
import * as user from '../../src/schemas/user.js';
import { validate } from '../../src/schemas/validate.js';
import { failureOf } from '../db/support/failure.js';

const everything = { ...auth, ...user, trainerCourseListingSchema, trainerEnrollmentListingSchema };
const schemaNames = Object.keys(everything).filter((name) => name.endsWith('Schema')) as (keyof typeof everything)[];

type SchemaName = (typeof schemaNames)[number];
const schemaOf = (name: SchemaName) => everything[name] as Joi.ObjectSchema;
const fieldsOf = (name: SchemaName) => Object.keys((schemaOf(name).describe() as { keys: object }).keys);

const valid = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.org',
  phone: '+44 20 7946 0001',
  password: 'difference engine',
  role: 'trainer',
};

/** Returns the value of an input, or its validation error. Throws other errors. */
function outcome(schema: SchemaName, input: unknown): { value: unknown } | { error: AppError } {
  try {
    return { value: validate(schemaOf(schema), input) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'VALIDATION') return { error };
    throw error;
  }
}

describe('validate', () => {
  it('returns the normalised value with defaults', () => {
    const input = Object.freeze({ ...valid, firstName: ' Ada ', email: 'Ada@Example.org ' });
    expect(validate(user.registerSchema, input)).to.deep.equal({
      ...valid,
      isActive: true,
      requiresPasswordChange: false,
    });
  });

  it('accepts objects only', async () => {
    for (const input of [undefined, null, 'text', 5, true, [], [valid], () => valid, Symbol('x')]) {
      const { code, details } = await failureOf(() => validate(user.registerSchema, input));
      expect(code).to.equal('VALIDATION');
      expect(details).to.deep.equal([
        { path: '', code: 'WRONG_TYPE', params: { types: ['object'] }, message: 'The input must be an object.' },
      ]);
    }
  });

  it('reads no item of a list that is too long, and copies none', () => {
    const reads: PropertyKey[] = [];
    const traineeIds = new Proxy(Array<string>(501).fill('1'), {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads.push(key);
        return Reflect.get(target, key, receiver);
      },
      ownKeys: () => expect.fail('The list was copied.'),
    });
    expect(() => validate(bulkAssignmentSchema, { courseId: '1', traineeIds })).to.throw('at most 500 ids');
    expect(reads).to.deep.equal([]);
  });

  it('drops unknown keys and keys with the value undefined', () => {
    const input = Object.assign(Object.create(null) as object, valid, { id: '1', passwordHash: 'x', isAdmin: true });
    const value = validate(user.registerSchema, input);
    expect(value).to.have.all.keys(...Object.keys(valid), 'isActive', 'requiresPasswordChange');
    const given = { firstName: 'Ada', phone: undefined, role: undefined };
    expect(Object.keys(validate(user.userUpdateSchema, given))).to.deep.equal(['firstName']);
    expect(given).to.have.all.keys('firstName', 'phone', 'role');
  });

  it('drops __proto__ and constructor, and reads no field from them', async () => {
    const evil = JSON.parse(
      `{"__proto__": ${JSON.stringify(valid)}, "constructor": {"prototype": {"x": 1}}}`,
    ) as object;
    const { details } = await failureOf(() => validate(user.registerSchema, evil));
    expect(details.map(({ path }) => path)).to.have.members(Object.keys(valid));
    const value = validate(user.profileSchema, evil);
    expect(value.firstName).to.equal(undefined);
    expect(Object.keys(value)).to.deep.equal([]);
    expect(Object.getPrototypeOf(value)).to.equal(Object.prototype);
    expect(({} as { x?: unknown }).x).to.equal(undefined);
  });

  it('reports every invalid field only once, and all of them in one message', async () => {
    const input = { ...valid, firstName: '\n', email: 5, password: '🔑'.repeat(1001), role: 5, isActive: 'true' };
    const { message, details } = await failureOf(() => validate(user.registerSchema, input));
    expect(details.map(({ path, message: text }) => ({ path, message: text }))).to.deep.equal([
      { path: 'firstName', message: 'First name is required.' },
      { path: 'email', message: 'Email must be a string.' },
      { path: 'password', message: 'Password must be at most 1000 characters.' },
      { path: 'role', message: 'Role must be one of super_admin, trainer, trainee.' },
      { path: 'isActive', message: 'isActive must be true or false.' },
    ]);
    expect(message).to.equal(details.map((problem) => problem.message).join(' '));
  });
});

describe('every schema', () => {
  const anySchema = fc.constantFrom(...schemaNames);

  it('returns a value or one problem per known field, for any input', () => {
    expect(schemaNames).to.have.length.of.at.least(10);
    const number = fc.oneof(fc.integer(), fc.double({ noNaN: true }));
    const values = [fc.string({ unit: 'binary' }), number, fc.boolean(), fc.constantFrom(null, undefined)];
    const anything = fc.anything({ values, withNullPrototype: true, withDate: true, withMap: true, withBigInt: true });
    const input = anySchema.chain((schema) => {
      const shape = Object.fromEntries(fieldsOf(schema).map((name) => [name, anything]));
      return fc.tuple(fc.constant(schema), fc.oneof(anything, fc.record(shape, { requiredKeys: [] })));
    });
    fc.assert(
      fc.property(input, ([schema, raw]) => {
        const result = outcome(schema, raw);
        if ('value' in result) return;
        const paths = result.error.details.map(({ path }) => path);
        expect(paths.length).to.be.greaterThan(0);
        expect(new Set(paths).size).to.equal(paths.length);
        // Items of lists and fields of objects have paths such as `ids.0`.
        expect(['', ...fieldsOf(schema)]).to.include.members(paths.map((path) => path.replace(/\..*/, '')));
        for (const { message } of result.error.details) expect(message).to.match(/^[A-Za-z ]+ [^"\n]+\.$/);
      }),
      { numRuns: 1000 },
    );
  });

  it('never repeats input in its messages', () => {
    const wrap = fc.constantFrom<(secret: string) => unknown>(
      (secret) => secret,
      (secret) => `\0${secret}`,
      (secret) => secret.repeat(20),
      (secret) => `${secret}@`,
      (secret) => [secret],
      (secret) => ({ [secret]: secret }),
    );
    const input = anySchema.chain((schema) => fc.tuple(fc.constant(schema), fc.constantFrom(...fieldsOf(schema))));
    fc.assert(
      fc.property(input, wrap, fc.uuid(), ([schema, name], wrapped, secret) => {
        const result = outcome(schema, { ...valid, [name]: wrapped(secret), [secret]: secret });
        if ('error' in result)
          expect(JSON.stringify([result.error.message, result.error.details])).not.to.include(secret);
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves its own results unchanged', () => {
    const text = fc.string({ unit: 'binary', minLength: 2, maxLength: 30 });
    const record = fc.record({ ...Object.fromEntries(Object.keys(valid).map((name) => [name, text])) });
    fc.assert(
      fc.property(anySchema, record, (schema, given) => {
        const result = outcome(schema, { ...valid, ...given, role: 'trainee', email: `${given.email}@example.org` });
        if ('value' in result) expect(validate(schemaOf(schema), result.value)).to.deep.equal(result.value);
      }),
      { numRuns: 1000 },
    );
  });
});
