import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { buildCourse, buildUser, signIn } from '../support/factories.js';
import { relaxedDeadlines, useHarness } from '../support/harness.js';
import { ada } from './support/expectations.js';

const contenders = Array.from({ length: 50 }, (_, index) => index);

describe('Requests that arrive together', () => {
  const harness = useHarness({}, undefined, { deadlines: relaxedDeadlines });
  let server: Server;
  let url: string;
  before(async () => {
    server = createServer(harness.app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  /** Sends one request per contender at the same time. @returns the number of responses by status and code */
  async function race(
    method: string,
    path: string,
    body: (index: number) => object,
    tokenOf?: (index: number) => string | undefined,
    senders = contenders,
  ) {
    const responses = await Promise.all(
      senders.map(async (index) => {
        const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${tokenOf?.(index) ?? ''}` };
        const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body(index)) });
        return `${response.status} ${response.headers.get('error-code') ?? 'no error'}`;
      }),
    );
    const counts: Record<string, number> = {};
    for (const response of responses) counts[response] = (counts[response] ?? 0) + 1;
    return counts;
  }
  const users = () => harness.context.database.models.User.count();

  it('complete the setup only once', async () => {
    const counts = await race('POST', '/api/auth/setup', (index) => ({
      ...ada,
      email: `${index}@example.org`,
      phone: `${index}`,
    }));
    expect(counts).to.deep.equal({ '201 no error': 1, '400 SETUP_COMPLETED': 49 });
    expect(await users()).to.equal(1);
    const { body } = await harness.api('get', '/api/auth/setup-status');
    expect(body).to.deep.equal({ setupRequired: false, superAdminCount: 1 });
  });

  it('register each email and phone only once, report a taken email first, and register all distinct accounts', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const spaced = (index: number) => ada.phone.replaceAll(' ', ' '.repeat(1 + (index % 3)));
    const email = (index: number) => `${index}@example.org`;
    for (const [own, refused] of [
      [(index: number) => ({ phone: `${index}` }), 'EMAIL_TAKEN'],
      [(index: number) => ({ email: email(index), phone: spaced(index) }), 'PHONE_TAKEN'],
      [() => ({}), 'EMAIL_TAKEN'],
    ] as const) {
      await harness.context.database.models.User.destroy({ where: { role: 'trainee' } });
      const person = (index: number) => ({ ...ada, role: 'trainee', ...own(index) });
      const counts = await race('POST', '/api/auth/register', person, () => token);
      expect(counts).to.deep.equal({ '201 no error': 1, [`400 ${refused}`]: 49 });
      expect(await users()).to.equal(2);
    }
    const others = (index: number) => ({ ...ada, role: 'trainee', email: `n${index}@example.org`, phone: `${index}` });
    expect(await race('POST', '/api/auth/register', others, () => token)).to.deep.equal({ '201 no error': 50 });
  });

  it('give a phone to only one of several users', async () => {
    const tokens: string[] = [];
    for (const _ of contenders) tokens.push((await signIn(harness.context)).token);
    const counts = await race(
      'PUT',
      '/api/auth/profile',
      () => ({ phone: ada.phone }),
      (index) => tokens[index],
    );
    expect(counts).to.deep.equal({ '200 no error': 1, '400 PHONE_TAKEN': 49 });
    expect(await harness.context.database.models.User.count({ where: { phone: ada.phone } })).to.equal(1);
  });

  it('change a password only once; the others are refused because the current password has changed', async () => {
    const { user, token } = await signIn(harness.context, { email: ada.email, password: ada.password });
    const change = (index: number) => ({ currentPassword: ada.password, newPassword: `new password ${index}` });
    // A slow request may start after the change and count as a failure; the tenth failure would lock the login.
    const counts = await race('PUT', '/api/auth/change-password', change, () => token, contenders.slice(0, 10));
    expect(counts).to.deep.equal({ '200 no error': 1, '400 CURRENT_PASSWORD_INCORRECT': 9 });
    const hash = (await user.reload()).passwordHash;
    const fits = await Promise.all(
      contenders.map((index) => harness.context.hasher.compare(change(index).newPassword, hash)),
    );
    expect(fits.filter(Boolean)).to.have.length(1);
  });

  it('change a first password only once', async () => {
    const { token } = await signIn(harness.context, { requiresPasswordChange: true });
    const change = (index: number) => ({ newPassword: `new password ${index}` });
    const counts = await race('PUT', '/api/auth/first-password-change', change, () => token);
    expect(counts).to.deep.equal({ '200 no error': 1, '400 PASSWORD_CHANGE_NOT_REQUIRED': 49 });
  });

  it('give an account an enrollment or another role, never both', async () => {
    const { models } = harness.context.database;
    const { token: admin } = await signIn(harness.context, { role: 'super_admin' });
    const trainer = await buildUser(harness.context, { role: 'trainer' });
    const { id: courseId } = await buildCourse(harness.context, trainer, { isPublished: true });
    const trainees = await Promise.all(contenders.slice(20).map(() => signIn(harness.context)));
    const send = (method: string, path: string, as: string, body: object) =>
      fetch(`${url}${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${as}` },
        body: JSON.stringify(body),
      });
    const responses = await Promise.all(
      trainees.flatMap(({ user: { id }, token }, index) => [
        [
          () => send('POST', '/api/enrollments', token, { courseId }),
          () => send('POST', '/api/enrollments/assign', admin, { courseId, traineeId: id }),
          () => send('POST', '/api/enrollments/bulk', admin, { courseId, traineeIds: [id] }),
        ][index % 3]?.(),
        send('PUT', `/api/users/${id}`, admin, { role: 'trainer' }),
      ]),
    );
    expect(responses.filter((response) => (response?.status ?? 500) >= 500)).to.have.length(0);
    const trainers = (await models.User.findAll({ where: { role: 'trainer' } })).map(({ id }) => id);
    const places = await models.Enrollment.count({ where: { userId: trainers } });
    const given = await models.Enrollment.count();
    expect({ places, trainers: trainers.length }).to.deep.equal({ places: 0, trainers: 1 + trainees.length - given });
  });
});
