import { expect } from 'chai';
import type { Response } from 'supertest';
import {
  buildCourse,
  buildEnrollment,
  buildMaterial,
  buildUser,
  factoryPassword,
  signIn,
} from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ownPage } from './support/examples.js';
import { expectFailure, expectInvalid } from './support/expectations.js';

const day = 86_400_000;
const secure = '__Host-coursectl';
const path = '/api/auth/web-session';

/** Returns the parts of the cookie that a response sets. */
function cookieOf(response: Response): { name: string; value: string; attributes: string[] } {
  const set = response.headers['set-cookie'] as unknown as string[] | undefined;
  expect(set, 'one Set-Cookie').to.have.length(1);
  const [pair = '', ...attributes] = set?.[0]?.split('; ') ?? [];
  const [name = '', value = ''] = pair.split('=');
  return { name, value, attributes };
}

describe('POST /api/auth/web-session', () => {
  const timeZone = 'Pacific/Kiritimati';
  const harness = useHarness({ TIME_ZONE: timeZone });
  const login = (body: object, headers: Record<string, string> = ownPage) =>
    harness.api('post', path).set(headers).send(body);

  it('returns the account, and the token only in the cookie; GET returns the same account', async () => {
    const user = await buildUser(harness.context, { role: 'trainer' });
    const earliest = Date.now();
    const response = await login({ identifier: user.email, password: factoryPassword }).expect(200);
    const { id, firstName, lastName, email, phone, role } = user;
    const { expiresAt, today, ...rest } = response.body;
    expect(rest).to.deep.equal({
      user: { id, firstName, lastName, email, phone, role, avatar: null, requiresPasswordChange: false },
      method: 'password',
      requiresPasswordChange: false,
    });
    expect(today).to.equal(new Date().toLocaleDateString('sv-SE', { timeZone }));
    expect(new Date(expiresAt).getTime()).to.be.within(earliest + 7 * day, Date.now() + 7 * day);
    const { name, value, attributes } = cookieOf(response);
    expect(name).to.equal(secure);
    expect(attributes).to.have.members(['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict']);
    expect(response.text).not.to.include(value);
    await harness.api('get', '/api/auth/me', value).expect(200);
    const shown = await harness.api('get', path).set({ ...ownPage, Cookie: `${secure}=${value}` });
    expect(shown.body).to.deep.equal(response.body);
  });

  it('works as the login does: messages, checks, throttle and lastLogin', async () => {
    const user = await buildUser(harness.context);
    expectInvalid(await login({}), ['identifier', 'password']);
    expectFailure(await login({ identifier: 'nobody', password: factoryPassword }), 'NO_MATCHING_ACCOUNT');
    const credentials = { identifier: user.email, password: factoryPassword };
    expectFailure(await login({ ...credentials, password: 'wrong password' }), 'WRONG_PASSWORD');
    await login({ ...credentials, identifier: user.phone }).expect(200);
    expect((await user.reload()).lastLogin).to.be.an.instanceOf(Date);
    const lockedUntil = new Date(Date.now() + 60_000);
    await harness.context.database.models.LoginThrottle.update({ lockedUntil }, { where: { accountId: user.id } });
    const locked = await login(credentials);
    expect(locked.status).to.equal(429);
    expect(locked.headers).to.have.property('retry-after').and.not.to.have.property('set-cookie');
  });

  it('signs in an account that must change its password, and reports this; the session survives the change', async () => {
    const user = await buildUser(harness.context, { role: 'trainer', requiresPasswordChange: true });
    const response = await login({ identifier: user.email, password: factoryPassword }).expect(200);
    expect(response.body.requiresPasswordChange).to.equal(true);
    const own = { ...ownPage, Cookie: `${secure}=${cookieOf(response).value}` };
    await harness.api('get', '/api/courses/stats/overview').set(own).expect(403);
    const change = harness.api('put', '/api/auth/first-password-change').set(own);
    await change.send({ newPassword: 'a password of my own' }).expect(200);
    await harness.api('get', '/api/courses/stats/overview').set(own).expect(200);
  });

  it('ends only the previous session of the browser', async () => {
    const { user, token } = await signIn(harness.context);
    const { token: other } = await signIn(harness.context);
    const again = await login(
      { identifier: user.email, password: factoryPassword },
      { ...ownPage, Cookie: `${secure}=${token}` },
    ).expect(200);
    expect(cookieOf(again).value).not.to.equal(token);
    await harness.api('get', '/api/auth/me', token).expect(401);
    await harness.api('get', '/api/auth/me', other).expect(200);
    const wrong = { identifier: user.email, password: 'wrong password' };
    await login(wrong, { ...ownPage, Cookie: `${secure}=${cookieOf(again).value}` }).expect(401);
    await harness.api('get', '/api/auth/me', cookieOf(again).value).expect(200);
  });

  it('refuses other pages, which could sign a browser in to an account of their own, also for DELETE', async () => {
    const { user, token } = await signIn(harness.context);
    const credentials = { identifier: user.email, password: factoryPassword };
    const own = 'http://127.0.0.1';
    for (const headers of [
      {},
      { 'X-Requested-With': 'coursectl' },
      { 'Sec-Fetch-Site': 'same-origin' },
      ...['same-site', 'cross-site', 'none', 'Same-Origin', 'same-origin, same-origin', ''].map((site) => ({
        ...ownPage,
        'Sec-Fetch-Site': site,
        Origin: own,
      })),
      ...['null', 'https://evil.example.org', `${own}:1`, own].map((Origin) => ({ 'X-Requested-With': 'x', Origin })),
    ]) {
      const end = harness.api('delete', path).set({ ...headers, Cookie: `${secure}=${token}` });
      for (const response of [await login(credentials, headers), await end]) {
        expectFailure(response, 'OTHER_ORIGIN');
        expect(response.headers).not.to.have.property('set-cookie');
      }
    }
    expect(await harness.context.database.models.Session.count()).to.equal(1);
    expect(await harness.context.database.models.LoginThrottle.count()).to.equal(0);
  });
});

describe('DELETE /api/auth/web-session', () => {
  const harness = useHarness();
  const end = (headers: Record<string, string>) => harness.api('delete', path).set(headers);

  it('ends the session and removes the cookie, also if the session has ended or never existed', async () => {
    const { token } = await signIn(harness.context);
    for (const Cookie of [`${secure}=${token}`, `${secure}=${token}`, `${secure}=nonsense`, `${secure}=`, 'other=1']) {
      const response = await end({ ...ownPage, Cookie }).expect(200);
      expect(response.body).to.deep.equal({ message: 'Logged out successfully.', signOutUrl: null });
      const { name, value, attributes } = cookieOf(response);
      expect({ name, value }).to.deep.equal({ name: secure, value: '' });
      expect(attributes).to.have.members(['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict', 'Max-Age=0']);
      expectFailure(await harness.api('get', '/api/auth/me', token), 'TOKEN_INVALID');
    }
  });
});

describe('The session cookie', () => {
  const harness = useHarness({ ALLOWED_ORIGINS: 'https://app.example.org' });
  let Cookie: string;
  let token: string;
  beforeEach(async () => {
    ({ token } = await signIn(harness.context));
    Cookie = `${secure}=${token}`;
  });
  const read = (headers: Record<string, string>) => harness.api('get', '/api/auth/me').set(headers);
  const change = (headers: Record<string, string>) =>
    harness.api('put', '/api/auth/profile').set(headers).send({ firstName: 'Grace' });

  it('is accepted from pages of this service, and only with X-Requested-With for changes', async () => {
    await read({ Cookie, 'Sec-Fetch-Site': 'same-origin' }).expect(200);
    await read({ Cookie, 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' }).expect(200);
    await harness
      .api('get', '/api/auth/sessions')
      .set({ Cookie, ...ownPage })
      .expect(200);
    await change({ Cookie, ...ownPage }).expect(200);
    await change({ Cookie, ...ownPage, 'X-Requested-With': 'anything' }).expect(200);
    expectFailure(await change({ Cookie, 'Sec-Fetch-Site': 'same-origin' }), 'TOKEN_MISSING');
  });

  it('is ignored from other origins, also listed ones, and from unknown origins', async () => {
    const { user } = await signIn(harness.context, { role: 'trainer' });
    await buildCourse(harness.context, user, { isPublished: false });
    const headersFrom: Record<string, Record<string, string>> = {
      'a page of another site': { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example.org' },
      'a listed origin': { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://app.example.org' },
      'another port or a sibling host': { 'Sec-Fetch-Site': 'same-site' },
      'an address that was typed': { 'Sec-Fetch-Site': 'none' },
      'two values of Sec-Fetch-Site': { 'Sec-Fetch-Site': 'same-origin, same-origin' },
      'an empty Sec-Fetch-Site': { 'Sec-Fetch-Site': '' },
      'a foreign Origin': { Origin: 'https://evil.example.org' },
      'an opaque Origin': { Origin: 'null' },
      'a foreign Referer': { Referer: 'https://evil.example.org/page' },
      'a program that says nothing': {},
    };
    for (const [what, headers] of Object.entries(headersFrom)) {
      const given = { Cookie, 'X-Requested-With': 'coursectl', ...headers };
      for (const response of [await read(given), await change(given)]) {
        expect(response.headers['www-authenticate'], what).to.equal('Bearer');
        expectFailure(response, 'TOKEN_MISSING');
      }
      // This operation also works without a token.
      const { body } = await harness.api('get', '/api/courses').set(given).expect(200);
      expect(body.courses).to.deep.equal([]);
    }
  });

  it('is accepted by Origin or Referer if browsers send no Sec-Fetch-Site', async () => {
    const Host = 'courses.example.org:8080';
    const plain = { Host, Cookie: `coursectl=${token}`, 'X-Requested-With': 'coursectl' };
    await change({ ...plain, Origin: `http://${Host}` }).expect(200);
    await change({ ...plain, Origin: `https://${Host}` }).expect(200);
    await read({ ...plain, Referer: `http://${Host}/people?page=2` }).expect(200);
    for (const other of [
      'http://courses.example.org',
      'http://courses.example.org:8081',
      'http://example.org:8080',
      `http://a.${Host}`,
      `ftp://${Host}`,
      Host,
      'null',
    ]) {
      expectFailure(await change({ ...plain, Origin: other }), 'TOKEN_MISSING');
      expectFailure(await read({ ...plain, Referer: other }), 'TOKEN_MISSING');
      // If Origin is present, Referer is ignored.
      expectFailure(await read({ ...plain, Origin: other, Referer: `http://${Host}/` }), 'TOKEN_MISSING');
    }
  });

  it('is ignored for an origin of impossible length; the rest of a Referer may be long', async () => {
    const given = (Host: string, others: object) => ({ Host, Cookie: `coursectl=${token}`, ...others });
    const search = '\u00e9'.repeat(5000);
    await read(given('example.org', { Referer: `http://example.org/people?search=${search}` })).expect(200);
    const longest = `${'a'.repeat(253)}:65535`;
    await read(given(longest, { Origin: `https://${longest}` })).expect(200);
    // Longer values are not parsed, because letters beyond ASCII in a host cost much time.
    expectFailure(await read(given(`a${longest}`, { Origin: `https://a${longest}` })), 'TOKEN_MISSING');
  });

  it('is ignored if the header has a token', async () => {
    const { user, token: bearer } = await signIn(harness.context);
    const { body } = await harness
      .api('get', '/api/auth/me', bearer)
      .set({ ...ownPage, Cookie })
      .expect(200);
    expect(body.user.id).to.equal(user.id);
    const bad = harness.api('get', '/api/auth/me', 'not-a-token').set({ ...ownPage, Cookie });
    expectFailure(await bad, 'TOKEN_INVALID');
    // Credentials for a proxy are not a token.
    await read({ ...ownPage, Cookie, Authorization: 'Basic dXNlcjpwYXNz' }).expect(200);
  });

  it('is ignored if there are two, because a page of another port or domain may have set one', async () => {
    const { token: foreign } = await signIn(harness.context);
    for (const both of [`${Cookie}; ${secure}=${foreign}`, `${secure}=; ${Cookie}`, `${Cookie};${Cookie}`])
      expectFailure(await read({ ...ownPage, Cookie: both }), 'TOKEN_MISSING');
  });

  it('is read only under its exact name, among any other cookies', async () => {
    await read({ ...ownPage, Cookie: `a=b; ${Cookie}; coursectl=x; =; ;;; c` }).expect(200);
    for (const near of [
      `coursectl=${token}`,
      `__host-coursectl=${token}`,
      `x${Cookie}`,
      `${secure}x=${token}`,
      // Browsers treat these as other names.
      `\xa0${Cookie}`,
      `\t${Cookie}`,
      `  ${Cookie}`,
      `${secure} =${token}`,
      `$Version=1, ${Cookie}`,
      `"${Cookie}"`,
    ])
      expectFailure(await read({ ...ownPage, Cookie: `a=b; ${near}` }), 'TOKEN_MISSING');
  });

  it('authorizes downloads and events, which cannot have headers', async () => {
    const { user } = await signIn(harness.context, { role: 'trainer' });
    const trainee = await signIn(harness.context);
    const course = await buildCourse(harness.context, user);
    await buildEnrollment(harness.context, trainee.user, course, { status: 'active' });
    const material = await buildMaterial(harness.context, course);
    const admin = await signIn(harness.context, { role: 'super_admin' });
    const link = (given: string) => ({ 'Sec-Fetch-Site': 'same-origin', Cookie: `${secure}=${given}` });
    await harness.api('get', `/api/courses/${course.id}/files/${material.id}`).set(link(trainee.token)).expect(200);
    await harness.api('get', '/api/users/export.csv').set(link(admin.token)).expect(200);
    const events = await harness.api('get', '/api/imports/none/events').set(link(admin.token));
    expectFailure(events, 'NOT_FOUND', 'Import not found.');
  });

  it('ends with its session', async () => {
    await read({ ...ownPage, Cookie }).expect(200);
    expectFailure(await read({ ...ownPage, Cookie: `${Cookie}x` }), 'TOKEN_INVALID');
    harness.advance(8 * day);
    expectFailure(await read({ ...ownPage, Cookie }), 'TOKEN_INVALID');
    harness.advance(-8 * day);
    await harness.api('post', '/api/auth/logout-all', token).expect(200);
    expectFailure(await read({ ...ownPage, Cookie }), 'TOKEN_INVALID');
  });
});

describe('The name of the session cookie', () => {
  const behindProxy = useHarness({ TRUST_PROXY: '1' });
  const direct = useHarness();
  const nameFor = async (harness: typeof direct, headers: Record<string, string>) => {
    const { name, attributes } = cookieOf(
      await harness
        .api('delete', path)
        .set({ ...ownPage, ...headers })
        .expect(200),
    );
    expect(attributes.includes('Secure')).to.equal(name === secure);
    return name;
  };

  it('has the prefix over HTTPS behind a trusted proxy', async () => {
    const https = { Host: 'courses.example.org', 'X-Forwarded-Proto': 'https' };
    expect(await nameFor(behindProxy, https)).to.equal(secure);
    expect(await nameFor(behindProxy, { ...https, 'X-Forwarded-Proto': 'http' })).to.equal('coursectl');
    expect(await nameFor(direct, https)).to.equal('coursectl');
  });

  it('has the prefix for loopback hosts on plain HTTP', async () => {
    for (const Host of [
      'localhost',
      'localhost:3000',
      'a.localhost:80',
      'LOCALHOST',
      '127.0.0.1:3000',
      '127.1.2.3',
      '[::1]:3000',
    ])
      expect(await nameFor(direct, { Host }), Host).to.equal(secure);
    for (const Host of [
      'example.org',
      'localhost.example.org',
      'notlocalhost',
      '10.0.0.1:3000',
      '127.0.0.1.example.org',
      '[::2]',
    ])
      expect(await nameFor(direct, { Host }), Host).to.equal('coursectl');
  });

  it('is the only accepted name', async () => {
    const { token } = await signIn(behindProxy.context);
    const me = (headers: Record<string, string>) =>
      behindProxy.api('get', '/api/auth/me').set({ ...ownPage, ...headers });
    const Host = 'courses.example.org';
    const https = { Host, 'X-Forwarded-Proto': 'https' };
    await me({ ...https, Cookie: `${secure}=${token}` }).expect(200);
    await me({ ...https, Cookie: `${secure}=${token}; coursectl=other` }).expect(200);
    expectFailure(await me({ ...https, Cookie: `coursectl=${token}` }), 'TOKEN_MISSING');
    await me({ Host, Cookie: `coursectl=${token}` }).expect(200);
    expectFailure(await me({ Host, Cookie: `${secure}=${token}` }), 'TOKEN_MISSING');
  });

  it('requires an Origin of the same scheme, if the scheme is known', async () => {
    const { token } = await signIn(behindProxy.context);
    const given = {
      Cookie: `${secure}=${token}`,
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'courses.example.org',
    };
    const me = (Origin: string) => behindProxy.api('get', '/api/auth/me').set({ ...given, Origin });
    await me('https://courses.example.org').expect(200);
    expectFailure(await me('http://courses.example.org'), 'TOKEN_MISSING');
  });
});
