import { expect } from 'chai';
import request, { type Response } from 'supertest';
import type { User } from '../../src/db/models/user.js';
import {
  buildCourse,
  buildEnrollment,
  buildPicture,
  buildUser,
  factoryPassword,
  signIn,
  tokenFor,
} from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { accountKeys } from '../support/shown.js';
import { ada, expectFailure, expectInvalid, messages } from './support/expectations.js';

const protectedMessage = "The super admin can't be deactivated, demoted or deleted.";

describe('User administration', () => {
  const harness = useHarness();
  let admin: { user: User; token: string };
  beforeEach(async () => {
    admin = await signIn(harness.context, {
      role: 'super_admin',
      firstName: 'Grace',
      lastName: 'Hopper',
      email: 'g@example.org',
    });
  });
  const call = (method: 'get' | 'post' | 'put' | 'delete', path: string, body?: object) => {
    const made = harness.api(method, path, admin.token);
    return body === undefined ? made : made.send(body);
  };
  const emails = ({ body }: Response) => body.users.map(({ email }: { email: string }) => email);
  const audited = async (targetId: string) => {
    const { body } = await call('get', `/api/audit?targetId=${targetId}`).expect(200);
    return body.entries as { action: string; actorId: string; before: object | null; after: object | null }[];
  };
  const login = (identifier: string, password: string) =>
    harness.api('post', '/api/auth/login').send({ identifier, password });

  describe('GET /api/users', () => {
    it('lists accounts with exactly the documented fields, newest first', async () => {
      const trainee = await buildUser(harness.context);
      const { body } = await call('get', '/api/users').expect(200);
      expect(body.pagination).to.deep.equal({ currentPage: 1, totalPages: 1, totalItems: 2, itemsPerPage: 20 });
      expect(body.users.map(({ id }: { id: string }) => id)).to.deep.equal([trainee.id, admin.user.id]);
      for (const user of body.users) {
        expect(user).to.have.all.keys(...accountKeys, 'lockedUntil');
        expect(user.lockedUntil).to.equal(null);
      }
    });

    it('filters by role, by isActive and by requiresPasswordChange', async () => {
      await buildUser(harness.context, { email: 'trainer@example.org', role: 'trainer' });
      await buildUser(harness.context, { email: 'gone@example.org', isActive: false });
      await buildUser(harness.context, { email: 'new@example.org', requiresPasswordChange: true });
      const found = async (query: string) => emails(await call('get', `/api/users?${query}`).expect(200));
      expect(await found('role=trainer')).to.deep.equal(['trainer@example.org']);
      expect(await found('isActive=false')).to.deep.equal(['gone@example.org']);
      expect(await found('requiresPasswordChange=true')).to.deep.equal(['new@example.org']);
      expect(await found('role=trainee&isActive=true')).to.deep.equal(['new@example.org']);
    });

    it('shows which accounts are locked and until when, and filters by it', async () => {
      const [locked, failed, released] = [
        await buildUser(harness.context, { email: 'locked@example.org' }),
        await buildUser(harness.context, { email: 'failed@example.org' }),
        await buildUser(harness.context, { email: 'released@example.org', role: 'trainer' }),
      ];
      for (const { email } of [locked, released])
        for (let guess = 0; guess < 10; guess += 1) await login(email, 'wrong password').expect(401);
      await login(failed.email, 'wrong password').expect(401);
      await call('post', `/api/users/${released.id}/unlock`).expect(200);
      // Identifiers without an account are locked, too.
      for (let guess = 0; guess < 10; guess += 1) await login('nobody@example.org', 'wrong password').expect(401);
      const found = async (query: string) => emails(await call('get', `/api/users?sortBy=email&${query}`).expect(200));
      const order = 'sortOrder=ASC';
      expect(await found('locked=true')).to.deep.equal(['locked@example.org']);
      const others = ['failed@example.org', 'g@example.org', 'released@example.org'];
      expect(await found(`locked=false&${order}`)).to.deep.equal(others);
      expect(await found('locked=true&role=trainer')).to.deep.equal([]);
      expect(await found('locked=true&search=locked')).to.deep.equal(['locked@example.org']);
      expect(await found(`locked=false&${order}&page=2&limit=2`)).to.deep.equal(others.slice(2));
      const { body } = await call('get', '/api/users').expect(200);
      const { body: shown } = await call('get', `/api/users/${locked.id}`).expect(200);
      const until = Object.fromEntries(
        body.users.map(({ email, lockedUntil }: Record<'email' | 'lockedUntil', string>) => [email, lockedUntil]),
      );
      expect(until).to.deep.equal({
        'locked@example.org': shown.user.lockedUntil,
        ...Object.fromEntries(others.map((email) => [email, null])),
      });
      expect(new Date(shown.user.lockedUntil).toISOString()).to.equal(shown.user.lockedUntil);
      const { text } = await call('get', '/api/users/export.csv?locked=true').expect(200);
      expect(text.trim().split('\n')).to.have.length(2);
      harness.advance(11 * 60_000);
      expect(await found('locked=true')).to.deep.equal([]);
      const later = await call('get', '/api/users?search=locked').expect(200);
      expect(later.body.users[0]).to.include({ email: 'locked@example.org', lockedUntil: null });
      expectInvalid(await call('get', '/api/users?locked=maybe'), ['locked'], 'query');
    });

    it('searches names, email and phone, sign by sign', async () => {
      await buildUser(harness.context, {
        firstName: 'José',
        lastName: 'Núñez',
        email: 'a_b@example.org',
        phone: '030 55-1',
      });
      await buildUser(harness.context, {
        firstName: 'Per',
        lastName: 'Cent%',
        email: 'axb@example.org',
        phone: '030 66-2',
      });
      const found = async (term: string) =>
        emails(await call('get', `/api/users?search=${encodeURIComponent(term)}`).expect(200));
      for (const term of ['jose', 'NUÑEZ', 'a_b', '030551', '030 55'])
        expect(await found(term), term).to.deep.equal(['a_b@example.org']);
      expect(await found('%')).to.deep.equal(['axb@example.org']);
      for (const term of ["' OR 1=1 --", 'nobody']) expect(await found(term)).to.deep.equal([]);
    });

    it('sorts by each field of the closed list, ties broken by id, and pages without gaps', async () => {
      for (let index = 0; index < 7; index += 1)
        await buildUser(harness.context, { firstName: 'Same', lastName: 'Name' });
      for (const sortBy of ['createdAt', 'lastName', 'firstName', 'email', 'lastLogin']) {
        for (const sortOrder of ['ASC', 'DESC']) {
          const seen: string[] = [];
          for (const page of [1, 2, 3]) {
            const query = `sortBy=${sortBy}&sortOrder=${sortOrder}&limit=3&page=${page}`;
            const { body } = await call('get', `/api/users?${query}`).expect(200);
            seen.push(...body.users.map(({ id }: { id: string }) => id));
          }
          expect(new Set(seen).size, `${sortBy} ${sortOrder}`).to.equal(8);
        }
      }
      expectInvalid(
        await call('get', '/api/users?sortBy=passwordHash&role=boss&limit=101'),
        ['sortBy', 'role', 'limit'],
        'query',
      );
    });
  });

  describe('GET /api/users/export.csv', () => {
    it('gives all accounts that match, oldest first, without passwords', async () => {
      await buildUser(harness.context, { email: 'one@example.org' });
      await buildUser(harness.context, { email: 'two@example.org', firstName: '=cmd()' });
      const { text, headers } = await call('get', '/api/users/export.csv?role=trainee').expect(200);
      expect(headers['content-disposition']).to.equal('attachment; filename=users.csv');
      const [header, ...lines] = text.trim().split('\n');
      expect(header).to.equal(
        'id,firstName,lastName,email,phone,role,isActive,requiresPasswordChange,lastLogin,createdAt',
      );
      expect(lines.map((line) => line.split(',')[3])).to.deep.equal(['one@example.org', 'two@example.org']);
      expect(text)
        .not.to.include('$2b$')
        .and.not.to.match(/(^|,)=cmd/);
      expectInvalid(await call('get', '/api/users/export.csv?role=boss'), ['role'], 'query');
      for (const [query, status] of [
        ['role=trainee', 200],
        ['role=boss', 400],
      ] as const)
        await request(harness.app)
          .head(`/api/users/export.csv?${query}`)
          .set('Authorization', `Bearer ${admin.token}`)
          .expect(status);
    });
  });

  describe('GET /api/users/:id', () => {
    it('shows an account, by its id only', async () => {
      const user = await buildUser(harness.context, { email: 'one@example.org' });
      const { body } = await call('get', `/api/users/${user.id}`).expect(200);
      expect(body.user).to.have.all.keys(...accountKeys, 'lockedUntil');
      expect(body.user).to.include({ id: user.id, email: 'one@example.org', lockedUntil: null });
      for (const id of ['nobody', 'one@example.org', user.phone])
        expect((await call('get', `/api/users/${encodeURIComponent(id)}`)).status).to.equal(404);
    });
  });

  describe('PUT /api/users/:id', () => {
    let user: User;
    beforeEach(async () => {
      user = await buildUser(harness.context, { email: 'one@example.org' });
    });
    const update = (body: object, id = user.id) => call('put', `/api/users/${id}`, body);

    it('ends the sessions of an account with a new email; of the own account those elsewhere', async () => {
      const theirs = await tokenFor(harness.context, user);
      await update({ email: 'another@example.org' }).expect(200);
      await harness.api('get', '/api/auth/me', theirs).expect(401);
      const elsewhere = await tokenFor(harness.context, admin.user);
      await update({ email: 'h@example.org' }, admin.user.id).expect(200);
      await harness.api('get', '/api/auth/me', elsewhere).expect(401);
      await call('get', '/api/auth/me').expect(200);
    });

    it('changes what is given and leaves the rest', async () => {
      const { password: _, ...person } = ada;
      const { body } = await update({ ...person, email: ' ADA@Example.org ' }).expect(200);
      expect(body.message).to.equal('User updated successfully.');
      expect(body.user).to.include({ ...person, id: user.id, role: 'trainee', isActive: true });
      const again = await update({ lastName: 'King' }).expect(200);
      expect(again.body.user).to.include({ ...person, lastName: 'King' });
      await login('+44 20 79460001', factoryPassword).expect(200);
    });

    it('ignores other fields', async () => {
      const surplus = {
        isActive: false,
        passwordHash: 'x',
        password: 'another secret',
        id: 'x',
        avatar: 'x',
        superAdminMarker: 1,
      };
      await update(surplus).expect(200);
      await login('one@example.org', factoryPassword).expect(200);
    });

    it('refuses an email or phone that is taken, email first', async () => {
      const other = await buildUser(harness.context, { email: 'two@example.org', phone: '0 12 34' });
      expectFailure(await update({ email: other.email, phone: other.phone }), 400, messages.emailTaken);
      expectFailure(await update({ phone: '(01) 234' }), 400, messages.phoneTaken);
      await update({ email: user.email, phone: user.phone }).expect(200);
    });

    it('names every invalid field', async () => {
      expectInvalid(await update({ firstName: 'A', lastName: 7, email: 'x', phone: '', role: 'boss' }), [
        'firstName',
        'lastName',
        'email',
        'phone',
        'role',
      ]);
    });

    it('changes the role between trainer and trainee, and ends the sessions of the account', async () => {
      const token = await tokenFor(harness.context, user);
      const { body } = await update({ role: 'trainer' }).expect(200);
      expect(body.user.role).to.equal('trainer');
      expectFailure(await harness.api('get', '/api/auth/me', token), 401, messages.badToken);
      await update({ role: 'trainee' }).expect(200);
    });

    it('leaves the sessions alone when the role stays', async () => {
      const token = await tokenFor(harness.context, user);
      await update({ role: 'trainee', firstName: 'Grace' }).expect(200);
      await harness.api('get', '/api/auth/me', token).expect(200);
    });

    it('refuses a second super admin, and any other role for the super admin', async () => {
      expectFailure(await update({ role: 'super_admin' }), 400, messages.superAdminExists);
      for (const role of ['trainer', 'trainee'])
        expectFailure(await update({ role }, admin.user.id), 400, protectedMessage);
      await update({ role: 'super_admin', firstName: 'Amazing' }, admin.user.id).expect(200);
      await harness.api('get', '/api/auth/me', admin.token).expect(200);
    });

    it('keeps a trainer with courses a trainer, and a trainee with a place in a course a trainee', async () => {
      const trainer = await buildUser(harness.context, { role: 'trainer' });
      const course = await buildCourse(harness.context, trainer);
      const enrollment = await buildEnrollment(harness.context, user, course);
      const [courses, places] = [
        'Trainer still has courses. Assign them to another trainer first.',
        'Trainee still has enrollments. Remove or complete them first.',
      ];
      expectFailure(await update({ role: 'trainee' }, trainer.id), 400, courses);
      expectFailure(await update({ role: 'trainer' }), 400, places);
      await enrollment.update({ status: 'completed' });
      await update({ role: 'trainer' }).expect(200);
    });

    it('answers 404 for an account that is not there, before anything is said of the keys', async () => {
      expectFailure(await update({ email: user.email }, 'nobody'), 404, 'User not found.');
    });

    it('is found by its new names and email', async () => {
      await update({ lastName: 'Čapek' }).expect(200);
      expect(emails(await call('get', '/api/users?search=capek'))).to.deep.equal(['one@example.org']);
    });
  });

  describe('PUT /api/users/:id/status', () => {
    it('locks out an account immediately, and lets it in again', async () => {
      const { user, token } = await signIn(harness.context);
      const status = (isActive: unknown) => call('put', `/api/users/${user.id}/status`, { isActive });
      const { body } = await status(false).expect(200);
      expect(body.message).to.equal('User deactivated successfully.');
      expect(body.user).to.have.all.keys(accountKeys).and.to.include({ isActive: false });
      expectFailure(await harness.api('get', '/api/auth/me', token), 401, messages.badToken);
      expectFailure(await login(user.email, factoryPassword), 401, messages.noMatch);
      expect((await status(true).expect(200)).body.message).to.equal('User activated successfully.');
      await login(user.email, factoryPassword).expect(200);
      for (const wrong of ['true', 1, null, undefined]) expectInvalid(await status(wrong), ['isActive']);
    });

    it('refuses to deactivate the super admin', async () => {
      const refused = await call('put', `/api/users/${admin.user.id}/status`, { isActive: false });
      expectFailure(refused, 400, protectedMessage);
    });
  });

  describe('POST /api/users/:id/reset-password', () => {
    it('gives a password once, which must be changed, and ends all sessions', async () => {
      const { user, token } = await signIn(harness.context);
      const { body } = await call('post', `/api/users/${user.id}/reset-password`).expect(200);
      expect(body).to.have.all.keys('message', 'temporaryPassword');
      expect(body.message).to.equal('Password reset successfully.');
      expectFailure(await harness.api('get', '/api/auth/me', token), 401, messages.badToken);
      expectFailure(await login(user.email, factoryPassword), 401, messages.wrongPassword);
      const signedIn = await login(user.email, body.temporaryPassword).expect(200);
      expect(signedIn.body.user.requiresPasswordChange).to.equal(true);
      expect(JSON.stringify(await audited(user.id))).not.to.include(body.temporaryPassword);
    });

    it('ends the session of a super admin who resets their own password, too', async () => {
      await call('post', `/api/users/${admin.user.id}/reset-password`).expect(200);
      expectFailure(await call('get', '/api/auth/me'), 401, messages.badToken);
    });
  });

  describe('DELETE /api/users/:id', () => {
    const remove = (id: string) => call('delete', `/api/users/${id}`);

    it('deletes an account with its enrollments, its sessions and its picture', async () => {
      const { user, token } = await signIn(harness.context);
      const course = await buildCourse(harness.context, await buildUser(harness.context, { role: 'trainer' }));
      await buildEnrollment(harness.context, user, course);
      const picture = await buildPicture(harness.context, user, Buffer.from('a picture'));
      expect((await remove(user.id).expect(200)).body).to.deep.equal({ message: 'User deleted successfully.' });
      expectFailure(await harness.api('get', '/api/auth/me', token), 401, messages.badToken);
      const { Enrollment, Session, StoredFile } = harness.context.database.models;
      expect(await Enrollment.count()).to.equal(0);
      expect(await Session.count({ where: { userId: user.id } })).to.equal(0);
      expect(await StoredFile.count()).to.equal(0);
      expect(await harness.context.storage.open(picture.storageKey)).to.equal(undefined);
      expectFailure(await remove(user.id), 404, 'User not found.');
    });

    it('refuses to delete the super admin, and a trainer who still has courses', async () => {
      expectFailure(await remove(admin.user.id), 400, protectedMessage);
      const trainer = await buildUser(harness.context, { role: 'trainer' });
      const course = await buildCourse(harness.context, trainer);
      const refused = 'Trainer still has courses. Assign them to another trainer first.';
      expectFailure(await remove(trainer.id), 400, refused);
      await course.destroy();
      await remove(trainer.id).expect(200);
    });

    it('and a new course of the same trainer together end with one of them', async () => {
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

  describe('the audit log', () => {
    it('holds every change with actor, address, target, before and after, newest first', async () => {
      const user = await buildUser(harness.context, { email: 'one@example.org' });
      await call('put', `/api/users/${user.id}`, { lastName: 'King' }).expect(200);
      await call('put', `/api/users/${user.id}/status`, { isActive: false }).expect(200);
      await call('post', `/api/users/${user.id}/reset-password`).expect(200);
      await call('delete', `/api/users/${user.id}`).expect(200);
      const entries = await audited(user.id);
      expect(entries.map(({ action }) => action)).to.deep.equal([
        'user.delete',
        'user.reset-password',
        'user.deactivate',
        'user.update',
      ]);
      for (const entry of entries) {
        expect(entry).to.include({ actorId: admin.user.id, origin: 'http', targetType: 'user', targetId: user.id });
        expect(entry)
          .to.have.property('ip')
          .that.matches(/127\.0\.0\.1|::1/);
        expect(JSON.stringify(entry)).not.to.match(/hash|\$2b/i);
      }
      expect(entries[3]?.before).to.include({ lastName: user.lastName });
      expect(entries[3]?.after).to.include({ lastName: 'King' });
      expect(entries[0]?.after).to.equal(null);
    });

    it('holds what has changed only, and each password that was given', async () => {
      const user = await buildUser(harness.context);
      for (const _ of ['sent', 'sent again']) {
        await call('put', `/api/users/${user.id}`, { lastName: 'King' }).expect(200);
        await call('put', `/api/users/${user.id}/status`, { isActive: false }).expect(200);
        await call('post', `/api/users/${user.id}/reset-password`).expect(200);
      }
      await call('put', `/api/users/${user.id}`, {}).expect(200);
      const entries = await audited(user.id);
      expect(entries.map(({ action }) => action)).to.deep.equal([
        'user.reset-password',
        'user.reset-password',
        'user.deactivate',
        'user.update',
      ]);
    });
  });
});
