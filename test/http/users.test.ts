import { expect } from 'chai';
import type { Response } from 'supertest';
import type { User } from '../../src/db/models/user.js';
import {
  buildCourse,
  buildEnrollment,
  buildImage,
  buildLock,
  buildUser,
  factoryPassword,
  signIn,
  tokenFor,
} from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { rowsInBytes } from '../support/workbooks.js';
import { ada, expectFailure, expectInvalid, without } from './support/expectations.js';

const hasCourses = 'Trainer still has courses. Assign them to another trainer first.';

/** login-throttle.sql.test.ts tests locks, account-search.sql.test.ts searches, sorted-listings.sql.test.ts sort orders. */
describe('User administration', () => {
  const harness = useHarness();
  let admin: { user: User; token: string };
  let user: User;
  let token: string;
  beforeEach(async () => {
    admin = await signIn(harness.context, { role: 'super_admin', email: 'g@example.org' });
    ({ user, token } = await signIn(harness.context, { email: 'one@example.org' }));
  });
  const call = (method: 'get' | 'post' | 'put' | 'delete', path: string, body?: object) => {
    const made = harness.api(method, path, admin.token);
    return body === undefined ? made : made.send(body);
  };
  const update = (body: object, id = user.id) => call('put', `/api/users/${id}`, body);
  const setStatus = (isActive: unknown, id = user.id) => call('put', `/api/users/${id}/status`, { isActive });
  const resetPassword = (id = user.id) => call('post', `/api/users/${id}/reset-password`);
  const remove = (id = user.id) => call('delete', `/api/users/${id}`);
  const emails = ({ body }: Response) => body.users.map(({ email }: { email: string }) => email);
  const login = (identifier: string, password: string) =>
    harness.api('post', '/api/auth/login').send({ identifier, password });
  const me = (as: string) => harness.api('get', '/api/auth/me', as);
  const expectEnded = async (as: string) => expectFailure(await me(as), 'TOKEN_INVALID');

  describe('GET /api/users', () => {
    it('lists accounts, newest first, and shows one by its id only', async () => {
      const { body } = await call('get', '/api/users').expect(200);
      expect(body.pagination).to.deep.equal({ currentPage: 1, totalPages: 1, totalItems: 2, itemsPerPage: 20 });
      expect(body.users.map(({ id }: { id: string }) => id)).to.deep.equal([user.id, admin.user.id]);
      const shown = await call('get', `/api/users/${user.id}`).expect(200);
      expect(shown.body).to.deep.equal({ user: body.users[0], groups: [] });
      expect(shown.body.user).to.include({ email: 'one@example.org', lockedUntil: null });
      for (const id of ['nobody', 'one@example.org', user.phone])
        expect((await call('get', `/api/users/${encodeURIComponent(id)}`)).status).to.equal(404);
    });

    it('filters by role, activation, initial password and lock, alone and together, also in the export', async () => {
      await buildUser(harness.context, { email: 'trainer@example.org', role: 'trainer' });
      await buildUser(harness.context, { email: 'gone@example.org', isActive: false });
      await buildUser(harness.context, { email: 'new@example.org', requiresPasswordChange: true });
      await buildLock(harness.context, { accountId: user.id });
      const until = (await call('get', `/api/users/${user.id}`)).body.user.lockedUntil;
      expect(new Date(until).toISOString()).to.equal(until);
      for (const [query, expected] of [
        ['role=trainer', ['trainer']],
        ['isActive=false', ['gone']],
        ['requiresPasswordChange=true', ['new']],
        ['role=trainee&isActive=true', ['new', 'one']],
        ['locked=true', ['one']],
        ['locked=true&role=trainer', []],
        ['locked=true&search=one', ['one']],
        ['locked=false', ['g', 'gone', 'new', 'trainer']],
        ['locked=false&page=2&limit=3', ['trainer']],
      ] as const) {
        const found = emails(await call('get', `/api/users?sortBy=email&sortOrder=ASC&${query}`).expect(200));
        expect(found, query).to.deep.equal(expected.map((name) => `${name}@example.org`));
        if (query.includes('page')) continue;
        const { text } = await call('get', `/api/users/export.csv?${query}`).expect(200);
        expect(text.trim().split('\n'), query).to.have.length(1 + expected.length);
      }
      harness.advance(2 * 60_000);
      expect(emails(await call('get', '/api/users?locked=true'))).to.deep.equal([]);
    });

    it('is exported oldest first, without passwords and with formulas escaped', async () => {
      await buildUser(harness.context, { email: 'two@example.org', firstName: '=cmd()' });
      const { text, headers } = await call('get', '/api/users/export.csv?role=trainee').expect(200);
      expect(headers['content-disposition']).to.equal('attachment; filename=users.csv');
      const [, ...lines] = text.trim().split('\n');
      expect(lines.map((line) => line.split(',')[3])).to.deep.equal(['one@example.org', 'two@example.org']);
      expect(text)
        .not.to.include('$2b$')
        .and.not.to.match(/(^|,)=cmd/);
    });

    it('is exported as a workbook', async () => {
      const address = '/api/users/export.csv?role=trainee&format=xlsx';
      const { body, headers } = await call('get', address).responseType('blob').expect(200);
      const [head, ada] = await rowsInBytes(body as Buffer);
      expect([head?.[4], ada?.[4]]).to.deep.equal(['phone', user.phone]);
      expect(headers).to.include({
        'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        'content-disposition': 'attachment; filename=users.xlsx',
        'cache-control': 'no-store',
      });
      expectInvalid(await call('get', '/api/users/export.csv?format=ods'), ['format'], 'query');
    });
  });

  describe('PUT /api/users/:id', () => {
    it('changes the given fields only, and ignores read-only fields', async () => {
      const person = without(ada, 'password');
      const fixed = { isActive: false, passwordHash: 'x', password: 'x', id: 'x', avatar: 'x', superAdminMarker: 1 };
      const { body } = await update({ ...person, ...fixed, email: ' ADA@Example.org ' }).expect(200);
      expect(body.message).to.equal('User updated successfully.');
      expect(body.user).to.include({ ...person, id: user.id, role: 'trainee', isActive: true, avatar: null });
      const again = await update({ lastName: 'Čapek' }).expect(200);
      expect(again.body.user).to.include({ ...person, lastName: 'Čapek' });
      expect(emails(await call('get', '/api/users?search=capek'))).to.deep.equal([ada.email]);
      await login('+44 20 79460001', factoryPassword).expect(200);
    });

    it('ends the sessions of an account with a new email or role; for the own account it ends only other sessions', async () => {
      await update({ role: 'trainee', firstName: 'Grace' }).expect(200);
      await me(token).expect(200);
      for (const change of [{ email: 'another@example.org' }, { role: 'trainer' }, { role: 'trainee' }]) {
        const theirs = await tokenFor(harness.context, user);
        expect((await update(change).expect(200)).body.user).to.include(change);
        await expectEnded(theirs);
      }
      const elsewhere = await tokenFor(harness.context, admin.user);
      await update({ email: 'h@example.org', role: 'super_admin' }, admin.user.id).expect(200);
      await expectEnded(elsewhere);
      await me(admin.token).expect(200);
    });

    it('checks the fields, the account, the email and the phone, in this order', async () => {
      const { email, phone } = await buildUser(harness.context, { email: 'two@example.org', phone: '0 12 34' });
      const wrong = { firstName: 'A', lastName: 7, email: 'x', phone: '', role: 'boss' };
      expectInvalid(await update(wrong, 'nobody'), Object.keys(wrong));
      expectFailure(await update({ email, phone }, 'nobody'), 'NOT_FOUND', 'User not found.');
      expectFailure(await update({ email, phone }), 'EMAIL_TAKEN');
      expectFailure(await update({ phone: '(01) 234' }), 'PHONE_TAKEN');
      await update({ email: user.email, phone: user.phone }).expect(200);
    });

    it('protects the super admin, and the role of trainers with courses and trainees with enrollments', async () => {
      expectFailure(await update({ role: 'super_admin' }), 'SUPER_ADMIN_EXISTS');
      for (const role of ['trainer', 'trainee'])
        expectFailure(await update({ role }, admin.user.id), 'SUPER_ADMIN_PROTECTED');
      const trainer = await buildUser(harness.context, { role: 'trainer' });
      const course = await buildCourse(harness.context, trainer);
      const enrollment = await buildEnrollment(harness.context, user, course);
      expectFailure(await update({ role: 'trainee' }, trainer.id), 'TRAINER_HAS_COURSES', hasCourses);
      const places = 'Trainee still has enrollments. Remove or complete them first.';
      expectFailure(await update({ role: 'trainer' }), 'TRAINEE_HAS_ENROLLMENTS', places);
      await enrollment.update({ status: 'completed' });
      await update({ role: 'trainer' }).expect(200);
    });
  });

  it('finds accounts by their emails, whatever their role and state, and names the other emails as given', async () => {
    const inactive = await buildUser(harness.context, {
      isActive: false,
      lastName: 'Aa',
      email: 'x\u00fc@example.org',
    });
    const unknown = ['nobody@example.org', 'no email'];
    const emailsGiven = ['ONE@example.org ', ...unknown, 'X\u00dc@Example.org', 'g@example.org'];
    const response = await call('post', '/api/users/by-email', { emails: emailsGiven }).expect(200);
    expect(response.body.users.map(({ id }: { id: string }) => id)).to.have.members([
      inactive.id,
      user.id,
      admin.user.id,
    ]);
    expect(response.body.users[0].id).to.equal(inactive.id);
    expect(response.body.unknown).to.deep.equal(unknown);
    expectInvalid(await call('post', '/api/users/by-email', { emails: [] }), ['emails']);
    expect((await harness.api('post', '/api/users/by-email', token).send({ emails: unknown })).status).to.equal(403);
  });

  it('PUT /api/users/:id/status ends the access of an account immediately, and restores the access', async () => {
    const { body } = await setStatus(false).expect(200);
    expect(body.message).to.equal('User deactivated successfully.');
    expect(body.user).to.include({ isActive: false });
    await expectEnded(token);
    expectFailure(await login(user.email, factoryPassword), 'NO_MATCHING_ACCOUNT');
    expect((await setStatus(true).expect(200)).body.message).to.equal('User activated successfully.');
    await expectEnded(token);
    await login(user.email, factoryPassword).expect(200);
    for (const wrong of ['true', 1, null, undefined]) expectInvalid(await setStatus(wrong), ['isActive']);
    expectFailure(await setStatus(false, admin.user.id), 'SUPER_ADMIN_PROTECTED');
  });

  it('POST /api/users/:id/reset-password returns a new password, which must be changed, and ends all sessions', async () => {
    const { body } = await resetPassword().expect(200);
    expect(body).to.have.all.keys('message', 'temporaryPassword');
    expect(body.message).to.equal('Password reset successfully.');
    await expectEnded(token);
    expectFailure(await login(user.email, factoryPassword), 'WRONG_PASSWORD');
    const signedIn = await login(user.email, body.temporaryPassword).expect(200);
    expect(signedIn.body.user.requiresPasswordChange).to.equal(true);
    // Also ends the sessions of a super admin who resets their own password.
    await resetPassword(admin.user.id).expect(200);
    await expectEnded(admin.token);
  });

  describe('DELETE /api/users/:id', () => {
    it('deletes an account with its enrollments, its sessions and its image', async () => {
      const course = await buildCourse(harness.context, await buildUser(harness.context, { role: 'trainer' }));
      await buildEnrollment(harness.context, user, course);
      const image = await buildImage(harness.context, user, Buffer.from('an image'));
      expect((await remove().expect(200)).body).to.deep.equal({ message: 'User deleted successfully.' });
      await expectEnded(token);
      const { Enrollment, Session, StoredFile } = harness.context.database.models;
      const left = [Enrollment.count(), Session.count({ where: { userId: user.id } }), StoredFile.count()];
      expect(await Promise.all(left)).to.deep.equal([0, 0, 0]);
      expect(await harness.context.storage.open(image.storageKey)).to.equal(undefined);
      expectFailure(await remove(), 'NOT_FOUND', 'User not found.');
    });

    it('refuses to delete the super admin, and a trainer who still has courses', async () => {
      expectFailure(await remove(admin.user.id), 'SUPER_ADMIN_PROTECTED');
      const trainer = await buildUser(harness.context, { role: 'trainer' });
      const course = await buildCourse(harness.context, trainer);
      expectFailure(await remove(trainer.id), 'TRAINER_HAS_COURSES', hasCourses);
      await course.destroy();
      await remove(trainer.id).expect(200);
    });

    it('does not succeed together with a concurrent new course of the same trainer', async () => {
      for (let round = 0; round < 5; round += 1) {
        const trainer = await signIn(harness.context, { role: 'trainer' });
        const [removed, created] = await Promise.all([
          remove(trainer.user.id),
          harness.api('post', '/api/courses', trainer.token).send({ title: 'Looms', description: 'Wood.' }),
        ]);
        if (removed.status === 200) expect(created.status, created.text).to.be.oneOf([401, 404]);
        else expect([removed.status, created.status]).to.deep.equal([400, 201]);
      }
    });
  });

  it('is recorded in the audit log: change, actor, origin, values before and after, newest first', async () => {
    for (const _ of ['sent', 'sent again']) {
      await update({ lastName: 'King' }).expect(200);
      await setStatus(false).expect(200);
    }
    const { temporaryPassword } = (await resetPassword().expect(200)).body;
    await update({}).expect(200);
    await remove().expect(200);
    const { entries } = (await call('get', `/api/audit?targetId=${user.id}`).expect(200)).body;
    const actions = ['user.delete', 'user.reset-password', 'user.deactivate', 'user.update'];
    expect(entries.map(({ action }: { action: string }) => action)).to.deep.equal(actions);
    for (const entry of entries) {
      expect(entry).to.include({ actorId: admin.user.id, origin: 'http', targetType: 'user', targetId: user.id });
      expect(entry)
        .to.have.property('ip')
        .that.matches(/127\.0\.0\.1|::1/);
      expect(JSON.stringify(entry)).not.to.match(new RegExp(`hash|\\$2b|${temporaryPassword}`, 'i'));
    }
    expect(entries[3]).to.deep.include({ before: { lastName: user.lastName }, after: { lastName: 'King' } });
    expect(entries[0].after).to.equal(null);
  });
});
