import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import request from 'supertest';
import { signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, expectInvalid } from './support/expectations.js';

describe('The body of a request', () => {
  const harness = useHarness();
  /** Sends bytes as they are. */
  const raw = (body: string | Buffer, headers: Record<string, string> = {}, path = '/api/auth/setup') =>
    request(harness.app)
      .post(path)
      .set({ 'Content-Type': 'application/json', ...headers })
      .serialize((bytes) => bytes as unknown as string)
      .send(body as unknown as object);

  it('is refused as malformed when it is no JSON', async () => {
    for (const body of [
      '{',
      '{"email":',
      '{email:1}',
      "{'a':1}",
      '{"a":1}}',
      '{"a":1,}',
      'canary',
      '\u0000',
      '<xml/>',
    ]) {
      const response = await raw(body);
      expectFailure(response, 400, 'Malformed JSON.');
      expect(response.headers['content-type']).to.match(/^application\/json/);
    }
  });

  it('is refused as invalid when it is a JSON primitive', async () => {
    for (const body of ['null', '7', 'true', '"text"', '""', '0', 'false']) expectInvalid(await raw(body), ['']);
  });

  it('is refused as malformed when its bytes are not UTF-8', async () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      const body = Buffer.concat([
        Buffer.from('{"identifier":"'),
        Buffer.from(bytes),
        Buffer.from('","password":"secret"}'),
      ]);
      expectFailure(await raw(body), 400, 'Malformed JSON.');
    }
  });

  it('is refused as invalid when it is a JSON array', async () => {
    for (const body of ['[]', JSON.stringify([ada])]) expectInvalid(await raw(body), ['']);
  });

  it('counts as empty when there is none', async () => {
    const fields = ['firstName', 'lastName', 'email', 'password', 'phone'];
    expectInvalid(await request(harness.app).post('/api/auth/setup'), fields);
    expectInvalid(await request(harness.app).post('/api/auth/setup').set('Content-Length', '0'), fields);
    expectInvalid(await raw('{}'), fields);
  });

  it('is taken with a charset, in UTF-8', async () => {
    const body = JSON.stringify({ ...ada, firstName: 'Žofie' });
    const response = await raw(body, { 'Content-Type': 'application/json; charset=UTF-8' }).expect(201);
    expect(response.body.user.firstName).to.equal('Žofie');
  });

  it('is refused with 415 when it is compressed: a few bytes would say as much as many', async () => {
    for (const encoding of ['gzip', 'deflate', 'br']) {
      const packed = gzipSync(JSON.stringify({ ...ada, surplus: 'x'.repeat(90_000) }));
      expectFailure(await raw(packed, { 'Content-Encoding': encoding }), 415, 'Content-Encoding not supported.');
    }
    await raw(JSON.stringify(ada), { 'Content-Encoding': 'identity' }).expect(201);
  });

  it('is refused with 413 when it is larger than 32 KiB below /api/auth, and than 100 KiB elsewhere', async () => {
    expectFailure(await raw(JSON.stringify({ surplus: 'x'.repeat(32 * 1024) })), 413, 'Request body too large.');
    await raw(JSON.stringify({ ...ada, surplus: 'x'.repeat(7 * 1024) })).expect(201);
    const { token } = await signIn(harness.context, { role: 'trainer' });
    const course = (surplus: string) =>
      harness.api('post', '/api/courses', token).send({ title: 'Knots', description: 'Rope.', surplus });
    expectFailure(await course('x'.repeat(100 * 1024)), 413, 'Request body too large.');
    await course('x'.repeat(99 * 1024)).expect(201);
  });

  it('may have every field of an account at its longest, each character escaped', async () => {
    const escaped = (text: string) =>
      [...text]
        .flatMap((sign) => sign.split(''))
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const longest = {
      firstName: '🦊'.repeat(50),
      lastName: '🦊'.repeat(50),
      email: `${'é'.repeat(32)}@${['d'.repeat(61), 'd'.repeat(61), 'd'.repeat(61)].join('.')}.xy`,
      phone: '🦊'.repeat(50),
      password: '🔑'.repeat(18),
    };
    const body = Object.entries(longest).map(([key, value]) => `"${key}":"${escaped(value).join('')}"`);
    const { user } = (await raw(`{${body.join(',')}}`).expect(201)).body;
    expect(user).to.include({ firstName: longest.firstName, phone: longest.phone, email: longest.email });
  });

  it('is refused with 415 when it is not JSON by its type', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'json',
    ]) {
      const response = await raw(JSON.stringify(ada), { 'Content-Type': type });
      expectFailure(response, 415, 'Content-Type must be application/json.');
    }
    expect(await harness.context.database.models.User.count()).to.equal(0);
  });

  it('is refused with 415 in another charset or an unknown encoding', async () => {
    for (const headers of [{ 'Content-Type': 'application/json; charset=latin1' }, { 'Content-Encoding': 'zip' }]) {
      const response = await raw(JSON.stringify(ada), headers);
      expect(response.status).to.equal(415);
      expect(response.body).to.have.all.keys('error');
    }
  });

  it('may hold "__proto__" and its like without any effect', async () => {
    const { password: _, ...rest } = ada;
    const proto = JSON.stringify(ada);
    expectInvalid(await raw(`{"__proto__":${proto}}`), ['firstName', 'lastName', 'email', 'password', 'phone']);
    expectInvalid(
      await raw(`{"__proto__":${proto},"constructor":{"prototype":${proto}},${JSON.stringify(rest).slice(1)}`),
      ['password'],
    );
    const response = await raw(
      `{"__proto__":{"role":"trainee","isActive":7},"toString":1,"hasOwnProperty":2,${proto.slice(1)}`,
    );
    expect(response.status).to.equal(201);
    expect(response.body.user.role).to.equal('super_admin');
    expect({}).not.to.have.property('role');
    expectInvalid(await raw('{"identifier":{"__proto__":{"length":9}},"password":"123456"}', {}, '/api/auth/login'), [
      'identifier',
    ]);
  });

  it('counts the last of two equal keys, as JSON.parse does', async () => {
    const response = await raw(`{"firstName":"Eve",${JSON.stringify(ada).slice(1)}`).expect(201);
    expect(response.body.user.firstName).to.equal('Ada');
  });

  it('is not read before the caller is known', async () => {
    const response = await request(harness.app)
      .put('/api/auth/profile')
      .set('Content-Type', 'application/json')
      .send('{');
    expect(response.status).to.equal(401);
    const { token } = await signIn(harness.context);
    const known = harness.api('put', '/api/auth/profile', token).set('Content-Type', 'application/json').send('{');
    expectFailure(await known, 400, 'Malformed JSON.');
  });
});

describe('The URL of a request', () => {
  const harness = useHarness();

  it('is answered 404 in JSON where there is nothing, with and without a token', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    for (const path of [
      '/',
      '/api',
      '/api/',
      '/api/nothing',
      '/api/auth',
      '/api/auth/nothing',
      '/API/auth/me',
      '/api/auth/ME',
      '/login',
    ]) {
      for (const method of ['get', 'post', 'put', 'delete'] as const) {
        for (const as of [undefined, token]) {
          const response = await harness.api(method, path, as);
          expectFailure(response, 404, 'Resource not found.');
          expect(response.headers['content-type']).to.match(/^application\/json/);
        }
      }
    }
  });

  it('is answered 400 when its encoding is malformed', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    for (const id of ['%E0%A4%A', '%', '%zz', '%ff']) {
      expectFailure(await harness.api('get', `/api/courses/trainer/${id}`, token), 400, 'Malformed URL.');
      expectFailure(await harness.api('delete', `/api/auth/sessions/${id}`, token), 400, 'Malformed URL.');
    }
  });

  it('never causes a crash, whatever the query', async () => {
    const { user, token } = await signIn(harness.context, { role: 'trainer' });
    for (const query of ['%E0%A4%A', 'other[]=1', '[]=1', '__proto__[x]=1', '__proto__=1', '&&=&', 'a'.repeat(9000)]) {
      const response = await harness.api('get', `/api/courses/trainer/${user.id}?${query}`, token);
      expect(response.status, query).to.equal(200);
    }
  });

  it('is answered 400 when a parameter is a list, in every spelling', async () => {
    const { user, token } = await signIn(harness.context, { role: 'trainer' });
    for (const field of ['isPublished', 'search', 'sortBy', 'sortOrder', 'page', 'limit'])
      for (const query of [
        `${field}=1&${field}=1`,
        `${field}[]=`,
        `${field}[]=true`,
        `${field}[0]=1`,
        `${field}[a][b]=1`,
        `${field}%5B%5D=`,
      ]) {
        const response = await harness.api('get', `/api/courses/trainer/${user.id}?${query}`, token);
        expectInvalid(response, [field], 'query');
      }
  });

  it('is answered 400 when its query has more than 100 parameters', async () => {
    const { user, token } = await signIn(harness.context, { role: 'trainer' });
    const get = (count: number) =>
      harness.api('get', `/api/courses/trainer/${user.id}?page=1${'&x=1'.repeat(count - 1)}`, token);
    expect((await get(100)).status).to.equal(200);
    expectFailure(await get(101), 400, 'The query has more than 100 parameters.');
  });

  it('may be asked for with HEAD wherever GET is answered', async () => {
    const response = await request(harness.app).head('/api/auth/setup-status').expect(200);
    expect(response.text ?? '').to.equal('');
    await request(harness.app).head('/api/auth/me').expect(401);
  });
});

describe('Every answer', () => {
  const harness = useHarness();

  it('is not to be kept by caches, and carries an id of its own', async () => {
    const ids = new Set<string>();
    for (const path of ['/api/auth/setup-status', '/api/auth/me', '/api/nothing', '/healthz']) {
      const response = await harness.api('get', path);
      expect(response.headers).to.include({ 'cache-control': 'no-store' });
      expect(response.headers).not.to.have.any.keys('x-powered-by', 'etag', 'server');
      ids.add(response.headers['x-request-id'] ?? '');
    }
    expect(ids).to.have.length(4);
  });
});

describe('The name of a picture', () => {
  const harness = useHarness();

  it('may be any text: one that names nothing is answered 404', async () => {
    for (const name of ['nothing.webp', 'é', '🦄', '滤', 'a\u0301', '%', "'", '..%2f', `${'x'.repeat(2000)}`])
      expectFailure(await harness.api('get', `/api/images/${encodeURIComponent(name)}`), 404, 'File not found.');
  });
});
