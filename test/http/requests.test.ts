import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import request from 'supertest';
import { signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, expectInvalid } from './support/expectations.js';

describe('The body of a request', () => {
  const harness = useHarness();
  /** Sends raw bytes. */
  const raw = (body: string | Buffer, headers: Record<string, string> = {}, path = '/api/auth/setup') =>
    request(harness.app)
      .post(path)
      .set({ 'Content-Type': 'application/json', ...headers })
      .serialize((bytes) => bytes as unknown as string)
      .send(body as unknown as object);

  it('is refused as malformed if it is not JSON in UTF-8, and as invalid if it is not an object', async () => {
    const bytes = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]].map((part) =>
      Buffer.concat([Buffer.from('{"identifier":"'), Buffer.from(part), Buffer.from('","password":"secret"}')]),
    );
    for (const body of [
      '{',
      '{"email":',
      '{email:1}',
      "{'a':1}",
      '{"a":1}}',
      '{"a":1,}',
      'canary',
      '\u0000',
      ...bytes,
    ]) {
      const response = await raw(body);
      expectFailure(response, 'MALFORMED_JSON');
      expect(response.headers['content-type']).to.match(/^application\/json/);
    }
    for (const body of ['null', '7', 'true', '"text"', '""', '0', '[]', JSON.stringify([ada])])
      expectInvalid(await raw(body), ['']);
  });

  it('counts as empty when there is none', async () => {
    const fields = ['firstName', 'lastName', 'email', 'password', 'phone'];
    expectInvalid(await request(harness.app).post('/api/auth/setup'), fields);
    expectInvalid(await request(harness.app).post('/api/auth/setup').set('Content-Length', '0'), fields);
    expectInvalid(await raw('{}'), fields);
  });

  it('is refused with 415 when it is not JSON by its type, in another charset, or compressed', async () => {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'json'];
    for (const type of types) {
      const response = await raw(JSON.stringify(ada), { 'Content-Type': type });
      expectFailure(response, 'UNSUPPORTED_MEDIA_TYPE');
    }
    const packed = gzipSync(JSON.stringify({ ...ada, surplus: 'x'.repeat(90_000) }));
    for (const encoding of ['gzip', 'deflate', 'br', 'zip'])
      expectFailure(
        await raw(packed, { 'Content-Encoding': encoding }),
        'UNSUPPORTED_MEDIA_TYPE',
        'Content-Encoding not supported.',
      );
    const latin = await raw(JSON.stringify(ada), { 'Content-Type': 'application/json; charset=latin1' });
    expect(latin.status).to.equal(415);
    expect(latin.body).to.have.all.keys('error');
    expect(await harness.context.database.models.User.count()).to.equal(0);
    const headers = { 'Content-Type': 'application/json; charset=UTF-8', 'Content-Encoding': 'identity' };
    const response = await raw(JSON.stringify({ ...ada, firstName: 'Žofie' }), headers).expect(201);
    expect(response.body.user.firstName).to.equal('Žofie');
  });

  it('is refused with 413 when it is larger than 32 KiB below /api/auth, and than 100 KiB elsewhere', async () => {
    expectFailure(await raw(JSON.stringify({ surplus: 'x'.repeat(32 * 1024) })), 'BODY_TOO_LARGE');
    await raw(JSON.stringify({ ...ada, surplus: 'x'.repeat(7 * 1024) })).expect(201);
    const { token } = await signIn(harness.context, { role: 'trainer' });
    const course = (surplus: string) =>
      harness.api('post', '/api/courses', token).send({ title: 'Knots', description: 'Rope.', surplus });
    expectFailure(await course('x'.repeat(100 * 1024)), 'BODY_TOO_LARGE');
    await course('x'.repeat(99 * 1024)).expect(201);
  });

  it('may contain every field of an account at its maximum length, with each character escaped', async () => {
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

  it('ignores "__proto__" and similar keys', async () => {
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

  it('is not read before the caller is authenticated', async () => {
    const response = await request(harness.app)
      .put('/api/auth/profile')
      .set('Content-Type', 'application/json')
      .send('{');
    expect(response.status).to.equal(401);
    const { token } = await signIn(harness.context);
    const known = harness.api('put', '/api/auth/profile', token).set('Content-Type', 'application/json').send('{');
    expectFailure(await known, 'MALFORMED_JSON');
  });
});

describe('The URL of a request', () => {
  const harness = useHarness();

  it('causes 400 when its encoding is malformed', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    for (const id of ['%E0%A4%A', '%', '%zz', '%ff']) {
      expectFailure(await harness.api('get', `/api/courses/trainer/${id}`, token), 'MALFORMED_URL');
      expectFailure(await harness.api('delete', `/api/auth/sessions/${id}`, token), 'MALFORMED_URL');
    }
  });

  it('causes 400 when a parameter is a list, in every spelling', async () => {
    const { user, token } = await signIn(harness.context, { role: 'trainer' });
    for (const field of ['isPublished', 'search', 'sortBy', 'sortOrder', 'page', 'limit'])
      for (const suffix of [`=1&${field}=1`, '[]=', '[]=true', '[0]=1', '[a][b]=1', '%5B%5D=']) {
        const query = field + suffix;
        const response = await harness.api('get', `/api/courses/trainer/${user.id}?${query}`, token);
        expectInvalid(response, [field], 'query');
      }
  });

  it('causes 400 when its query has more than 100 parameters', async () => {
    const { user, token } = await signIn(harness.context, { role: 'trainer' });
    const get = (count: number) =>
      harness.api('get', `/api/courses/trainer/${user.id}?page=1${'&x=1'.repeat(count - 1)}`, token);
    expect((await get(100)).status).to.equal(200);
    expectFailure(await get(101), 'MALFORMED_URL', 'The query has more than 100 parameters.');
  });
});
