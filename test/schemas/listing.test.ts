import { expect } from 'chai';
import Joi from 'joi';
import * as listing from '../../src/schemas/listing.js';
import { validate } from '../../src/schemas/validate.js';
import { failureOf } from '../db/support/failure.js';

/** The value that an atom gives. */
const taken = (atom: Joi.Schema, value: unknown) =>
  validate(Joi.object<{ field: unknown }>({ field: atom }), { field: value }).field;

/** The sentence in which an atom refuses a value. */
const refusalOf = async (atom: Joi.Schema, value: unknown) =>
  (await failureOf(() => taken(atom.required(), value))).message;

describe('parameters of listings', () => {
  it('take texts of booleans from a query', async () => {
    const atom = listing.queryBoolean('isPublished');
    for (const value of [true, false]) expect(taken(atom, String(value))).to.equal(value);
    for (const value of ['TRUE', '1', 'yes', '', ['true']]) {
      expect(await refusalOf(atom, value)).to.equal('isPublished must be true or false.');
    }
  });

  it('look for nothing when the search is empty', async () => {
    expect(taken(listing.search, '  ')).to.equal('');
    expect(taken(listing.search, ' sql ')).to.equal('sql');
    expect(taken(listing.search, '\u200bs\u202eql ')).to.equal('sql');
    expect(await refusalOf(listing.search, 'x'.repeat(201))).to.equal('search must be at most 200 characters.');
    expect(await refusalOf(listing.search, ['sql'])).to.equal('search must be a string.');
  });
});

describe('paging and sorting', () => {
  const schema = Joi.object({ ...listing.paging(20), ...listing.sorting(['createdAt', 'title']) });
  const problemsOf = async (query: object) => (await failureOf(() => validate(schema, query))).details;

  it('have defaults', () => {
    expect(validate(schema, {})).to.deep.equal({ page: 1, limit: 20, sortBy: 'createdAt', sortOrder: 'DESC' });
  });

  it('take texts from a query', () => {
    const query = { page: '3', limit: '100', sortBy: 'title', sortOrder: 'ASC' };
    expect(validate(schema, query)).to.deep.equal({ ...query, page: 3, limit: 100 });
    expect(validate(schema, { page: '1000000' })).to.include({ page: 1_000_000 });
  });

  it('say what they should be', async () => {
    for (const page of ['0', '-1', '1.5', '1000001', 'two', '', '1e99', '0x10', ['1'], {}]) {
      expect(await problemsOf({ page }), String(page)).to.deep.equal([
        { path: 'page', message: 'page must be a whole number from 1 to 1000000.' },
      ]);
    }
    expect(await problemsOf({ limit: '101', sortBy: 'password', sortOrder: 'asc' })).to.deep.equal([
      { path: 'limit', message: 'limit must be a whole number from 1 to 100.' },
      { path: 'sortBy', message: 'sortBy must be one of createdAt, title.' },
      { path: 'sortOrder', message: 'sortOrder must be one of ASC, DESC.' },
    ]);
  });
});
