import type Joi from 'joi';
import type { ErrorCode } from '../../../errors.js';
import { packageVersion } from '../../../package-root.js';
import { type Role, roles } from '../../../schemas/fields.js';
import { roleRefusal } from '../../../services/auth/permissions.js';
import { secureCookieName } from '../../routing/session-cookie.js';
import { codeHeader, messageOf, publicCodeOf, retryAfterOf, statusOf } from '../failures.js';
import { createSchemaConverter, type JsonSchema } from '../json-schema.js';
import { type Operation, seatsHeader, tags } from '../operation.js';
import { contract } from '../operations/contract.js';
import { errorCode, failure, validationFailure } from '../response-schemas.js';

/** Returns the message of a failure; an operation may have its own message for a wrong role. */
function describedFailure({ access }: Operation, code: ErrorCode): string {
  const ofRole = access.kind === 'roles' && code === roleRefusal(access.roles) ? access.refusal : undefined;
  return ofRole ?? messageOf(code);
}

/** Returns the codes with which the access rule refuses signed-in callers. */
function accessRefusals({ access }: Operation): ErrorCode[] {
  switch (access.kind) {
    case 'roles':
      return [roleRefusal(access.roles)];
    case 'scoped':
      // A rule for all roles refuses nobody.
      return access.roles.length === roles.length ? [] : [roleRefusal(access.roles)];
    case 'own-trainer':
      return ['TRAINER_REQUIRED', 'OTHER_TRAINER'];
    case 'owner':
      return access.roles.length === roles.length ? ['OTHER_TRAINER'] : [roleRefusal(access.roles), 'OTHER_TRAINER'];
    default:
      return [];
  }
}

/** Returns the security requirements: none, a token in the header or the cookie, or both alternatives. */
function securityOf({ access }: Operation): object[] {
  if (access.kind === 'public') return [];
  const either = [{ token: [] }, { cookie: [] }];
  return access.kind === 'optional' ? [{}, ...either] : either;
}

/** Returns the failures of an operation: its declared failures, and those of its access rule and input. */
function failuresOf(operation: Operation): ErrorCode[] {
  const codes: ErrorCode[] = [...(operation.failures ?? [])];
  if (operation.body || operation.query) codes.push('VALIDATION');
  if (operation.body) codes.push('MALFORMED_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (operation.upload) codes.push('VALIDATION', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (operation.method !== 'get') codes.push('DISK_FULL');
  if (operation.params ?? operation.query) codes.push('MALFORMED_URL');
  const { access } = operation;
  if (operation.ownPagesOnly) codes.push('OTHER_ORIGIN');
  if (access.kind !== 'public') {
    if (access.kind !== 'optional') codes.push('TOKEN_MISSING');
    codes.push('TOKEN_INVALID');
    codes.push(...accessRefusals(operation));
    if (!operation.allowsInitialPassword) codes.push('PASSWORD_CHANGE_REQUIRED');
  }
  // Every other operation may fail because the service is overloaded, or because the database isn't ready.
  if (!operation.availableBeforeReady) codes.push('OVERLOADED', 'DATABASE_UNREACHABLE', 'NOT_READY');
  return codes;
}

const header = (description: string, type: 'string' | 'integer') => ({ description, schema: { type } });

const retryAfter = { 'Retry-After': header('Seconds to wait before retrying', 'integer') };

const challenge = { 'WWW-Authenticate': header('The challenge of RFC 6750', 'string') };

/** Returns a sentence about the permitted callers. */
function audienceOf({ access, allowsInitialPassword }: Operation): string {
  if (access.kind === 'public') return 'Needs no token.';
  const audience = signedInAudience(access);
  return allowsInitialPassword ? `${audience} Open to accounts with an initial password.` : audience;
}

function signedInAudience(access: Exclude<Operation['access'], { kind: 'public' }>): string {
  switch (access.kind) {
    case 'optional':
      return 'Needs no token. With a token, the response depends on the caller.';
    case 'signed-in':
      return 'For every signed-in account.';
    case 'roles':
      return `For ${listed(access.roles)}.`;
    case 'scoped':
      return `For ${listed(access.roles)}; only the super admin sees data of others.`;
    case 'own-trainer':
      return 'For the super admin, and for the trainer whom the path names.';
    case 'owner':
      return `For ${listed(access.roles)}; ${access.of}s of others only for the super admin${access.open ? ', unless published' : ''}.`;
  }
}

const plurals: Record<Role, string> = { super_admin: 'the super admin', trainer: 'trainers', trainee: 'trainees' };

/** Joins roles: `trainees, trainers and the super admin`. */
function listed(roles: readonly Role[]): string {
  const names = roles.map((role) => plurals[role]);
  return names.join(', ').replace(/, ([^,]*)$/, ' and $1');
}

/** Converts operations one by one, and collects the components that they refer to. */
function createOperationConverter() {
  const { input, output, exampleOf, components } = createSchemaConverter();
  const examples: Record<string, { value: object }> = {};

  function parametersOf(operation: Operation): object[] {
    const located = (where: 'path' | 'query', schema: Joi.ObjectSchema | undefined) => {
      if (!schema) return [];
      const { properties = {}, required = [] } = input(schema);
      return Object.entries(properties).map(([name, { description, ...property }]) => ({
        name,
        in: where,
        description,
        required: where === 'path' || required.includes(name),
        // Several values of a parameter are one text, separated by commas.
        ...(property.type === 'array' && { style: 'form', explode: false }),
        schema: property,
      }));
    };
    return [...located('path', operation.params), ...located('query', operation.query)];
  }

  function formSchema({ field, fields }: NonNullable<Operation['upload']>): JsonSchema {
    const { properties, ...converted } = input(fields);
    const file = { type: 'string', contentMediaType: 'application/octet-stream', description: 'The file' };
    return { ...converted, properties: { [field]: file, ...properties }, required: [field] };
  }

  const withExample = (schema: JsonSchema) => ({ 'application/json': { schema, example: exampleOf(schema) } });

  function requestBodyOf({ body, upload }: Operation): object {
    if (upload)
      return { requestBody: { required: true, content: { 'multipart/form-data': { schema: formSchema(upload) } } } };
    if (!body) return {};
    // An absent body counts as an empty one.
    const required = body.validate({}).error !== undefined;
    return { requestBody: { required, content: withExample(input(body)) } };
  }

  const failureSchemas = { Error: output(failure), ValidationError: output(validationFailure) };
  const nameOf = (code: ErrorCode) => (code === 'VALIDATION' ? 'ValidationError' : 'Error');

  const refusalHeaders = {
    [codeHeader]: { description: 'Why the request was refused', required: true, schema: output(errorCode) },
  };

  function successHeaders({ tag, success, setsCookie }: Operation): object {
    const headers = {
      ...(tag === 'Imports' && success.status === 202 && { Location: header('URL of the import', 'string') }),
      ...('freesSeats' in success && {
        [seatsHeader]: header('`true` while free seats are still being given to waiting lists', 'string'),
      }),
      ...('redirects' in success && { Location: header('Address that the browser opens next', 'string') }),
      ...(setsCookie && { 'Set-Cookie': header('A cookie of the web console', 'string') }),
    };
    return Object.keys(headers).length > 0 ? { headers } : {};
  }

  function failureExample(operation: Operation, code: ErrorCode): object {
    if (code === 'VALIDATION') return { value: exampleOf(failureSchemas.ValidationError) };
    const error = describedFailure(operation, code);
    if (error !== messageOf(code)) return { value: { error } };
    const name = publicCodeOf(code);
    examples[name] = { value: { error, ...(code === 'PASSWORD_CHANGE_REQUIRED' && { code }) } };
    return { $ref: `#/components/examples/${name}` };
  }

  function failureContent(operation: Operation, codes: readonly ErrorCode[]): object {
    const schemas = [...new Set(codes.map(nameOf))].map((name) => failureSchemas[name]);
    const [only, ...others] = schemas;
    return {
      'application/json': {
        schema: others.length === 0 ? only : { oneOf: schemas },
        examples: Object.fromEntries(codes.map((code) => [publicCodeOf(code), failureExample(operation, code)])),
      },
    };
  }

  function successContent({ success }: Operation): object | undefined {
    if ('content' in success) {
      const types = [success.content, success.otherContent ?? []].flat();
      return Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }]));
    }
    return 'body' in success ? withExample(output(success.body)) : undefined;
  }

  function responsesOf(operation: Operation): object {
    const { success } = operation;
    const content = successContent(operation);
    const responses: Record<number, object> = {
      [success.status]: {
        description: success.description,
        ...successHeaders(operation),
        ...(content && { content }),
      },
    };
    if (operation.acceptsRanges && 'content' in success) {
      responses[206] = {
        description: 'The part that `Range` asks for',
        content: { [success.content]: { schema: { type: 'string' } } },
      };
      responses[304] = { description: 'Not modified: `If-None-Match` names the current `ETag`' };
    }
    // Every operation may fail because of a fault of the service.
    const failures: ErrorCode[] = [...failuresOf(operation), 'DATABASE_UNUSABLE'];
    for (const status of new Set(failures.map(statusOf))) {
      const codes = failures.filter((code) => statusOf(code) === status);
      responses[status] = {
        description: [...new Set(codes.map((code) => describedFailure(operation, code)))].join(' | '),
        headers: {
          ...refusalHeaders,
          ...(status === 401 && challenge),
          ...(codes.some((code) => retryAfterOf(code) !== undefined) && retryAfter),
        },
        content: failureContent(operation, codes),
      };
    }
    return responses;
  }

  return {
    convert: (operationId: string, operation: Operation): object => ({
      operationId,
      tags: [operation.tag],
      summary: operation.summary,
      description: [operation.description, audienceOf(operation)].filter(Boolean).join(' '),
      security: securityOf(operation),
      parameters: parametersOf(operation),
      ...requestBodyOf(operation),
      responses: responsesOf(operation),
    }),
    components: { schemas: components, examples },
  };
}

export function openapiDocument(): object {
  const { convert, components } = createOperationConverter();
  const paths: Record<string, Record<string, object>> = {};
  // Each operation has its own literal type; this loop uses only the common type.
  for (const [operationId, operation] of Object.entries(contract) as [string, Operation][]) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][operation.method] = convert(operationId, operation);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'coursectl',
      version: packageVersion(),
      description: 'Courses, their trainers and trainees, and the import of accounts.',
      contact: { name: 'coursectl' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that sent this document' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The token in the response of a login or the setup',
        },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: secureCookieName,
          description:
            'Session cookie of the web console, accepted only in requests from pages of this service: `Sec-Fetch-Site` must be `same-origin` (without it, `Origin` or `Referer` must match), and methods other than GET and HEAD need a header `X-Requested-With`. On plain HTTP, except for loopback hosts, the name is `coursectl`.',
        },
      },
      ...components,
    },
  };
}
