import type Joi from 'joi';
import { fieldDocs } from './field-docs.js';

export type JsonSchema = Record<string, unknown> & {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  required?: string[];
};

interface JoiDescription {
  keys?: Record<string, JoiDescription>;
  items?: JoiDescription[];
  /** Descriptions of alternatives. */
  matches?: { schema: JoiDescription }[];
  metas?: Record<string, unknown>[];
  examples?: unknown[];
  /** `empty`: schema of values that count as absent. */
  flags?: { empty?: unknown };
}

/** Converts Joi schemas to OpenAPI 3.1's dialect, JSON Schema 2020-12. */
export interface SchemaConverter {
  /** Converts an object of a request. The service ignores unknown keys, so the schema allows them. */
  input(schema: Joi.ObjectSchema): JsonSchema;
  /** Converts a response, or a part of a response. */
  output(schema: Joi.Schema): JsonSchema;
  /** Returns an example of a converted schema, composed of the examples of its fields. */
  exampleOf(schema: JsonSchema): unknown;
  /** Named schemas to which converted schemas refer. */
  components: Readonly<Record<string, JsonSchema>>;
}

/** Names a schema. The document defines a named schema once and refers to it. */
export const component = <T extends Joi.AnySchema>(name: string, description: string, schema: T): T =>
  schema.meta({ component: name }).description(description);

const isExampleOf = (schema: JsonSchema, example: unknown) =>
  example !== undefined &&
  !schema.properties &&
  (schema.enum?.includes(example) ?? true) &&
  (schema.type === 'array') === Array.isArray(example);

/** Adds the description and the example of a field's name if the schema has none. */
function documented(name: string, schema: JsonSchema): JsonSchema {
  const doc = fieldDocs[name];
  if (schema.$ref !== undefined || !doc) return schema;
  const { description, example } = doc;
  return {
    description,
    ...(isExampleOf(schema, example) && { examples: [example] }),
    ...schema,
  };
}

export function createSchemaConverter(): SchemaConverter {
  const components: Record<string, JsonSchema> = {};

  function reference(name: string, schema: JsonSchema): JsonSchema {
    const known = components[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`Two schemas are called ${name}.`);
    components[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Adds the parts that Joi's own conversion omits: `meta`, examples, components, and values that count as absent. */
  function completed(converted: JsonSchema, description: JoiDescription): JsonSchema {
    const { properties, items, anyOf } = converted;
    const { keys, items: [item] = [], matches, metas = [], examples, flags } = description;
    // Object.assign returns `any`.
    const { component: name, blankIsNull, ...meta } = Object.assign({}, ...metas) as Record<string, unknown>;
    // A type in `meta` is the type of the parsed value. Joi's rules for the text don't apply to this value.
    const { minLength: _minLength, ...untyped } = converted;
    const base = 'type' in meta ? untyped : converted;
    const schema: JsonSchema = { ...base, ...meta, ...(examples && { examples }) };
    if (properties)
      schema.properties = Object.fromEntries(
        Object.entries(properties).map(([key, property]) => [
          key,
          documented(key, completed(property, keys?.[key] ?? {})),
        ]),
      );
    if (items && item) schema.items = completed(items, item);
    if (anyOf && matches) schema.anyOf = anyOf.map((one, index) => completed(one, matches[index]?.schema ?? {}));
    if (typeof name === 'string') return reference(name, schema);
    return flags?.empty || blankIsNull ? { anyOf: [schema, { type: ['string', 'null'], maxLength: 0 }] } : schema;
  }

  function convert(schema: Joi.Schema, mode: 'input' | 'output'): JsonSchema {
    // Joi types its conversion and description as unknown.
    const converted = schema['~standard'].jsonSchema[mode]({ target: 'draft-2020-12' }) as JsonSchema;
    return completed(converted, schema.describe() as JoiDescription);
  }

  function exampleOf(schema: JsonSchema): unknown {
    const { $ref, examples, enum: values, properties, items, anyOf } = schema;
    if ($ref !== undefined) return exampleOf(components[$ref.replace(/^.*\//, '')] ?? {});
    if (examples) return examples[0];
    if (values) return values[0];
    if (properties)
      return Object.fromEntries(Object.entries(properties).map(([key, property]) => [key, exampleOf(property)]));
    if (items) return [exampleOf(items)];
    return anyOf?.[0] ? exampleOf(anyOf[0]) : {};
  }

  return {
    input(schema) {
      const { additionalProperties: _refused, ...converted } = convert(schema, 'input');
      return converted;
    },
    output: (schema) => convert(schema, 'output'),
    exampleOf,
    components,
  };
}
