import { expect } from 'chai';
import request from 'supertest';
import { contract } from '../../src/http/api/contract.js';
import type { Operation } from '../../src/http/api/operation.js';
import { failure, validationFailure } from '../../src/http/api/response-schemas.js';
import { roles } from '../../src/schemas/fields.js';
import { signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { admittedRoles, type Example, examples, ownPage, pathOf } from './support/examples.js';
import { expectFailure, expectInvalid, messages } from './support/expectations.js';

const operations = Object.entries(contract) as [keyof typeof contract, Operation][];
const methods = ['get', 'post', 'put', 'delete', 'patch'] as const;
const keysOf = (schema: Operation['body']): string[] => Object.keys(schema?.describe().keys ?? {});

for (const [name, operation] of operations) {
  const { method, path, access } = operation;
  const title = `${method.toUpperCase()} ${path}`;
  const isPublic = access.kind === 'public';
  const isOpen = isPublic || access.kind === 'optional';

  describe(`Contract of ${title}`, () => {
    const harness = useHarness();
    const example = (): Promise<Example> => examples[name](harness.context);
    function send(given: Example, token = given.token) {
      const call = harness.api(method, pathOf(path, given), token).set(given.headers ?? {});
      if (given.upload) {
        const { file, name, fields } = given.upload;
        return call.attach(operation.upload?.field ?? '', file, name).field(fields);
      }
      return given.body === undefined ? call : call.send(given.body);
    }

    it(`succeeds with ${operation.success.status} and exactly the documented body`, async () => {
      const response = await send(await example());
      expect(response.status, response.text).to.equal(operation.success.status);
      if ('content' in operation.success) {
        const { content } = operation.success;
        const type = String(response.headers['content-type']);
        const wanted =
          content === '*/*'
            ? /^text\/plain$/
            : new RegExp(content.startsWith('text/') ? `^${content};.*charset=utf-8$` : `^${content}$`);
        expect(type).to.match(wanted);
        expect(response.text ?? response.body)
          .to.have.property('length')
          .above(0);
        expect(response.headers['x-content-type-options']).to.equal('nosniff');
        expect(response.headers['content-security-policy']).to.match(/^default-src 'none'; /);
        return;
      }
      expect(response.headers['content-type']).to.match(/^application\/json/);
      const { value, error } = operation.success.body.validate(response.body, { abortEarly: false });
      expect(error?.message).to.equal(undefined);
      // Nothing had to be converted but times, and those were written as JSON writes them: ISO 8601, UTC.
      expect(JSON.parse(JSON.stringify(value))).to.deep.equal(response.body);
    });

    if (access.kind === 'optional') {
      it('is open without a token, and refused with 401 with a bad one', async () => {
        const given = await example();
        await send(given).expect(operation.success.status);
        expectFailure(await send(given, 'not-a-token'), 401, messages.badToken);
      });
    }

    if (isPublic) {
      it('is open without a token and with a bad one', async () => {
        const given = await example();
        await send(given, 'not-a-token').expect(operation.success.status);
      });
    } else if (!isOpen) {
      it('is refused with 401 without a token, before anything else', async () => {
        const response = await harness.api(method, pathOf(path, {})).send({ surplus: true });
        expectFailure(response, 401, messages.noToken);
        expect(response.headers['www-authenticate']).to.equal('Bearer');
      });

      it('is refused with 401 with a bad token, before anything else', async () => {
        const response = await harness.api(method, pathOf(path, {}), 'not.a.token').send({ surplus: true });
        expectFailure(response, 401, messages.badToken);
        expect(response.headers['www-authenticate']).to.equal('Bearer error="invalid_token"');
      });

      for (const role of roles.filter((candidate) => !admittedRoles(access).includes(candidate))) {
        it(`is refused with 403 to a ${role}`, async () => {
          const given = await example();
          const { token } = await signIn(harness.context, { role });
          const response = await send(given, token);
          expect(response.status, response.text).to.equal(403);
          expect(response.body).to.have.all.keys('error');
          expect(failure.validate(response.body).error).to.equal(undefined);
        });
      }
    }

    if (access.kind === 'own-trainer') {
      it('is refused with 403 to another trainer, and open to the super admin', async () => {
        const given = await example();
        const [other, admin] = [
          await signIn(harness.context, { role: 'trainer' }),
          await signIn(harness.context, { role: 'super_admin' }),
        ];
        await send(given, other.token).expect(403);
        await send(given, admin.token).expect(operation.success.status);
      });
    }

    if (operation.ownPagesOnly) {
      it('is refused with 403 to other pages and programs, before anything else', async () => {
        for (const headers of [
          {},
          { ...ownPage, 'Sec-Fetch-Site': 'same-site' },
          { 'Sec-Fetch-Site': 'same-origin' },
        ]) {
          const response = await harness.api(method, path).set(headers).send('{').type('json');
          expectFailure(response, 403, 'Access denied. Only for pages of this service.');
          expect(response.headers).not.to.have.property('set-cookie');
        }
      });
    }

    if (operation.body) {
      it('is refused with 400 where a field is of the wrong type, naming each', async () => {
        const { token, ...given } = await example();
        const wrong = Object.fromEntries(keysOf(operation.body).map((key) => [key, { canary: true }]));
        const response = await send({ ...given, body: wrong }, token);
        expectInvalid(response, keysOf(operation.body));
        expect(validationFailure.validate(response.body).error).to.equal(undefined);
        expect(response.text).not.to.include('canary');
      });

      it('is refused with 400, 413 and 415 where the body is none', async () => {
        const { token, ...given } = await example();
        const raw = (type: string, text: string) =>
          harness
            .api(method, pathOf(path, given), token)
            .set({ ...given.headers, 'Content-Type': type })
            .send(text);
        expectFailure(await raw('application/json', '{'), 400, 'Malformed JSON.');
        expectFailure(await raw('application/json', `"${'x'.repeat(200_000)}"`), 413, 'Request body too large.');
        expectFailure(await raw('text/plain', '{}'), 415, 'Content-Type must be application/json.');
      });
    }

    if (operation.query) {
      it('is refused with 400 where a parameter is given twice, naming each', async () => {
        const { query: _, ...given } = await example();
        const twice = keysOf(operation.query).map((key) => `${key}=canary&${key}=canary`);
        const response = await harness.api(method, `${pathOf(path, given)}?${twice.join('&')}`, given.token);
        expectInvalid(response, keysOf(operation.query), 'query');
        expect(response.text).not.to.include('canary');
      });
    }

    if (!isOpen) {
      const open = operation.allowsInitialPassword === true;
      it(`is ${open ? 'open' : 'refused'} to an account that must change its password`, async () => {
        const { token, ...given } = await example();
        await harness.context.database.models.User.update({ requiresPasswordChange: true }, { where: {} });
        const response = await send(given, token);
        if (open) expect(response.status, response.text).to.equal(operation.success.status);
        else {
          expect(response.status).to.equal(403);
          expect(response.body).to.deep.equal({ error: 'Password change required.', code: 'PASSWORD_CHANGE_REQUIRED' });
        }
      });
    }
  });
}

describe('Flags of operations', () => {
  const named = (isMeant: (operation: Operation) => unknown) =>
    operations.flatMap(([name, operation]) => (isMeant(operation) ? [name] : []));

  it('admit accounts with an initial password to the operations below /api/auth only', () => {
    expect(named(({ allowsInitialPassword }) => allowsInitialPassword)).to.have.members([
      'register',
      'me',
      'updateProfile',
      'changePassword',
      'changeFirstPassword',
      'showWebSession',
      'checkEnrollment',
      'logout',
      'logoutAll',
      'listSessions',
      'endSession',
      'setAvatar',
      'removeAvatar',
    ]);
  });

  it('lift the deadline of the database only for work that may take longer', () => {
    expect(named(({ databaseDeadline }) => databaseDeadline === 'none')).to.have.members([
      'undoImport',
      'applyImport',
      'changeManyUsers',
      'loadDemo',
      'deleteCourse',
      'assignTrainer',
    ]);
  });

  it('ask something before the body is read in setup only', () => {
    expect(named(({ precondition }) => precondition)).to.deep.equal(['setup']);
  });

  it('make exports of very many rows one piece at a time', () => {
    expect(named(({ exportsRows }) => exportsRows)).to.have.members(['exportUsers', 'importOutcome']);
  });

  it('keep probes and metrics available before the database is reached', () => {
    const expected = ['health', 'readiness', 'metrics'];
    expect(named(({ availableBeforeReady }) => availableBeforeReady)).to.have.members(expected);
  });

  it('keep the web console to pages of the service', () => {
    const expected = ['startWebSession', 'endWebSession'];
    expect(named(({ ownPagesOnly }) => ownPagesOnly)).to.have.members(expected);
    expect(named(({ setsCookie }) => setsCookie)).to.have.members(expected);
  });

  it('accept ranges for course files only', () => {
    expect(named(({ acceptsRanges }) => acceptsRanges)).to.deep.equal(['openMaterial']);
  });
});

describe('Methods of the API', () => {
  const harness = useHarness();

  for (const path of new Set(operations.map(([, operation]) => operation.path))) {
    const known = operations.flatMap(([, operation]) => (operation.path === path ? [operation.method] : []));

    it(`of ${path} other than ${known.join(', ').toUpperCase()} are answered 405 with Allow`, async () => {
      for (const method of methods.filter((candidate) => !known.some((allowed) => allowed === candidate))) {
        const response = await request(harness.app)[method](pathOf(path, {}));
        expectFailure(response, 405, 'Method not allowed.');
        const allowed = response.headers.allow?.split(', ') ?? [];
        const expected = known.map((allowedMethod) => allowedMethod.toUpperCase());
        expect(allowed).to.include.members(expected);
        // What is said to be allowed is.
        for (const name of allowed) {
          const answer = await request(harness.app)[name.toLowerCase() as 'options'](pathOf(path, {}));
          expect(answer.status, `${name} ${path}`).not.to.equal(405);
          expect(answer.body, `${name} ${path}`).not.to.deep.equal({ error: 'Resource not found.' });
        }
      }
    });
  }
});
