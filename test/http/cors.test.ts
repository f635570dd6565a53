import { expect } from 'chai';
import request from 'supertest';
import { signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { operations, pathOf } from './support/examples.js';

const listed = 'https://app.example.org';
const unlisted = [
  'https://evil.example.org',
  `${listed}.evil.org`,
  `${listed}:8443`,
  'http://app.example.org',
  'null',
  '*',
  'https://APP.example.org/',
];
const headers = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-headers': 'Content-Type, Authorization, X-Requested-With',
  'access-control-allow-credentials': 'true',
  vary: 'Origin',
};

describe('Preflight', () => {
  const harness = useHarness({ ALLOWED_ORIGINS: `${listed},https://admin.example.org` });
  const preflight = (path: string, origin?: string) => {
    const call = request(harness.app).options(path);
    return origin === undefined ? call : call.set('Origin', origin);
  };

  it('answers 200 with an empty body and the four headers, on every path', async () => {
    const paths = [...new Set(operations.map(([, { path }]) => pathOf(path, {})))];
    for (const path of [...paths.filter((each) => each.startsWith('/api/')), '/api/nothing', '/api']) {
      const response = await preflight(path, listed).set('Access-Control-Request-Method', 'PUT');
      expect({ status: response.status, text: response.text }, path).to.deep.equal({ status: 200, text: '' });
      expect(response.headers).to.include({ ...headers, 'access-control-allow-origin': listed });
      expect(response.headers).not.to.have.property('access-control-expose-headers');
    }
    const response = await preflight('/api/auth/login', 'https://admin.example.org').expect(200);
    expect(response.headers['access-control-allow-origin']).to.equal('https://admin.example.org');
  });

  it('omits only Access-Control-Allow-Origin for an unlisted origin', async () => {
    for (const origin of [...unlisted, undefined]) {
      const response = await preflight('/api/auth/login', origin);
      expect({ status: response.status, text: response.text }).to.deep.equal({ status: 200, text: '' });
      expect(response.headers).not.to.have.property('access-control-allow-origin');
      expect(response.headers).to.include(headers);
    }
  });
});

describe('Cross-origin requests', () => {
  const harness = useHarness({ ALLOWED_ORIGINS: listed });
  const status = () => harness.api('get', '/api/auth/setup-status');

  it('get Vary: Origin, and Access-Control-Allow-Origin only for listed origins', async () => {
    for (const origin of [listed, ...unlisted, undefined]) {
      const response = await (origin === undefined ? status() : status().set('Origin', origin)).expect(200);
      expect(response.headers.vary).to.equal('Origin');
      const allowed = ['access-control-allow-origin', 'access-control-allow-credentials'];
      const expected = origin === listed ? [listed, 'true'] : [undefined, 'true'];
      expect(allowed.map((name) => response.headers[name])).to.deep.equal(expected);
    }
  });

  it('can read refusals, with Retry-After and the id of the request', async () => {
    const { token } = await signIn(harness.context);
    const refusals = [
      harness.api('get', '/api/auth/me'),
      harness.api('post', '/api/auth/register', token),
      harness.api('post', '/api/auth/login').send({}),
      harness.api('get', '/api/nothing'),
      harness.api('delete', '/api/auth/login'),
      harness.api('post', '/api/auth/login').set('Content-Type', 'application/json').send('{'),
    ];
    const statuses: number[] = [];
    for (const refusal of refusals) {
      const response = await refusal.set('Origin', listed);
      statuses.push(response.status);
      expect(response.headers).to.include({
        'access-control-allow-origin': listed,
        'access-control-expose-headers':
          'Accept-Ranges, Content-Disposition, Content-Range, ETag, Error-Code, Location, Retry-After, Seats-Being-Given, WWW-Authenticate, X-Request-Id',
        vary: 'Origin',
      });
    }
    expect(statuses).to.deep.equal([401, 403, 400, 404, 405, 400]);
  });
});

describe('Without a list of origins', () => {
  const harness = useHarness();

  it('no origin is allowed', async () => {
    const response = await request(harness.app).options('/api/auth/login').set('Origin', listed).expect(200);
    expect(response.headers).not.to.have.property('access-control-allow-origin');
    const real = await harness.api('get', '/api/auth/setup-status').set('Origin', listed).expect(200);
    expect(real.headers).not.to.have.property('access-control-allow-origin');
  });
});
