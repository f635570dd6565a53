import type Joi from 'joi';
import type { FieldProblem, ProblemCode, ProblemParams } from '../field-problem.js';

/** Problem of a field, without its path and its message. */
export type Problem = Pick<FieldProblem, 'code' | 'params' | 'label'>;

/** Context of a broken rule in Joi. */
interface JoiContext {
  limit?: unknown;
  valids?: readonly unknown[];
  types?: readonly string[];
  main?: string;
  peers?: readonly string[];
  label?: string;
  /** Set by {@link refuse}. */
  problem?: Problem;
}

type Rule = readonly [code: ProblemCode, params?: (context: JoiContext) => ProblemParams | undefined];

/** Returns the limit as a parameter, unless it refers to another field. */
const limitAs = (name: 'min' | 'max') => (context: JoiContext) =>
  typeof context.limit === 'number' ? { [name]: context.limit } : undefined;

const isText = (value: unknown): value is string => typeof value === 'string';
const wrongType = (...types: string[]): Rule => ['WRONG_TYPE', () => ({ types })];
const invalidDate: Rule = ['DATE_INVALID'];

/** Code of the problem for each Joi rule that the schemas use, and a function that returns its parameters. */
const rules: Readonly<Record<string, Rule>> = {
  'any.required': ['REQUIRED'],
  'any.only': ['NOT_ONE_OF', ({ valids = [] }) => ({ values: valids.filter(isText) })],
  'string.empty': ['REQUIRED'],
  'string.base': wrongType('string'),
  'string.min': ['TOO_SHORT', limitAs('min')],
  'string.max': ['TOO_LONG', limitAs('max')],
  'string.tooLong': ['TOO_LONG', limitAs('max')],
  'string.marks': ['UNUSABLE_CHARACTERS'],
  'boolean.base': wrongType('boolean'),
  'number.base': wrongType('number'),
  'number.integer': wrongType('integer'),
  'number.unsafe': wrongType('integer'),
  'number.infinity': wrongType('number'),
  'number.min': ['TOO_SMALL', limitAs('min')],
  'number.max': ['TOO_LARGE', limitAs('max')],
  'date.base': invalidDate,
  'date.format': invalidDate,
  'array.base': wrongType('array'),
  'array.sparse': wrongType('array'),
  'array.min': ['TOO_FEW', limitAs('min')],
  'array.max': ['TOO_MANY', limitAs('max')],
  'array.unique': ['REPEATED'],
  'object.base': wrongType('object'),
  'object.min': ['TOO_FEW', () => ({ min: 1 })],
  'object.nand': ['EXCLUSIVE', ({ main, peers = [] }) => ({ fields: [main, ...peers].filter(isText) })],
  'alternatives.types': ['WRONG_TYPE', ({ types = [] }) => ({ types })],
};

/** Returns the problem that a detail of a failed validation describes. */
export function problemOf({ type, context, path }: Joi.ValidationErrorItem): Problem {
  // Joi types the context as any record.
  const details = (context ?? {}) as JoiContext;
  // A field without a label has its path as the label.
  const isPath = details.label === path[0] || details.label === path.join('.');
  const label = details.label !== undefined && !isPath && { label: details.label };
  if (details.problem) return { ...details.problem, ...label };
  const [code, paramsOf] = rules[type] ?? (['INVALID'] as const);
  const params = paramsOf?.(details);
  return { code, ...(params && { params }), ...label };
}

/** Problem that a schema's own check finds, with its message. */
export interface FoundProblem extends Problem {
  message: string;
}

/** Refuses a value in a schema's own check. */
export const refuse = ({ message: report }: Joi.CustomHelpers, { message, ...problem }: FoundProblem) =>
  report({ custom: message }, { problem });
