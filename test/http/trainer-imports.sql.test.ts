import { expect } from 'chai';
import { trainerInactive } from '../../src/services/imports/plan/trainer-course.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { expectFailure, expectInvalid } from './support/expectations.js';
import { fileOf, useTrainerImporting } from './support/trainer-importing.js';

describe('Imports by trainers', () => {
  const importing = useTrainerImporting();
  const { models } = importing;
  const user = (email: string) => models().User.findOne({ where: { email }, rejectOnEmpty: true });

  it('enroll existing trainees unchanged, and invite new people', async () => {
    const { context, course, trainer } = importing;
    const known = await buildUser(context, { email: 'known@example.org', firstName: 'Ada', phone: '+1 555 1' });
    const done = await importing.importPeople(fileOf('known@example.org', 'new@example.org'));
    expect(done).to.deep.include({ status: 'completed', error: null, hasCredentials: false });
    expect(done.counts).to.include({ created: 1, skipped: 1, rejected: 0, enrolled: 2 });
    expect(done.trainer).to.deep.equal({ id: trainer.id, firstName: trainer.firstName, lastName: trainer.lastName });
    expect(done.options).to.deep.include({ course: course.id, invite: true, role: 'trainee', missingPhone: 'allow' });
    expect(done.options).not.to.have.property('trainerId');
    const fresh = await user('new@example.org');
    expect(fresh).to.include({ role: 'trainee', isActive: true, phone: '', inviteState: 'queued' });
    const after = await user('known@example.org');
    expect(after).to.include({ firstName: 'Ada', phone: '+1 555 1' });
    expect(after.updatedAt).to.deep.equal(known.updatedAt);
    const enrollments = await models().Enrollment.findAll({ where: { courseId: course.id } });
    expect(enrollments.map(({ userId, status }) => `${userId} ${status}`)).to.have.members([
      `${known.id} active`,
      `${fresh.id} active`,
    ]);
    const mails = await models().Mail.findAll();
    expect(mails.map(({ kind, userId }) => [kind, userId])).to.deep.equal([['invitation', fresh.id]]);
  });

  it('reject accounts that are no active trainees with the same code and reason', async () => {
    const { context } = importing;
    await buildUser(context, { role: 'super_admin', email: 'root@example.org' });
    await buildUser(context, { role: 'trainer', email: 'trainer@example.org' });
    await buildUser(context, { role: 'trainer', isActive: false, email: 'gone@example.org' });
    const { id } = await buildUser(context, { isActive: false, email: 'idle@example.org' });
    const emails = ['root', 'trainer', 'gone', 'idle'].map((name) => `${name}@example.org`);
    const done = await importing.importPeople(fileOf(...emails));
    expect(done.counts).to.include({ rejected: 4, enrolled: 0 });
    const { rows } = (await importing.call('get', `/${done.id}/rows`).expect(200)).body;
    const [first] = rows;
    for (const { line, ...row } of rows) expect({ line: 2, ...row }, `line ${line}`).to.deep.equal(first);
    expect(first).to.deep.include({ code: 'NOT_ENROLLABLE', account: null });
    expect(await models().Enrollment.count({ where: { userId: id } })).to.equal(0);
  });

  it('refuse all other options by name', async () => {
    const others = {
      group: 'Year 9',
      notify: 'true',
      withPasswords: 'true',
      noPassword: 'true',
      resetPasswords: 'true',
      enrollmentStatus: 'pending',
      whenFull: 'wait',
      onError: 'abort',
      maxErrors: '5',
      mapCourse: 'A=B',
      role: 'trainer',
      onExisting: 'update',
      match: 'phone',
      missingPhone: 'reject',
      invite: 'false',
    };
    for (const [name, value] of Object.entries(others)) {
      const response = await importing.upload(fileOf('a@example.org'), { [name]: value });
      expectInvalid(response, [name]);
    }
    for (const field of [
      'phone',
      'role',
      'password',
      'passwordHash',
      'isActive',
      'suspended',
      'course',
      'group',
      'reply',
    ]) {
      const response = await importing.upload(fileOf('a@example.org'), { map: `email=${field}` });
      expectInvalid(response, ['map']);
    }
    const fixed = { role: 'trainee', onExisting: 'skip', match: 'email', missingPhone: 'allow', invite: 'true' };
    await importing.upload(fileOf('a@example.org'), fixed).expect(202);
    expect(await models().Import.count()).to.equal(1);
  });

  it('need a course of the trainer', async () => {
    const { context } = importing;
    const other = await buildUser(context, { role: 'trainer' });
    const messages = new Set<string>();
    for (const isPublished of [true, false]) {
      const { id, title } = await buildCourse(context, other, { title: `Hidden ${isPublished}`, isPublished });
      for (const course of [id, title, id.slice(-8), 'Nothing']) {
        const response = await importing.upload(fileOf('a@example.org'), { course });
        expectInvalid(response, ['course']);
        messages.add(response.text);
      }
    }
    expect([...messages]).to.have.length(1);
    expectInvalid(await importing.upload(fileOf('a@example.org'), { course: '' }), ['course']);
    const { options } = await importing.planFile(fileOf('a@example.org'), { course: 'compilers' });
    expect(options.course).to.equal(importing.course.id);
  });

  it('ignore the columns of the super admin, with a warning', async () => {
    const { context } = importing;
    const other = await buildUser(context, { role: 'trainer' });
    const hidden = await buildCourse(context, other, { title: 'Secret', isPublished: false });
    await buildUser(context, { email: 'known@example.org', phone: '+1 555 7', lastName: 'Hidden' });
    const header = 'firstName,lastName,email,phone,Mobile,role,isActive,password,course,group,reply,enrollmentStatus';
    const row = `Given,Family,new@example.org,+1 555 7,+1 555 7,trainer,no,topsecret99,${hidden.title},Year 9,Hello,pending`;
    const { id, plan } = await importing.planFile([header, row].join('\n'));
    expect(plan.counts).to.include({ created: 1, rejected: 0, enrolled: 1 });
    expect(plan.newGroups).to.deep.equal([]);
    const warned = plan.warnings.filter(({ code }: { code: string }) => code === 'COLUMN_NOT_ALLOWED');
    expect(warned.map(({ field }: { field: string }) => field)).to.have.members([
      ...['phone', 'role', 'isActive', 'password', 'course', 'group', 'reply', 'enrollmentStatus'],
    ]);
    expect(plan.fields.map(({ name }: { name: string }) => name)).to.have.members([
      ...['firstName', 'lastName', 'fullName', 'email', 'language'],
    ]);
    expect(JSON.stringify(plan)).not.to.match(/topsecret99|Hidden/);
    await importing.call('post', `/${id}/apply`).send({}).expect(202);
    await importing.settle(id);
    const account = await user('new@example.org');
    expect(account).to.include({ role: 'trainee', isActive: true, phone: '' });
    expect(await models().Group.count()).to.equal(0);
    const enrollments = await models().Enrollment.findAll({ where: { userId: account.id } });
    expect(enrollments.map(({ courseId, status, reply }) => [courseId, status, reply])).to.deep.equal([
      [importing.course.id, 'active', null],
    ]);
  });

  it('can be planned again with other columns, not with other options', async () => {
    const { id } = await importing.planFile('Vorname,Nachname,Kontakt,Telefon\nAda,King,ada@example.org,1\n');
    const replan = (body: object) => importing.call('post', `/${id}/plan`).send(body);
    const map = [{ column: 2, field: 'email' }];
    const { body } = await replan({ map }).expect(202);
    expect(body.import.options).to.include({ course: importing.course.id, onExisting: 'skip', invite: true });
    for (const refused of [{ map: [{ column: 3, field: 'phone' }] }, { notify: false }, { role: 'trainer' }])
      expectInvalid(await replan(refused), Object.keys(refused));
    // Also for the super admin: the import stays the trainer's.
    const { token } = await signIn(importing.context, { role: 'super_admin' });
    expectInvalid(await importing.call('post', `/${id}/plan`, token).send({ map, onExisting: 'update' }), [
      'onExisting',
    ]);
  });

  it('are seen by their trainer and the super admin only', async () => {
    const { id } = await importing.importPeople(fileOf('a@example.org'));
    const others = [await signIn(importing.context, { role: 'trainer' })];
    const admin = await signIn(importing.context, { role: 'super_admin' });
    const list = async (token?: string) => (await importing.call('get', '', token).expect(200)).body.imports;
    expect(await list(others[0]?.token)).to.deep.equal([]);
    expect((await list()).map((one: { id: string }) => one.id)).to.deep.equal([id]);
    const [listed] = await list(admin.token);
    expect(listed.trainer.id).to.equal(importing.trainer.id);
    for (const path of ['', '/events', '/rows', '/rejected.csv', '/outcome.csv'])
      expectFailure(await importing.call('get', `/${id}${path}`, others[0]?.token), 'NOT_FOUND', 'Import not found.');
    for (const path of ['/plan', '/apply', '/cancel', '/resume', '/undo', '/undo?dryRun=true'])
      expectFailure(
        await importing.call('post', `/${id}${path}`, others[0]?.token).send({}),
        'NOT_FOUND',
        'Import not found.',
      );
    for (const token of [importing.token, others[0]?.token])
      expectFailure(await importing.call('get', `/${id}/credentials.csv`, token), 'SUPER_ADMIN_REQUIRED');
    const actors = await models().AuditEntry.findAll({ where: { targetId: id } });
    expect(new Set(actors.map(({ actorId }) => actorId))).to.deep.equal(new Set([importing.trainer.id]));
  });

  it('are undone by their trainer', async () => {
    const known = await buildUser(importing.context, { email: 'known@example.org' });
    const { id } = await importing.importPeople(fileOf('known@example.org', 'new@example.org', 'used@example.org'));
    const used = await user('used@example.org');
    const other = await buildCourse(importing.context, await buildUser(importing.context, { role: 'trainer' }));
    await buildEnrollment(importing.context, used, other);
    const { body } = await importing.call('post', `/${id}/undo`).expect(200);
    expect(body.undo).to.deep.include({ removed: 1, restored: 1 });
    expect(body.undo.kept.map(({ code, email }: { code: string; email: string }) => [code, email])).to.deep.equal([
      ['IN_USE', 'used@example.org'],
    ]);
    expect(body.keptReasons).to.deep.equal([{ code: 'IN_USE', count: 1 }]);
    expect(await models().User.count({ where: { email: 'new@example.org' } })).to.equal(0);
    expect(await models().Enrollment.count({ where: { userId: known.id } })).to.equal(0);
    const { rows } = (await importing.call('get', `/${id}/rows`).expect(200)).body;
    expect(rows[2].undo).to.deep.equal({ outcome: 'kept', code: 'IN_USE' });
  });

  for (const [how, lose, code] of [
    ['is assigned to another trainer', 'assign', 'COURSE_LOST'],
    ['is deleted', 'delete', 'COURSE_LOST'],
    ['stays, but its trainer is deactivated', 'deactivate', 'ACCOUNT_INACTIVE'],
  ] as const)
    it(`write nothing if the course ${how} after the plan`, async () => {
      const { context, course, trainer } = importing;
      const admin = (await signIn(context, { role: 'super_admin' })).token;
      const loseCourse = async () => {
        const other = await buildUser(context, { role: 'trainer' });
        if (lose === 'assign') await course.update({ trainerId: other.id });
        else if (lose === 'delete') await course.destroy();
        else await trainer.update({ isActive: false });
      };
      const [before, queued] = [
        await importing.planFile(fileOf('a@example.org')),
        await importing.planFile(fileOf('b@example.org')),
      ];
      await importing.stopWorker();
      await importing.call('post', `/${queued.id}/apply`).send({}).expect(202);
      await loseCourse();
      const message = code === 'COURSE_LOST' ? undefined : trainerInactive().message;
      const token = lose === 'deactivate' ? admin : importing.token;
      for (const path of ['apply', 'plan'])
        expectFailure(await importing.call('post', `/${before.id}/${path}`, token).send({}), code, message);
      importing.startWorker();
      await importing.settle(queued.id);
      const ended = await importing.show(queued.id, admin);
      expect(ended).to.deep.include({ status: 'failed' });
      expect(ended.error.code).to.equal(code);
      expectFailure(await importing.call('post', `/${queued.id}/resume`, token), code, message);
      expect(await models().User.count({ where: { email: ['a@example.org', 'b@example.org'] } })).to.equal(0);
      expect(await models().ImportRow.count()).to.equal(0);
    });

  it('show nothing of the participants after the course is lost', async () => {
    await buildUser(importing.context, { email: 'known@example.org' });
    const { id } = await importing.importPeople(fileOf('known@example.org', 'new@example.org'));
    const rowsOf = async () => (await importing.call('get', `/${id}/rows`).expect(200)).body.rows;
    expect((await rowsOf()).map(({ account }: ImportAccount) => account?.email)).to.deep.equal([
      'known@example.org',
      'new@example.org',
    ]);
    const other = await buildUser(importing.context, { role: 'trainer' });
    await importing.course.update({ trainerId: other.id });
    await models().User.update({ email: 'moved@example.org' }, { where: { email: 'known@example.org' } });
    expect((await rowsOf()).map(({ account }: ImportAccount) => account)).to.deep.equal([null, null]);
    const { text } = await importing.call('get', `/${id}/outcome.csv`).expect(200);
    expect(text).not.to.match(/@example\.org/);
    for (const query of ['', '?dryRun=true'])
      expectFailure(await importing.call('post', `/${id}/undo${query}`), 'COURSE_LOST');
  });
});

interface ImportAccount {
  account: { email: string } | null;
}
