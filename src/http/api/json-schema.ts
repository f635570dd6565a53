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
  /** Of alternatives. */
  matches?: { schema: JoiDescription }[];
  metas?: Record<string, unknown>[];
  examples?: unknown[];
  /** `empty`: what counts as absent. */
  flags?: { empty?: unknown };
}

/** Converts Joi schemas to OpenAPI 3.1's dialect, JSON Schema 2020-12. */
export interface SchemaConverter {
  /** An object of a request. Unknown keys are ignored, so they are allowed. */
  input(schema: Joi.ObjectSchema): JsonSchema;
  /** A response, or a part of it. */
  output(schema: Joi.Schema): JsonSchema;
  /** An example of a converted schema, composed of the examples of its fields. */
  exampleOf(schema: JsonSchema): unknown;
  /** The named schemas that the converted ones refer to. */
  components: Readonly<Record<string, JsonSchema>>;
}

/** Names a schema: the document defines it once and refers to it. */
export const component = <T extends Joi.AnySchema>(name: string, description: string, schema: T): T =>
  schema.meta({ component: name }).description(description);

const isExampleOf = (schema: JsonSchema, example: unknown) =>
  example !== undefined &&
  !schema.properties &&
  (schema.enum?.includes(example) ?? true) &&
  (schema.type === 'array') === Array.isArray(example);

/** Adds what is known of a field by its name, where the schema doesn't say it. */
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

/** A converter with components of its own. */
export function createSchemaConverter(): SchemaConverter {
  const components: Record<string, JsonSchema> = {};

  function reference(name: string, schema: JsonSchema): JsonSchema {
    const known = components[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`Two schemas are called ${name}.`);
    components[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Adds to Joi's own conversion what it leaves out: `meta`, examples, components, and what counts as absent. */
  function completed(converted: JsonSchema, description: JoiDescription): JsonSchema {
    const { properties, items, anyOf } = converted;
    const { keys, items: [item] = [], matches, metas = [], examples, flags } = description;
    // Object.assign gives `any`.
    const { component: name, ...meta } = Object.assign({}, ...metas) as Record<string, unknown>;
    // A type in `meta` is that of the value behind the text: what Joi says of the text doesn't apply to it.
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
    return flags?.empty ? { anyOf: [schema, { type: ['string', 'null'], maxLength: 0 }] } : schema;
  }

  function convert(schema: Joi.Schema, mode: 'input' | 'output'): JsonSchema {
    // Joi types both as unknown; they are JSON Schema.
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
