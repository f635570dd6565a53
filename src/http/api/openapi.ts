import type Joi from 'joi';
import type { ErrorCode } from '../../errors.js';
import { packageVersion } from '../../version.js';
import { messageOf, statusOf } from '../server/errors.js';
import { contract } from './contract.js';
import type { Operation } from './operation.js';
import { failure, validationFailure } from './response-schemas.js';

type JsonSchema = Record<string, unknown> & {
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
  /** `empty`: what counts as absent. */
  flags?: { empty?: unknown };
}

/** A Joi schema in OpenAPI 3.1's dialect, JSON Schema 2020-12: Joi's own conversion, and what custom rules say in `meta`. */
function jsonSchema(schema: Joi.Schema, mode: 'input' | 'output'): JsonSchema {
  // Both are JSON by Joi's word; its types leave open of what shape.
  const converted = schema['~standard'].jsonSchema[mode]({ target: 'draft-2020-12' }) as JsonSchema;
  return withMetas(converted, schema.describe() as JoiDescription);
}

function withMetas(converted: JsonSchema, description: JoiDescription): JsonSchema {
  const { properties, items, anyOf } = converted;
  const { items: [item] = [], matches } = description;
  const described = {
    ...converted,
    ...Object.assign({}, ...(description.metas ?? [])),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, property]) => [key, withMetas(property, description.keys?.[key] ?? {})]),
      ),
    }),
    ...(items && item && { items: withMetas(items, item) }),
    ...(anyOf && matches && { anyOf: anyOf.map((one, index) => withMetas(one, matches[index]?.schema ?? {})) }),
  };
  // What counts as absent may be sent all the same.
  return description.flags?.empty ? { anyOf: [described, { type: ['string', 'null'], maxLength: 0 }] } : described;
}

/** Unknown keys of a request are ignored, not refused. */
function requestSchema(schema: Joi.ObjectSchema): JsonSchema {
  const { additionalProperties: _refused, ...converted } = jsonSchema(schema, 'input');
  return converted;
}

function parametersOf(operation: Operation): object[] {
  const located = (where: 'path' | 'query', schema: Joi.ObjectSchema | undefined) => {
    if (!schema) return [];
    const { properties = {}, required = [] } = jsonSchema(schema, 'input');
    return Object.entries(properties).map(([name, property]) => ({
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      schema: property,
    }));
  };
  return [...located('path', operation.params), ...located('query', operation.query)];
}

/** The words of a failure, as this operation says them. */
function describedFailure({ access }: Operation, code: ErrorCode): string {
  const refusal = access.kind === 'roles' ? access.refusal : undefined;
  return code === 'ACCESS_DENIED' && refusal !== undefined ? refusal : messageOf(code);
}

/** Without a token, with one, or either. */
function securityOf({ access }: Operation): object[] {
  if (access.kind === 'public') return [];
  return access.kind === 'optional' ? [{}, { token: [] }] : [{ token: [] }];
}

/** The failures of an operation: its own, and those that follow from its access rule and its input. */
function failuresOf(operation: Operation): ErrorCode[] {
  const codes: ErrorCode[] = [...(operation.failures ?? [])];
  if (operation.body || operation.query) codes.push('VALIDATION');
  if (operation.body) codes.push('MALFORMED_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (operation.upload) codes.push('VALIDATION', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (operation.params) codes.push('MALFORMED_URL');
  const { access, path } = operation;
  if (access.kind !== 'public') {
    if (access.kind !== 'optional') codes.push('TOKEN_MISSING');
    codes.push('TOKEN_INVALID');
    if (access.kind !== 'signed-in' && access.kind !== 'optional') codes.push('ACCESS_DENIED');
    if (!operation.allowsInitialPassword) codes.push('PASSWORD_CHANGE_REQUIRED');
  }
  // However little an operation needs, the service may have more to do than it can, or no database yet.
  if (path.startsWith('/api/')) codes.push('OVERLOADED', 'DATABASE_UNREACHABLE', 'NOT_READY');
  return codes;
}

const reference = (component: string) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${component}` } },
});

const header = (description: string, type: 'string' | 'integer') => ({ description, schema: { type } });

const retryAfter = { 'Retry-After': header('Seconds after which trying again makes sense', 'integer') };

/** What an answer carries besides its body, by its status. */
const headersByStatus: Readonly<Record<number, object>> = {
  202: { Location: header('Where the outcome can be watched', 'string') },
  401: { 'WWW-Authenticate': header('The challenge of RFC 6750', 'string') },
  429: retryAfter,
  503: retryAfter,
};

function headersOf(status: number): object {
  const headers = headersByStatus[status];
  return headers ? { headers } : {};
}

/** A form with a file and text fields. */
function formSchema({ field, fields }: NonNullable<Operation['upload']>): JsonSchema {
  const { properties, ...converted } = requestSchema(fields);
  const file = { type: 'string', contentMediaType: 'application/octet-stream', description: 'The file' };
  return { ...converted, properties: { [field]: file, ...properties }, required: [field] };
}

function requestBodyOf({ body, upload }: Operation): object {
  if (upload)
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema: formSchema(upload) } } } };
  if (!body) return {};
  return { requestBody: { required: true, content: { 'application/json': { schema: requestSchema(body) } } } };
}

function responsesOf(operation: Operation): object {
  const { success } = operation;
  const responses: Record<number, object> = {
    [success.status]: {
      description: success.description,
      ...headersOf(success.status),
      content:
        'content' in success
          ? { [success.content]: { schema: { type: 'string' } } }
          : { 'application/json': { schema: jsonSchema(success.body, 'output') } },
    },
  };
  if (operation.acceptsRanges && 'content' in success) {
    responses[206] = {
      description: 'The piece that `Range` asks for',
      content: { [success.content]: { schema: { type: 'string' } } },
    };
    responses[304] = { description: 'The client has it: `If-None-Match` names its `ETag`' };
  }
  const failures = failuresOf(operation);
  for (const status of new Set(failures.map(statusOf))) {
    const codes = failures.filter((code) => statusOf(code) === status);
    const alternatives = new Set(codes.map((code) => (code === 'VALIDATION' ? 'ValidationFailure' : 'Failure')));
    const [only, ...others] = alternatives;
    responses[status] = {
      description: [...new Set(codes.map((code) => describedFailure(operation, code)))].join(' | '),
      ...headersOf(status),
      content:
        others.length === 0
          ? reference(only ?? 'Failure')
          : {
              'application/json': {
                schema: { oneOf: [...alternatives].map((name) => ({ $ref: `#/components/schemas/${name}` })) },
              },
            },
    };
  }
  responses[500] = { description: 'Server error.', content: reference('Failure') };
  return responses;
}

/** The contract as an OpenAPI 3.1 document. */
export function openapiDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  // Each operation has a type of its own; here only what all have in common counts.
  for (const [operationId, operation] of Object.entries(contract) as [string, Operation][]) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][operation.method] = {
      operationId,
      tags: [operation.tag],
      summary: operation.summary,
      security: securityOf(operation),
      parameters: parametersOf(operation),
      ...requestBodyOf(operation),
      responses: responsesOf(operation),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'coursectl', version: packageVersion(), license: { name: 'MIT', identifier: 'MIT' } },
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Failure: jsonSchema(failure, 'output'), ValidationFailure: jsonSchema(validationFailure, 'output') },
    },
  };
}
