import * as fields from './fields.js';
import { nullable } from './fields.js';
import { type FieldDeclaration, fieldNames, type InputValues, inputsOf } from './fields-table.js';
import Joi from './joi.js';
import { categoryMaximum, titleMaximum } from './sort-key.js';

export const courseLevels = ['beginner', 'intermediate', 'advanced'] as const;
export type CourseLevel = (typeof courseLevels)[number];

export const courseTypes = ['online', 'classroom', 'hybrid'] as const;
export type CourseType = (typeof courseTypes)[number];

/** Maximum of `maxStudents` and `waitingMax`. */
const maxSeats = 1_000_000;
const maxTags = 30;

const tags = () =>
  Joi.array()
    .items(fields.tag)
    .max(maxTags)
    .unique()
    .messages({
      'array.base': 'Tags must be a list of words.',
      'array.max': `There may be at most ${maxTags} tags.`,
      'array.unique': 'Each tag may be given only once.',
      'array.sparse': 'Tags must be a list of words.',
    });

type Input = 'create' | 'update';

const optional = { create: 'optional', update: 'optional' } as const;
const required = { create: 'required', update: 'optional' } as const;

/**
 * The fields of a course, each declared once: types, schemas, the model, responses and the audit log derive from this table. Null means
 * no value.
 */
export const courseFields = {
  title: { column: { type: 'text', length: titleMaximum }, schema: () => fields.courseTitle, inputs: required },
  description: {
    column: { type: 'longText', size: 'medium' },
    schema: () => fields.multiLine('Description', 20_000),
    inputs: required,
  },
  shortDescription: {
    column: { type: 'text', length: 500, nullable: true },
    schema: () => nullable(fields.multiLine('Short description', 500)),
    inputs: optional,
  },
  category: {
    column: { type: 'text', length: categoryMaximum, nullable: true },
    schema: () => nullable(fields.category),
    inputs: optional,
  },
  level: {
    column: { type: 'word', length: 20, words: courseLevels, nullable: true },
    schema: () => nullable(fields.oneOf('level', courseLevels)),
    inputs: optional,
  },
  language: {
    column: { type: 'text', length: 50, nullable: true },
    schema: () => nullable(fields.singleLine('Language', 1, 50)),
    inputs: optional,
  },
  courseType: {
    column: { type: 'word', length: 20, words: courseTypes, nullable: true },
    schema: () => nullable(fields.oneOf('courseType', courseTypes)),
    inputs: optional,
  },
  tags: { column: { type: 'list' }, schema: tags, inputs: optional },
  requirements: {
    column: { type: 'longText', nullable: true },
    schema: () => nullable(fields.multiLine('Requirements', 5000)),
    inputs: optional,
  },
  learningOutcomes: {
    column: { type: 'longText', nullable: true },
    schema: () => nullable(fields.multiLine('Learning outcomes', 5000)),
    inputs: optional,
  },
  maxStudents: {
    column: { type: 'number', nullable: true },
    schema: () => fields.strictWholeNumber('maxStudents', 1, maxSeats).allow(null),
    inputs: optional,
  },
  startDate: {
    column: { type: 'date', nullable: true },
    schema: () => nullable(fields.date('startDate')),
    inputs: optional,
  },
  endDate: {
    column: { type: 'date', nullable: true },
    schema: () => nullable(fields.date('endDate')),
    inputs: optional,
  },
  enrollUntil: {
    column: { type: 'date', nullable: true },
    schema: () => nullable(fields.date('enrollUntil')),
    inputs: optional,
  },
  autoAccept: {
    column: { type: 'flag', default: false },
    schema: () => fields.strictBoolean('autoAccept'),
    inputs: optional,
  },
  waitingMax: {
    column: { type: 'number', nullable: true },
    schema: () => fields.strictWholeNumber('waitingMax', 0, maxSeats).allow(null),
    inputs: optional,
  },
  location: {
    column: { type: 'text', length: 255, nullable: true },
    schema: () => nullable(fields.singleLine('Location', 1, 255)),
    inputs: optional,
  },
  thumbnail: { column: { type: 'text', length: 255, nullable: true }, inputs: {} },
  isPublished: { column: { type: 'flag', default: false }, inputs: {} },
  isFeatured: {
    column: { type: 'flag', default: false },
    schema: () => fields.strictBoolean('isFeatured'),
    inputs: optional,
  },
} as const satisfies Readonly<Record<string, FieldDeclaration<Input>>>;

export type CourseField = keyof typeof courseFields;
export const courseFieldNames = fieldNames(courseFields);

export const { inputKeys: courseInputKeys, inputFields: courseInputFields } = inputsOf(courseFields);

export type CourseInput<From extends Input> = InputValues<typeof courseFields, From>;
