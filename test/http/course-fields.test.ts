import { expect } from 'chai';
import type Joi from 'joi';
import { isAppError } from '../../src/errors.js';
import { courseCreationSchema, courseUpdateSchema } from '../../src/schemas/course.js';
import { validate } from '../../src/schemas/validate.js';
import { buildCourse } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { useCast } from './support/cast.js';
import { weaving } from './support/courses.js';
import { expectInvalid, messageOf } from './support/expectations.js';

/** Texts of a course with their minimum and maximum length. `lines`: may contain line breaks. */
const texts = [
  { field: 'title', minimum: 3, maximum: 200, lines: false, optional: false },
  { field: 'description', minimum: 1, maximum: 20_000, lines: true, optional: false },
  { field: 'shortDescription', minimum: 1, maximum: 500, lines: true, optional: true },
  { field: 'category', minimum: 2, maximum: 100, lines: false, optional: true },
  { field: 'language', minimum: 1, maximum: 50, lines: false, optional: true },
  { field: 'requirements', minimum: 1, maximum: 5000, lines: true, optional: true },
  { field: 'learningOutcomes', minimum: 1, maximum: 5000, lines: true, optional: true },
  { field: 'location', minimum: 1, maximum: 255, lines: false, optional: true },
] as const;

const clearable = [
  ...texts.flatMap(({ field, optional }) => (optional ? [field] : [])),
  ...['level', 'courseType', 'startDate', 'endDate', 'enrollUntil'],
];

describe('Fields of a course', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  let path: string;
  beforeEach(async () => {
    path = `/api/courses/${(await buildCourse(harness.context, cast.owner.user)).id}`;
  });
  const create = (body: object) => harness.api('post', '/api/courses', cast.owner.token).send(body);
  const update = (body: object) => harness.api('put', path, cast.owner.token).send(body);
  /** Stores a value by creation and update. @returns the stored value, which must be the same for both */
  async function taken(field: string, value: unknown): Promise<unknown> {
    const created = await create({ ...weaving, [field]: value });
    expect(created.status, created.text.slice(0, 500)).to.equal(201);
    const updated = await update({ [field]: value });
    expect(updated.status, updated.text.slice(0, 500)).to.equal(200);
    expect(created.body.course[field]).to.deep.equal(updated.body.course[field]);
    return updated.body.course[field];
  }
  /** Expects that both schemas refuse a value; contract.test.ts tests this over HTTP. @returns the message */
  function refused(field: string, value: unknown, named = field): string {
    const problemsOf = (schema: Joi.ObjectSchema, input: object) => {
      try {
        validate(schema, input);
      } catch (error) {
        if (isAppError(error, 'VALIDATION')) return error.details;
        throw error;
      }
      return [];
    };
    const created = problemsOf(courseCreationSchema, { ...weaving, [field]: value });
    expect(created.map(({ path: name }) => name)).to.deep.equal([named]);
    expect(problemsOf(courseUpdateSchema, { [field]: value })).to.deep.equal(created);
    return created.map(({ message }) => message).join();
  }

  for (const { field, minimum, maximum, lines } of texts)
    it(`${field} is trimmed text of ${minimum} to ${maximum} visible characters`, async () => {
      // Each letter has four bytes and two UTF-16 code units.
      for (const value of [minimum, maximum].map((length) => '𝒳'.repeat(length)))
        expect(await taken(field, value)).to.equal(value);
      refused(field, '𝒳'.repeat(maximum + 1));
      if (minimum > 1)
        for (const value of ['𝒳'.repeat(minimum - 1), ` ${'x'.repeat(minimum - 1)} `]) refused(field, value);
      expect(await taken(field, '  Wool & "thread" 日本  ')).to.equal('Wool & "thread" 日本');
      if (lines) expect(await taken(field, 'one\r\n\ttwo\nthree')).to.equal('one\r\n\ttwo\nthree');
      else for (const value of ['one\ntwo', 'one\ttwo', '\u200b\u200b\u200b']) refused(field, value);
      for (const value of ['one\0two', 'one \ud800 two', 12_345, ['text']]) refused(field, value);
    });

  it('title and description are required and cannot be cleared; other texts, enumerations and dates can', async () => {
    for (const field of ['title', 'description']) for (const value of ['', '   ', null]) refused(field, value);
    expectInvalid(await create({}), ['title', 'description']);
    expect(messageOf(await create({ description: 'x' }))).to.equal('Title is required.');
    const cleared = Object.fromEntries(clearable.map((field) => [field, null]));
    for (const nothing of [null, '', '  ']) {
      const body = Object.fromEntries(clearable.map((field) => [field, nothing]));
      await update(weaving).expect(200);
      expect((await update(body).expect(200)).body.course).to.include(cleared);
      expect((await create({ ...weaving, ...body }).expect(201)).body.course).to.include(cleared);
    }
  });

  it('level and courseType accept only their enumerated values', async () => {
    for (const [field, words] of [
      ['level', ['beginner', 'intermediate', 'advanced']],
      ['courseType', ['online', 'classroom', 'hybrid']],
    ] as const) {
      for (const word of words) expect(await taken(field, word)).to.equal(word);
      for (const value of ['Beginner', 'remote', 1, ['online']])
        expect(refused(field, value)).to.equal(`${field} must be one of ${words.join(', ')}.`);
    }
  });

  it('tags are up to 30 different texts of 1 to 50 characters, or none', async () => {
    expect(await taken('tags', ['  loom ', '日本', 'with "quotes"'])).to.deep.equal(['loom', '日本', 'with "quotes"']);
    const long = Array.from({ length: 30 }, (_, index) => `${String(index).padStart(2, '0')}${'𝒳'.repeat(48)}`);
    for (const tags of [long, []]) expect(await taken('tags', tags)).to.deep.equal(tags);
    expect(refused('tags', [...long, 'one more'])).to.equal('There may be at most 30 tags.');
    expect(refused('tags', ['loom', ' loom'], 'tags.1')).to.equal('Each tag may be given only once.');
    refused('tags', ['loom', 'x'.repeat(51)], 'tags.1');
    for (const tag of ['', ' ', 5, null, ['loom'], 'a\nb']) refused('tags', [tag], 'tags.0');
    for (const tags of ['loom', { 0: 'loom' }]) refused('tags', tags);
  });

  it('waitingMax is a whole number from 0 to a million, or null for no limit; autoAccept is true or false', async () => {
    for (const value of [0, 12, 1_000_000, null]) expect(await taken('waitingMax', value)).to.equal(value);
    for (const value of [-1, 1.5, '5', 1_000_001]) refused('waitingMax', value);
    for (const value of [true, false]) expect(await taken('autoAccept', value)).to.equal(value);
    for (const value of ['yes', null, 1]) refused('autoAccept', value);
  });

  it('maxStudents is a whole number from 1 to a million, or null for no limit; isFeatured is true or false', async () => {
    for (const value of [1, 1_000_000, null]) expect(await taken('maxStudents', value)).to.equal(value);
    for (const value of [0, 1.5, 1_000_001, 2 ** 53, '12', '', true])
      expect(refused('maxStudents', value)).to.equal('maxStudents must be a whole number from 1 to 1000000.');
    const huge = '{"title":"Looms","description":"Wood.","maxStudents":1e999}';
    const response = await harness.api('post', '/api/courses', cast.owner.token).type('json').send(huge);
    expectInvalid(response, ['maxStudents']);
    for (const value of [true, false]) expect(await taken('isFeatured', value)).to.equal(value);
    for (const value of ['true', 1, null, ''])
      expect(refused('isFeatured', value)).to.equal('isFeatured must be true or false.');
  });

  it('startDate and endDate are days of the calendar, in this order', async () => {
    for (const field of ['startDate', 'endDate']) {
      for (const day of ['2028-02-29', '1000-01-01', '9999-12-31', ' 2026-01-01 ']) {
        const { body } = await create({ ...weaving, startDate: null, endDate: null, [field]: day }).expect(201);
        expect(body.course[field]).to.equal(day.trim());
      }
      const none = ['2026-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-00', '0999-01-01', '2026-1-1'];
      for (const value of [...none, '2026-01-01T00:00:00Z', 'soon', '20260101', '２０２６-01-01'])
        expect(refused(field, value)).to.equal(`${field} must be a date as YYYY-MM-DD.`);
    }
    refused('startDate', 20260101);
    await create({ ...weaving, startDate: '2026-09-01', endDate: '2026-09-01' }).expect(201);
    expectInvalid(await create({ ...weaving, startDate: '2026-09-02', endDate: '2026-09-01' }), ['endDate']);
  });
});
