import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { statusOf } from '../../src/http/api/failures.js';
import type { Operation } from '../../src/http/api/operation.js';
import { contract } from '../../src/http/api/operations/contract.js';
import { packageVersion } from '../../src/package-root.js';
import { emptyDatabase, useHarness } from '../support/harness.js';
import { compile, descriptionOf, document } from './support/described.js';
import { type Example, examples, operations } from './support/examples.js';

describe('GET /api/openapi.json', () => {
  const harness = useHarness();

  it('returns the document to everybody', async () => {
    const { body } = await harness.api('get', '/api/openapi.json').expect(200);
    expect(body).to.deep.equal(JSON.parse(JSON.stringify(document)));
  });

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)));
    expect(valid, JSON.stringify(errors)).to.equal(true);
    expect(validator.version).to.equal('3.1');
  });

  it('has the version of the package', () => {
    expect(document.info.version).to.equal(packageVersion());
  });

  it("lists exactly the contract's operations", () => {
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId}: ${method} ${path}`),
    );
    const expected = operations.map(
      ([name, { method, path }]) => `${name}: ${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
    );
    expect(listed).to.have.members(expected);
  });

  it('declares 503 for every path below /api', () => {
    for (const [name, operation] of operations.filter(([, { path }]) => path.startsWith('/api/'))) {
      const { description = '' } = descriptionOf(operation)?.responses[503] ?? {};
      const words = description.split(' | ');
      expect(words, name).to.include.members(['The service is not ready.', 'The service is busy. Try again shortly.']);
      expect(new Set(words).size, name).to.equal(words.length);
    }
  });

  it('requires a body only if an empty one is refused', () => {
    const optional = operations.flatMap(([name, operation]) => {
      if (!operation.body) return [];
      const required = descriptionOf(operation)?.requestBody?.required;
      const isRefused = operation.body.validate({}).error !== undefined;
      expect(required, name).to.equal(isRefused);
      return isRefused ? [] : [name];
    });
    const expected = [
      'updateProfile',
      'changeMailPreferences',
      'updateCourse',
      'updateUser',
      'updateGroup',
      'planImport',
      'applyImport',
      'resetPassword',
    ];
    expect(optional).to.have.members(expected);
  });

  it('declares the headers of refusals', () => {
    for (const [name, operation] of operations) {
      for (const [status, { headers = {} }] of Object.entries(descriptionOf(operation)?.responses ?? {})) {
        const located = operation.tag === 'Imports' ? ['Location'] : [];
        const joins = operation.failures?.includes('SEATS_BEING_GIVEN');
        const carried = {
          202: located,
          401: ['WWW-Authenticate'],
          409: joins ? ['Retry-After'] : [],
          429: ['Retry-After'],
          503: ['Retry-After'],
        };
        const isSuccess = Number(status) === operation.success.status;
        const successful = [
          ...('freesSeats' in operation.success ? ['Seats-Being-Given'] : []),
          ...('redirects' in operation.success ? ['Location'] : []),
          ...(operation.setsCookie ? ['Set-Cookie'] : []),
        ];
        const ofStatus = carried[Number(status) as keyof typeof carried] ?? [];
        const expected = isSuccess ? [...successful, ...ofStatus] : ofStatus;
        const code = Number(status) >= 400 ? ['Error-Code'] : [];
        expect(Object.keys(headers), `${name} ${status}`).to.deep.equal([...code, ...expected]);
      }
    }
  });

  it('describes every parameter and field', () => {
    const undescribed: string[] = [];
    function visit(node: unknown, place: string): void {
      if (typeof node !== 'object' || node === null) return;
      const { properties, description, in: location, name: parameter } = node as Record<string, unknown>;
      if (typeof location === 'string' && !description) undescribed.push(`${place} ${String(parameter)}`);
      const fields = typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
      for (const [name, field] of fields as [string, Record<string, unknown>][])
        if (!field.description && field.$ref === undefined) undescribed.push(`${place}.${name}`);
      for (const [key, child] of Object.entries(node)) visit(child, `${place}.${key}`);
    }
    visit(document, 'document');
    expect(undescribed, 'Describe them in src/http/api/field-docs.ts').to.deep.equal([]);
  });

  it('describes every response in words for clients', () => {
    for (const [name, operation] of operations) {
      for (const [status, { description }] of Object.entries(descriptionOf(operation)?.responses ?? {})) {
        expect(description, `${name} ${status}`)
          .to.match(/^[A-Z]/)
          .and.not.to.match(/detail|coursectl migrate/);
      }
    }
  });
});

/** Returns the statuses that an operation must declare. */
function statusesOf(name: keyof typeof contract, operation: Operation): string[] {
  const { access, failures = [] } = operation;
  const expected = [String(operation.success.status), '500'];
  if (operation.body) expected.push('400', '413', '415');
  if (operation.query || operation.params) expected.push('400');
  if (operation.upload) expected.push('400', '413', '415');
  if (operation.method !== 'get') expected.push('507');
  if (failures.includes('IMPORT_CONFLICT')) expected.push('400');
  if (failures.some((code) => statusOf(code) === 409)) expected.push('409');
  if (failures.includes('TOO_MANY_ATTEMPTS')) expected.push('429');
  if (failures.includes('CREDENTIALS_FETCHED')) expected.push('410');
  if (operation.acceptsRanges) expected.push('206', '304', '416');
  if (access.kind !== 'public' || name === 'metrics') expected.push('401');
  const passwordFirst = access.kind === 'signed-in' && !operation.allowsInitialPassword;
  if (!['public', 'signed-in'].includes(access.kind) || passwordFirst) expected.push('403');
  if (failures.includes('NOT_FOUND') || operation.params) expected.push('404');
  if (failures.some((code) => statusOf(code) === 400)) expected.push('400');
  if (failures.includes('WRONG_PASSWORD')) expected.push('401');
  if (operation.ownPagesOnly) expected.push('403');
  if (name !== 'health') expected.push('503');
  return [...new Set(expected)];
}

/** contract.test.ts compares responses with the document. */
describe('OpenAPI of every operation', () => {
  const harness = useHarness();

  it('declares the documented statuses', () => {
    for (const [name, operation] of operations)
      expect(Object.keys(descriptionOf(operation)?.responses ?? {}), name).to.have.members(statusesOf(name, operation));
  });

  it('declares a token, in the header or the cookie, exactly for the operations that need one', () => {
    const either = [{ token: [] }, { cookie: [] }];
    for (const [name, operation] of operations) {
      const { kind } = operation.access;
      const expected = kind === 'public' ? [] : kind === 'optional' ? [{}, ...either] : either;
      expect(descriptionOf(operation)?.security, name).to.deep.equal(expected);
    }
  });

  it('rejects a body with a missing required field or a field of the wrong type', async () => {
    for (const [name, operation] of operations.filter(([, { body }]) => body)) {
      await emptyDatabase(harness.context);
      const { body = {} }: Example = await examples[name](harness.context);
      const check = compile(descriptionOf(operation)?.requestBody?.content['application/json'].schema ?? false);
      for (const [key, field] of Object.entries(operation.body?.describe().keys ?? {}) as [
        string,
        { flags?: { presence?: string } },
      ][]) {
        const { [key]: _, ...incomplete } = body;
        expect(check(incomplete), `${name} without ${key}`).to.equal(field.flags?.presence !== 'required');
        for (const wrong of Array.isArray(body[key]) ? ['text', {}, [[]]] : [[], {}, [body[key]]])
          expect(check({ ...body, [key]: wrong }), `${name}, ${key}: ${wrong}`).to.equal(false);
      }
      for (const none of [null, [], 'text', 7]) expect(check(none), name).to.equal(false);
    }
  });

  it('describes exactly the existing parameters', () => {
    for (const [name, operation] of operations) {
      const parameters = descriptionOf(operation)?.parameters ?? [];
      const located = (where: string) => parameters.filter((each) => each.in === where).map(({ name: key }) => key);
      expect(located('query'), name).to.have.members(Object.keys(operation.query?.describe().keys ?? {}));
      expect(located('path'), name).to.have.members([...operation.path.matchAll(/:(\w+)/g)].map(([, key]) => key));
      for (const parameter of parameters) {
        const needed = name === 'listAvailableTrainees' && parameter.name === 'courseId';
        expect(parameter.required, parameter.name).to.equal(parameter.in === 'path' || needed);
        compile(parameter.schema);
      }
    }
  });
});

describe('OpenAPI of inputs', () => {
  const refuses = (name: keyof typeof contract, body: object): boolean => {
    const schema = descriptionOf(contract[name])?.requestBody?.content['application/json'].schema;
    return !compile(schema ?? true)(body);
  };

  it('has the lengths, formats, lists and empty fields of the specification', () => {
    const login = { identifier: 'a', password: '123456' };
    const names = { firstName: 'Ada', lastName: 'Li', email: 'ada@example.org' };
    const person = { ...names, password: '123456', phone: '1', role: 'trainee' };
    const wrong = [{ email: 'nobody' }, { role: 'admin' }, { isActive: 'true' }, { phone: '' }, { firstName: 'A' }];
    for (const [name, body, isRefused] of [
      ['login', login, false],
      ['login', { ...login, password: '12345' }, true],
      ['login', { ...login, identifier: '' }, true],
      ['register', person, false],
      ...wrong.map((field) => ['register', { ...person, ...field }, true] as const),
      ['updateProfile', { firstName: 'A' }, true],
      ['updateProfile', { lastName: 'x'.repeat(51) }, true],
      ['updateProfile', { firstName: '', lastName: null, phone: '' }, false],
      ['updateProfile', { phone: 4420 }, false],
      ['updateProfile', { phone: 'x'.repeat(51) }, true],
    ] as const)
      expect(refuses(name, body), `${name} ${JSON.stringify(body)}`).to.equal(isRefused);
    for (const [name, operation] of operations) {
      const search = descriptionOf(operation)?.parameters.find((parameter) => parameter.name === 'search');
      if (search) expect(search.schema, name).to.deep.include({ type: 'string', maxLength: 200 });
    }
    const form = JSON.stringify(descriptionOf(contract.createImport)?.requestBody);
    expect(form).to.include('"enum":["auto",",",";","tab","|"]');
  });
});
