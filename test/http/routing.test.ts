import { expect } from 'chai';
import request from 'supertest';
import { useHarness } from '../support/harness.js';

describe('Routing', () => {
  const harness = useHarness();
  const cases: readonly [method: 'get' | 'put' | 'head' | 'options', path: string, status: number][] = [
    ['get', '/healthz', 200],
    ['get', '/healthz/', 200],
    ['get', '/healthz//', 404],
    ['get', '/healthz?a=1', 200],
    ['head', '/healthz', 200],
    ['get', '/HEALTHZ', 404],
    ['options', '/healthz', 405],
    ['get', '/api/auth/me', 401],
    ['get', '/api/auth/me/', 401],
    ['head', '/api/auth/me/', 401],
    ['get', '/api/auth/me/more', 404],
    ['get', '/api/auth/Me', 404],
    ['get', '/api/auth/%6de', 404],
    ['get', '/api//auth/me', 404],
    ['get', '/api/courses/', 200],
    ['get', '/api/courses?limit=1', 200],
    ['get', '/api/courses/a/', 401],
    ['get', '/api/courses/%ff', 400],
    ['get', '/api/users/a', 401],
    ['put', '/api/users/bulk', 405],
    ['put', '/api/users/export.csv', 405],
    ['get', '/api/auth', 404],
    ['get', '/api', 404],
    ['get', '/api/', 404],
    ['get', '/apiary', 404],
    ['get', '/', 404],
  ];
  for (const [method, path, status] of cases)
    it(`answers ${method.toUpperCase()} ${path} with ${status}`, async () => {
      const response = await request(harness.app)[method](path);
      expect(response.status).to.equal(status);
      expect(response.headers['cache-control']).to.equal('no-store');
      expect(response.headers['x-request-id']).to.have.length(36);
      if (status === 404) expect(response.headers['content-type']).to.match(/^application\/json/);
      if (status === 404) expect(response.body).to.deep.equal({ error: 'Resource not found.' });
      expect(response.headers.vary === 'Origin', 'headers of CORS').to.equal(/^\/api(\/|\?|$)/.test(path));
    });
});
