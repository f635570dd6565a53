import { expect } from 'chai';
import type Joi from 'joi';
import request, { type Response } from 'supertest';
import { type Operation, seatsHeader } from '../../src/http/api/operation.js';
import type { contract } from '../../src/http/api/operations/contract.js';
import { validationFailure } from '../../src/http/api/response-schemas.js';
import { mailSettings } from '../support/environment.js';
import { type Harness, useHarness } from '../support/harness.js';
import { issuerSettings, useIssuer } from '../support/issuer.js';
import { compile, type DescribedOperation, descriptionOf } from './support/described.js';
import { type Example, examples, operations, pathOf, sendExample } from './support/examples.js';
import { expectFailure, expectInvalid } from './support/expectations.js';

const titleOf = ({ method, path }: Operation) => `${method.toUpperCase()} ${path}`;
const keysOf = (schema: Operation['body']): string[] => Object.keys(schema?.describe().keys ?? {});

/** Expects a response of the documented content type with headers against execution in browsers. */
function expectContent(
  { headers, text, body }: Response,
  { content, otherContent }: { content: string; otherContent?: string },
  described?: { content: object },
): void {
  const kinds: Record<string, RegExp> = { '*/*': /^(text\/plain|image\/svg\+xml)$/, 'image/webp': /^image\/webp$/ };
  expect(headers['content-type']).to.match(kinds[content] ?? new RegExp(`^${content};.*charset=utf-8$`));
  expect(text ?? body)
    .to.have.property('length')
    .above(0);
  expect(headers['x-content-type-options']).to.equal('nosniff');
  expect(headers['content-security-policy']).to.match(/^default-src 'none'; /);
  expect(described?.content).to.have.all.keys([content, otherContent ?? []].flat());
}

/** Expects a JSON body with exactly the fields of the schema and the OpenAPI document. */
function expectDocument(
  { body, headers }: Response,
  name: keyof typeof contract,
  schema: Joi.ObjectSchema,
  described: DescribedOperation['responses'][string] | undefined,
): void {
  expect(headers['content-type']).to.match(/^application\/json/);
  const { value, error } = schema.validate(body, { abortEarly: false });
  expect(error?.message).to.equal(undefined);
  // The schema converts only times, and their JSON is ISO 8601 in UTC.
  expect(JSON.parse(JSON.stringify(value))).to.deep.equal(body);
  const isSent = (header: string) => header !== seatsHeader || 'seatsBeingGiven' in body;
  for (const header of Object.keys(described?.headers ?? {}).filter(isSent))
    expect(headers).to.have.property(header.toLowerCase());
  const check = compile(described?.content['application/json'].schema ?? false);
  expect(check(body), JSON.stringify(check.errors)).to.equal(true);
  if (name === 'openapi') return;
  expect(check({ ...body, surplus: 1 })).to.equal(false);
  const { keys } = schema.describe() as { keys: Record<string, { flags?: { presence?: string } }> };
  for (const key of Object.keys(body)) {
    if (keys[key]?.flags?.presence === 'optional') continue;
    const { [key]: _, ...incomplete } = body;
    expect(check(incomplete), `without ${key}`).to.equal(false);
  }
}

/** Expects an error for every given field, without their values. */
function expectAllInvalid(response: Response, schema: Joi.ObjectSchema, location: 'body' | 'query'): void {
  expectInvalid(response, keysOf(schema), location);
  expect(validationFailure.validate(response.body).error).to.equal(undefined);
  expect(response.text).not.to.include('canary');
}

/** Expects 400 for wrong types in the body, and for repeated parameters. */
async function expectRefusals(harness: Harness, operation: Operation, { query: _, ...given }: Example): Promise<void> {
  if (operation.body) {
    const wrong = Object.fromEntries(keysOf(operation.body).map((key) => [key, { canary: true }]));
    expectAllInvalid(await sendExample(harness, operation, { ...given, body: wrong }), operation.body, 'body');
  }
  if (operation.query) {
    const twice = keysOf(operation.query).map((key) => `${key}=canary&${key}=canary`);
    const url = `${pathOf(operation.path, given)}?${twice.join('&')}`;
    expectAllInvalid(await harness.api(operation.method, url, given.token), operation.query, 'query');
  }
}

describe('The contract', () => {
  const given = useIssuer();
  const harness = useHarness(() => ({ ...issuerSettings(given.issuer), ...mailSettings }));

  for (const [name, operation] of operations) {
    const { success } = operation;
    const refuses = operation.body || operation.query ? 'names each wrong field, and ' : '';
    it(`of ${titleOf(operation)} ${refuses}answers ${success.status} with exactly the documented body`, async () => {
      const given: Example = await examples[name](harness.context);
      await expectRefusals(harness, operation, given);
      const response = await sendExample(harness, operation, given);
      expect(response.status, response.text).to.equal(success.status);
      const described = descriptionOf(operation)?.responses[success.status];
      if ('content' in success) expectContent(response, success, described);
      else if ('redirects' in success) expect(response.headers.location).to.match(/^(\/|http)/);
      else expectDocument(response, name, success.body, described);
      if (!operation.body) return;
      const check = compile(descriptionOf(operation)?.requestBody?.content['application/json'].schema ?? false);
      expect(check(given.body), JSON.stringify(check.errors)).to.equal(true);
      expect(check({ ...given.body, surplus: 1 })).to.equal(true);
    });
  }
});

describe('Flags of operations', () => {
  const named = (isMeant: (operation: Operation) => unknown) =>
    operations.flatMap(([name, operation]) => (isMeant(operation) ? [name] : []));

  it('are set for few operations only', () => {
    const mayTakeLong = [
      'undoImport',
      'changeManyUsers',
      'changeManyStatuses',
      'loadDemo',
      'deleteCourse',
      'assignTrainer',
      'changeManyMails',
    ];
    expect(named(({ databaseDeadline }) => databaseDeadline === 'none')).to.have.members(mayTakeLong);
    expect(named(({ precondition }) => precondition)).to.deep.equal(['setup']);
    const exports = ['exportUsers', 'exportCourses', 'exportEnrollments', 'importOutcome', 'importRejects'];
    expect(named(({ exportsRows }) => exportsRows)).to.have.members(exports);
    expect(named(({ availableBeforeReady }) => availableBeforeReady)).to.have.members([
      'health',
      'readiness',
      'metrics',
    ]);
    expect(named(({ secretPath }) => secretPath)).to.deep.equal([
      'privateCalendar',
      'verifyCertificate',
      'revokeCertificate',
    ]);
    const ofSession = ['startWebSession', 'endWebSession'];
    expect(named(({ ownPagesOnly }) => ownPagesOnly)).to.have.members(ofSession);
    expect(named(({ setsCookie }) => setsCookie)).to.have.members([
      ...ofSession,
      'startOidc',
      'finishOidc',
      'linkIdentity',
    ]);
    expect(named(({ acceptsRanges }) => acceptsRanges)).to.have.members(['showLogo', 'openMaterial']);
  });
});

describe('Inputs of operations', () => {
  it('have a limited raw length and few combining marks in a row before they are trimmed, normalised or matched', () => {
    const texts = [' '.repeat(60_000), '0'.repeat(60_000), `a${'\u0301'.repeat(31)}`];
    // Passwords are hashed unchanged, and identifiers have a key of limited length.
    for (const [name, { body, query, upload }] of operations)
      for (const schema of [body, query, upload?.fields])
        for (const key of keysOf(schema).filter((field) => !/password|identifier/i.test(field)))
          for (const text of texts)
            expect(schema?.extract(key).validate(text).error, `${name} ${key} ${text.slice(0, 2)}`).to.be.an('error');
  });
});

describe('Methods of the API', () => {
  const harness = useHarness();

  it('get 405 if the path does not support them, with the supported methods in Allow', async () => {
    for (const path of new Set(operations.map(([, operation]) => operation.path))) {
      const known = operations.flatMap(([, operation]) => (operation.path === path ? [operation.method] : []));
      const response = await request(harness.app).patch(pathOf(path, {}));
      expectFailure(response, 'METHOD_NOT_ALLOWED');
      const added = [...(known.includes('get') ? ['HEAD'] : []), ...(path.startsWith('/api/') ? ['OPTIONS'] : [])];
      const allowed = response.headers.allow?.split(', ');
      expect(allowed, path).to.have.members([...known.map((method) => method.toUpperCase()), ...added]);
    }
    for (const method of ['post', 'put', 'delete'] as const)
      expectFailure(await request(harness.app)[method]('/api/courses/categories/all'), 'METHOD_NOT_ALLOWED');
  });
});
