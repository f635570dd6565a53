/**
 * Converts an OpenAPI 3.1 document to TypeScript types. Supports only the JSON Schema keywords in this API's document.
 * Throws on any other keyword, so that no rule is lost silently.
 */

type JsonObject = Readonly<Record<string, unknown>>;

/** Keywords that narrow or describe a value, which types can't express. */
const ignoredKeywords = new Set([
  'description',
  'examples',
  'default',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minProperties',
  'uniqueItems',
]);

const knownKeywords = new Set([
  ...ignoredKeywords,
  'type',
  'enum',
  'anyOf',
  'oneOf',
  'items',
  'properties',
  'required',
  'additionalProperties',
  'contentMediaType',
  '$ref',
]);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function asObject(value: unknown, place: string): JsonObject {
  if (!isObject(value)) throw new Error(`${place}: expected an object.`);
  return value;
}

function asList(value: unknown, place: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${place}: expected a list.`);
  return value;
}

/** Joins types, each once, without `''` beside `string`. */
function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.filter((type) => type !== "''" || !distinct.includes('string')).join(' | ');
}

const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ');

function comment(text: unknown): string {
  return typeof text === 'string' && text !== '' ? `/** ${text.replaceAll('*/', '*\\/')} */\n` : '';
}

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

interface Field {
  name: string;
  type: string;
  required: boolean;
  description?: unknown;
}

function objectType(fields: readonly Field[]): string {
  const lines = fields.map(
    ({ name, type, required, description }) =>
      `${comment(description)}${keyOf(name)}${required ? '' : '?'}: ${type};\n`,
  );
  return `{\n${indented(lines.join(''))}}`;
}

function referencedType(reference: unknown, place: string): string {
  const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(String(reference)) ?? [];
  if (name === undefined) throw new Error(`${place}: unknown reference ${String(reference)}.`);
  return name;
}

function propertiesType(schema: JsonObject, place: string): string {
  const { properties, required = [], additionalProperties = true } = schema;
  if (typeof additionalProperties !== 'boolean')
    throw new Error(`${place}: additionalProperties with a schema is not supported.`);
  if (properties === undefined) return additionalProperties ? 'Record<string, unknown>' : 'Record<string, never>';
  const names = asList(required, `${place}.required`);
  const fields = Object.entries(asObject(properties, place)).map(([name, property]) => ({
    name,
    type: typeOf(property, `${place}.${name}`),
    required: names.includes(name),
    description: asObject(property, `${place}.${name}`).description,
  }));
  return objectType(fields);
}

function primitiveType(type: unknown, schema: JsonObject, place: string): string {
  switch (type) {
    case 'string':
      if (schema.contentMediaType !== undefined) return 'Blob';
      return schema.maxLength === 0 ? "''" : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
      return type;
    case 'array': {
      const items = alternativeTypes(schema.items, `${place}[]`);
      return items.length > 1 ? `(${union(items)})[]` : `${union(items)}[]`;
    }
    case 'object':
      return propertiesType(schema, place);
    default:
      throw new Error(`${place}: unknown type ${JSON.stringify(type)}.`);
  }
}

const typeOf = (schema: unknown, place: string): string => union(alternativeTypes(schema, place));

/** Returns the TypeScript types that a schema allows. Throws on an unknown keyword or type, with its place. */
function alternativeTypes(value: unknown, place: string): string[] {
  const schema = asObject(value, place);
  const unknown = Object.keys(schema).filter((keyword) => !knownKeywords.has(keyword));
  if (unknown.length > 0) throw new Error(`${place}: unknown keyword ${unknown.join(', ')}.`);
  const kinds = ['$ref', 'anyOf', 'oneOf', 'type'].filter((keyword) => keyword in schema);
  if (kinds.length !== 1) throw new Error(`${place}: expected one of $ref, anyOf, oneOf and type.`);
  if ('$ref' in schema) return [referencedType(schema.$ref, place)];
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined)
    return asList(alternatives, place).flatMap((one, index) => alternativeTypes(one, `${place}|${index}`));
  // `enum` lists all values, so `type` is not needed.
  if (schema.enum !== undefined) return asList(schema.enum, place).map(literal);
  return [schema.type].flat().map((type) => primitiveType(type, schema, place));
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replace(/['\\]/g, '\\$&')}'` : JSON.stringify(value);
}

/** Returns the type of a body: JSON and forms by their schema, text as a string, anything else as a Blob. */
function contentType(content: unknown, place: string): string {
  const types = Object.entries(asObject(content, place)).map(([mediaType, body]) => {
    if (mediaType === 'application/json' || mediaType === 'multipart/form-data')
      return typeOf(asObject(body, place).schema, place);
    return mediaType.startsWith('text/') ? 'string' : 'Blob';
  });
  return union(types);
}

function parametersType(parameters: readonly unknown[], place: string): string {
  const described = parameters.map((parameter) => asObject(parameter, place));
  const groups = ['path', 'query'].flatMap((location) => {
    const fields = described
      .filter((parameter) => parameter.in === location)
      .map(({ name, schema, required, description }) => ({
        name: String(name),
        type: typeOf(schema, `${place}.${String(name)}`),
        required: required === true,
        description,
      }));
    if (fields.length === 0) return [];
    return [{ name: location, type: objectType(fields), required: fields.some(({ required }) => required) }];
  });
  const elsewhere = described.filter((parameter) => parameter.in !== 'path' && parameter.in !== 'query');
  if (elsewhere.length > 0) throw new Error(`${place}: parameters in headers and cookies are not supported.`);
  return groups.length === 0 ? 'Record<string, never>' : objectType(groups);
}

function responseType(responses: unknown, place: string): string {
  const contents = Object.entries(asObject(responses, place))
    .filter(([status]) => status.startsWith('2'))
    .map(([status, response]) => contentType(asObject(response, place).content, `${place} ${status}`));
  // Redirects have no success below 300.
  return contents.length === 0 ? 'undefined' : union(contents);
}

interface Declaration {
  name: string;
  type: string;
  description: unknown;
}

const declarationText = ({ name, type, description }: Declaration): string =>
  type.startsWith('{') && type.indexOf('\n}') === type.length - 2
    ? `${comment(description)}export interface ${name} ${type}\n`
    : `${comment(description)}export type ${name} = ${type};\n`;

/** Returns the types of an operation, and its entry in `Operations`. */
function operationTypes(method: string, path: string, described: JsonObject): { types: Declaration[]; entry: Field } {
  const { operationId, summary, parameters, requestBody, responses } = described;
  if (typeof operationId !== 'string') throw new Error(`${method} ${path}: expected an operationId.`);
  const prefix = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;
  const body = isObject(requestBody) ? contentType(requestBody.content, `${operationId} body`) : 'undefined';
  const types = [
    {
      name: `${prefix}Parameters`,
      type: parametersType(asList(parameters, operationId), operationId),
      description: `Parameters of \`${method.toUpperCase()} ${path}\``,
    },
    { name: `${prefix}Body`, type: body, description: `Request body of \`${method.toUpperCase()} ${path}\`` },
    {
      name: `${prefix}Response`,
      type: responseType(responses, operationId),
      description: `Successful response of \`${method.toUpperCase()} ${path}\``,
    },
  ];
  const parts = [
    { name: 'method', type: literal(method.toUpperCase()), required: true },
    { name: 'path', type: literal(path), required: true },
    { name: 'parameters', type: `${prefix}Parameters`, required: true },
    { name: 'body', type: `${prefix}Body`, required: true },
    { name: 'response', type: `${prefix}Response`, required: true },
  ];
  return { types, entry: { name: operationId, type: objectType(parts), required: true, description: summary } };
}

const preamble = `/**
 * The types of the coursectl API, generated from its OpenAPI document: the schemas by name, then the parameters,
 * request body and successful response of each operation. Don't edit: \`npm run api:types\` writes this file.
 */
`;

/** Returns a module of type declarations for a document. Throws on unsupported parts, with their place. */
export function openapiTypes(document: object): string {
  const { components, paths } = asObject(document, 'document');
  const schemas = Object.entries(asObject(asObject(components, 'components').schemas, 'components.schemas'));
  const entities = schemas.map(([name, schema]) => ({
    name,
    type: typeOf(schema, name),
    description: asObject(schema, name).description,
  }));
  const operations = Object.entries(asObject(paths, 'paths')).flatMap(([path, methods]) =>
    Object.entries(asObject(methods, path)).map(([method, described]) =>
      operationTypes(method, path, asObject(described, path)),
    ),
  );
  const declarations = [
    ...entities,
    ...operations.flatMap(({ types }) => types),
    {
      name: 'Operations',
      type: objectType(operations.map(({ entry }) => entry)),
      description: 'The operations by their names',
    },
  ];
  const names = declarations.map(({ name }) => name);
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  if (repeated.length > 0) throw new Error(`Two types are called ${repeated.join(', ')}.`);
  return [preamble, ...declarations.map(declarationText)].join('\n');
}

interface Transport {
  method: string;
  path: string;
  sends?: 'json' | 'form';
  /** JSON by default. */
  response?: 'text' | 'blob';
}

function transportOf(method: string, path: string, described: JsonObject): Transport {
  const place = String(described.operationId);
  const contentTypes = (content: unknown) => Object.keys(asObject(content ?? {}, place));
  const sent = described.requestBody === undefined ? [] : contentTypes(asObject(described.requestBody, place).content);
  const answered = Object.entries(asObject(described.responses, place))
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => contentTypes(asObject(response, place).content));
  const respondsJson = answered.includes('application/json');
  const sends = sent.includes('multipart/form-data') ? 'form' : sent.length > 0 ? 'json' : undefined;
  const response = respondsJson ? undefined : answered.every((type) => type.startsWith('text/')) ? 'text' : 'blob';
  return {
    method: method.toUpperCase(),
    path,
    ...(sends && { sends }),
    ...(response && { response }),
  };
}

/**
 * Returns a module with the method, path and content types of each operation: the runtime counterpart of {@link
 * openapiTypes}.
 */
export function openapiTransports(document: object): string {
  const { paths } = asObject(document, 'document');
  const entries = Object.entries(asObject(paths, 'paths')).flatMap(([path, methods]) =>
    Object.entries(asObject(methods, path)).map(([method, value]) => {
      const described = asObject(value, path);
      const fields = Object.entries(transportOf(method, path, described)).map(
        ([name, text]) => `${name}: ${literal(text)}`,
      );
      return `  ${keyOf(String(described.operationId))}: { ${fields.join(', ')} },\n`;
    }),
  );
  return `/**
 * Method, path and content types of each API operation, generated from the OpenAPI document. Don't edit:
 * \`npm run api:types\` writes this file.
 */
export const operations = {
${entries.join('')}} as const;
`;
}
