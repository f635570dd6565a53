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
import { ada, expectFailure, expectInvalid, messages } from './support/expectations.js';

const day = 86_400_000;
const secure = '__Host-coursectl';
const path = '/api/auth/web-session';
const notOwnPage = 'Access denied. Only for pages of this service.';

/** The cookie that an answer sets, by its parts. */
function cookieOf(response: Response): { name: string; value: string; attributes: string[] } {
  const set = response.headers['set-cookie'] as unknown as string[] | undefined;
  expect(set, 'one Set-Cookie').to.have.length(1);
  const [pair = '', ...attributes] = set?.[0]?.split('; ') ?? [];
  const [name = '', value = ''] = pair.split('=');
  return { name, value, attributes };
}

describe('POST /api/auth/web-session', () => {
  const harness = useHarness();
  const login = (body: object, headers: Record<string, string> = ownPage) =>
    harness.api('post', path).set(headers).send(body);

  it('answers with the account and puts the token into the cookie only', async () => {
    const user = await buildUser(harness.context, { role: 'trainer' });
    const earliest = Date.now();
    const response = await login({ identifier: user.email, password: factoryPassword }).expect(200);
    expect(response.body).to.have.all.keys('user', 'requiresPasswordChange', 'expiresAt');
    const { id, firstName, lastName, email, phone, role } = user;
    expect(response.body.user).to.deep.equal({
      ...{ id, firstName, lastName, email, phone, role, avatar: null, requiresPasswordChange: false },
    });
    expect(response.body.requiresPasswordChange).to.equal(false);
    expect(new Date(response.body.expiresAt).getTime()).to.be.within(earliest + 7 * day, Date.now() + 7 * day);
    const { name, value, attributes } = cookieOf(response);
    expect(name).to.equal(secure);
    expect(attributes).to.have.members(['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict']);
    expect(response.text).not.to.include(value);
    await harness.api('get', '/api/auth/me', value).expect(200);
  });

  it('is the same login: messages, checks, throttle and lastLogin', async () => {
    const user = await buildUser(harness.context);
    expectInvalid(await login({}), ['identifier', 'password']);
    expectFailure(await login({ identifier: 'nobody', password: factoryPassword }), 401, messages.noMatch);
    for (let attempt = 0; attempt < 10; attempt += 1)
      expectFailure(await login({ identifier: user.email, password: 'wrong password' }), 401, messages.wrongPassword);
    const locked = await login({ identifier: user.email, password: factoryPassword });
    expect(locked.status).to.equal(429);
    expect(locked.headers).to.have.property('retry-after').and.not.to.have.property('set-cookie');
    const elsewhere = await harness
      .api('post', '/api/auth/login')
      .send({ identifier: user.email, password: factoryPassword });
    expect(elsewhere.body).to.deep.equal(locked.body);
    harness.advance(20 * 60_000);
    await login({ identifier: user.phone, password: factoryPassword }).expect(200);
    await user.reload();
    expect(user.lastLogin).to.be.an.instanceOf(Date);
  });

  it('signs in an account that must change its password, and says so', async () => {
    const user = await buildUser(harness.context, { role: 'trainer', requiresPasswordChange: true });
    const response = await login({ identifier: user.email, password: factoryPassword }).expect(200);
    expect(response.body.requiresPasswordChange).to.equal(true);
    const Cookie = `${secure}=${cookieOf(response).value}`;
    const refused = await harness.api('get', '/api/courses/stats/overview').set({ ...ownPage, Cookie });
    expect(refused.body).to.deep.equal({ error: 'Password change required.', code: 'PASSWORD_CHANGE_REQUIRED' });
    const change = harness.api('put', '/api/auth/first-password-change').set({ ...ownPage, Cookie });
    const changed = await change.send({ newPassword: 'a password of my own' }).expect(200);
    expect(changed.body).to.have.all.keys('message', 'user');
    // The session stays, with the same token.
    await harness
      .api('get', path)
      .set({ ...ownPage, Cookie })
      .expect(200);
    await harness
      .api('get', '/api/courses/stats/overview')
      .set({ ...ownPage, Cookie })
      .expect(200);
  });

  it('follows the setup, whose specified answer has the token', async () => {
    await harness.api('post', '/api/auth/setup').set(ownPage).send(ada).expect(201);
    const { body } = await login({ identifier: ada.email, password: ada.password }).expect(200);
    expect(body.user.role).to.equal('super_admin');
  });

  it('ends the session that the browser had, and no other', async () => {
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

  it('is refused to other pages, which could sign a browser in to an account of theirs', async () => {
    const user = await buildUser(harness.context);
    const credentials = { identifier: user.email, password: factoryPassword };
    const own = `http://127.0.0.1`;
    for (const headers of [
      {},
      { 'X-Requested-With': 'coursectl' },
      { 'Sec-Fetch-Site': 'same-origin' },
      ...['same-site', 'cross-site', 'none', 'Same-Origin', 'same-origin, same-origin', ''].map((site) => ({
        ...ownPage,
        ...{ 'Sec-Fetch-Site': site, Origin: own },
      })),
      ...['null', 'https://evil.example.org', `${own}:1`, own].map((Origin) => ({ 'X-Requested-With': 'x', Origin })),
    ]) {
      const response = await login(credentials, headers);
      expectFailure(response, 403, notOwnPage);
      expect(response.headers).not.to.have.property('set-cookie');
    }
    expect(await harness.context.database.models.Session.count()).to.equal(0);
    expect(await harness.context.database.models.LoginThrottle.count()).to.equal(0);
  });
});

describe('GET /api/auth/web-session', () => {
  const harness = useHarness();
  const show = (Cookie: string) => harness.api('get', path).set({ ...ownPage, Cookie });

  it('answers what the login has answered', async () => {
    const user = await buildUser(harness.context);
    const login = await harness
      .api('post', path)
      .set(ownPage)
      .send({ identifier: user.email, password: factoryPassword });
    const { body } = await show(`${secure}=${cookieOf(login).value}`).expect(200);
    expect(body).to.deep.equal(login.body);
  });

  it('is refused with 401 without a cookie, and with one whose session has ended or expired', async () => {
    expectFailure(await harness.api('get', path).set(ownPage), 401, messages.noToken);
    const { user, token } = await signIn(harness.context);
    await show(`${secure}=${token}`).expect(200);
    expectFailure(await show(`${secure}=${token}x`), 401, messages.badToken);
    harness.advance(8 * day);
    expectFailure(await show(`${secure}=${token}`), 401, messages.badToken);
    harness.advance(-8 * day);
    await harness.api('post', '/api/auth/logout-all', token).expect(200);
    expectFailure(await show(`${secure}=${token}`), 401, messages.badToken);
    const inactive = await signIn(harness.context);
    await inactive.user.update({ isActive: false });
    expectFailure(await show(`${secure}=${inactive.token}`), 401, messages.badToken);
    await user.destroy();
    expectFailure(await show(`${secure}=${token}`), 401, messages.badToken);
  });
});

describe('DELETE /api/auth/web-session', () => {
  const harness = useHarness();
  const end = (headers: Record<string, string>) => harness.api('delete', path).set(headers);

  it('ends the session, and removes the cookie', async () => {
    const { token } = await signIn(harness.context);
    const response = await end({ ...ownPage, Cookie: `${secure}=${token}` }).expect(200);
    expect(response.body).to.deep.equal({ message: 'Logged out successfully.' });
    const { name, value, attributes } = cookieOf(response);
    expect({ name, value }).to.deep.equal({ name: secure, value: '' });
    expect(attributes).to.have.members(['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict', 'Max-Age=0']);
    expectFailure(await harness.api('get', '/api/auth/me', token), 401, messages.badToken);
  });

  it('removes the cookie also when its session has ended, or was none', async () => {
    const { token } = await signIn(harness.context);
    await harness.api('post', '/api/auth/logout', token).expect(200);
    for (const Cookie of [`${secure}=${token}`, `${secure}=nonsense`, `${secure}=`, 'other=1']) {
      const response = await end({ ...ownPage, Cookie }).expect(200);
      expect(cookieOf(response).attributes).to.include('Max-Age=0');
    }
  });

  it('is refused to other pages', async () => {
    const { token } = await signIn(harness.context);
    const Cookie = `${secure}=${token}`;
    expectFailure(await end({ Cookie, 'Sec-Fetch-Site': 'same-origin' }), 403, notOwnPage);
    expectFailure(await end({ ...ownPage, Cookie, 'Sec-Fetch-Site': 'same-site' }), 403, notOwnPage);
    await harness.api('get', '/api/auth/me', token).expect(200);
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

  it('is honoured in requests from pages of this service, and needs X-Requested-With to change data', async () => {
    await read({ Cookie, 'Sec-Fetch-Site': 'same-origin' }).expect(200);
    await read({ Cookie, 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' }).expect(200);
    await harness
      .api('get', '/api/auth/sessions')
      .set({ Cookie, ...ownPage })
      .expect(200);
    await change({ Cookie, ...ownPage }).expect(200);
    await change({ Cookie, ...ownPage, 'X-Requested-With': 'anything' }).expect(200);
    expectFailure(await change({ Cookie, 'Sec-Fetch-Site': 'same-origin' }), 401, messages.noToken);
  });

  for (const [what, headers] of Object.entries({
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
  } as Record<string, Record<string, string>>)) {
    it(`counts as no credentials from ${what}`, async () => {
      const given = { Cookie, 'X-Requested-With': 'coursectl', ...headers };
      for (const response of [await read(given), await change(given)]) {
        expectFailure(response, 401, messages.noToken);
        expect(response.headers['www-authenticate']).to.equal('Bearer');
      }
      // An operation that is also open without a token.
      const { user } = await signIn(harness.context, { role: 'trainer' });
      await buildCourse(harness.context, user, { isPublished: false });
      const { body } = await harness.api('get', '/api/courses').set(given).expect(200);
      expect(body.courses).to.deep.equal([]);
    });
  }

  it('is honoured by Origin or Referer where browsers send no Sec-Fetch-Site', async () => {
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
      expectFailure(await change({ ...plain, Origin: other }), 401, messages.noToken);
      expectFailure(await read({ ...plain, Referer: other }), 401, messages.noToken);
      // Where there is an Origin, nothing else counts.
      expectFailure(await read({ ...plain, Origin: other, Referer: `http://${Host}/` }), 401, messages.noToken);
    }
  });

  it('is honoured however long the rest of a Referer is, but from no longer origin than there can be', async () => {
    const given = (Host: string, Origin: string) => ({ Host, Cookie: `coursectl=${token}`, Origin });
    const host = 'courses.example.org';
    const search = '\u00e9'.repeat(5000);
    const Referer = `http://${host}/people?search=${search}`;
    await read({ Host: host, Cookie: `coursectl=${token}`, Referer }).expect(200);
    const longest = `${'a'.repeat(253)}:65535`;
    await read(given(longest, `https://${longest}`)).expect(200);
    // What is longer is not parsed, since letters beyond ASCII in a host cost far more than others.
    const longer = `${'a'.repeat(254)}:65535`;
    expectFailure(await read(given(longer, `https://${longer}`)), 401, messages.noToken);
  });

  it('loses against a token in the header', async () => {
    const { user, token: bearer } = await signIn(harness.context);
    const { body } = await harness
      .api('get', '/api/auth/me', bearer)
      .set({ ...ownPage, Cookie })
      .expect(200);
    expect(body.user.id).to.equal(user.id);
    const bad = harness.api('get', '/api/auth/me', 'not-a-token').set({ ...ownPage, Cookie });
    expectFailure(await bad, 401, messages.badToken);
    // What a proxy wants to know is no token.
    await read({ ...ownPage, Cookie, Authorization: 'Basic dXNlcjpwYXNz' }).expect(200);
  });

  it('counts as none when there are two, because a page of another port or domain may have set one', async () => {
    const { token: foreign } = await signIn(harness.context);
    for (const both of [`${Cookie}; ${secure}=${foreign}`, `${secure}=; ${Cookie}`, `${Cookie};${Cookie}`])
      expectFailure(await read({ ...ownPage, Cookie: both }), 401, messages.noToken);
  });

  it('is the one of exactly this name, whatever stands around it', async () => {
    await read({ ...ownPage, Cookie: `a=b; ${Cookie}; coursectl=x; =; ;;; c` }).expect(200);
    for (const near of [
      `coursectl=${token}`,
      `__host-coursectl=${token}`,
      `x${Cookie}`,
      `${secure}x=${token}`,
      // Browsers would take these for other names.
      `\xa0${Cookie}`,
      `\t${Cookie}`,
      `  ${Cookie}`,
      `${secure} =${token}`,
      `$Version=1, ${Cookie}`,
      `"${Cookie}"`,
    ])
      expectFailure(await read({ ...ownPage, Cookie: `a=b; ${near}` }), 401, messages.noToken);
  });

  it('of many kilobytes is refused fast', async () => {
    const long = Array.from({ length: 5000 }, () => ';').join(' ');
    expectFailure(await read({ ...ownPage, Cookie: long }), 401, messages.noToken);
  });

  it('downloads files, and follows events, which take no headers', async () => {
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
    expectFailure(events, 404, 'Import not found.');
  });

  it('is a session like any other: listed, ended by others, and by a new password of another session', async () => {
    const user = await buildUser(harness.context);
    const login = () =>
      harness.api('post', path).set(ownPage).send({ identifier: user.email, password: factoryPassword }).expect(200);
    const [one, other] = [cookieOf(await login()).value, cookieOf(await login()).value];
    const own = { ...ownPage, Cookie: `${secure}=${one}` };
    const { body } = await harness.api('get', '/api/auth/sessions').set(own).expect(200);
    expect(body.sessions.map(({ current }: { current: boolean }) => current)).to.have.members([true, false]);
    const change = { currentPassword: factoryPassword, newPassword: 'another password' };
    const changed = await harness.api('put', '/api/auth/change-password').set(own).send(change).expect(200);
    expect(changed.body).to.deep.equal({ message: 'Password changed successfully.' });
    await read(own).expect(200);
    expectFailure(await read({ ...ownPage, Cookie: `${secure}=${other}` }), 401, messages.badToken);
    await harness.api('post', '/api/auth/logout-all').set(own).expect(200);
    expectFailure(await read(own), 401, messages.badToken);
  });

  it('is never shown to listed origins, which CORS allows credentials by specification', async () => {
    const Origin = 'https://app.example.org';
    for (const site of ['cross-site', 'same-site']) {
      const response = await read({ Cookie, Origin, 'Sec-Fetch-Site': site, 'X-Requested-With': 'x' });
      expectFailure(response, 401, messages.noToken);
      const login = harness.api('post', path).set({ Origin, 'Sec-Fetch-Site': site, 'X-Requested-With': 'x' });
      expectFailure(await login.send({}), 403, notOwnPage);
    }
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

  it('has the prefix over HTTPS, as a trusted proxy says', async () => {
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

  it('is the only one that is honoured', async () => {
    const { token } = await signIn(behindProxy.context);
    const me = (headers: Record<string, string>) =>
      behindProxy.api('get', '/api/auth/me').set({ ...ownPage, ...headers });
    const Host = 'courses.example.org';
    const https = { Host, 'X-Forwarded-Proto': 'https' };
    await me({ ...https, Cookie: `${secure}=${token}` }).expect(200);
    await me({ ...https, Cookie: `${secure}=${token}; coursectl=other` }).expect(200);
    expectFailure(await me({ ...https, Cookie: `coursectl=${token}` }), 401, messages.noToken);
    await me({ Host, Cookie: `coursectl=${token}` }).expect(200);
    expectFailure(await me({ Host, Cookie: `${secure}=${token}` }), 401, messages.noToken);
  });

  it('goes with an Origin of the same scheme, where that is known', async () => {
    const { token } = await signIn(behindProxy.context);
    const given = {
      Cookie: `${secure}=${token}`,
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'courses.example.org',
    };
    const me = (Origin: string) => behindProxy.api('get', '/api/auth/me').set({ ...given, Origin });
    await me('https://courses.example.org').expect(200);
    expectFailure(await me('http://courses.example.org'), 401, messages.noToken);
  });
});
