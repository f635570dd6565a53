import { expect } from 'chai';
import type { Course } from '../../../../src/db/models/course.js';
import type { Enrollment } from '../../../../src/db/models/enrollment.js';
import { operator } from '../../../../src/services/core.js';
import { setProgress } from '../../../../src/services/enrollments/change-enrollment.js';
import { previewUndo, undoImport } from '../../../../src/services/imports/commands.js';
import { promoteFreed } from '../../../../src/services/waiting-list/promotion.js';
import { buildCourse, buildEnrollment, buildUser } from '../../../support/factories.js';
import { recordsOf, useImporting } from '../support/importing.js';

describe('A row with a course whose enrollment was cancelled', () => {
  const importing = useImporting();
  const undoing = { signal: new AbortController().signal };
  const header = 'firstName,lastName,email,phone,course,enrollmentStatus,reply';
  const row = 'Ada,King,ada@x.org,1,Bees';
  let course: Course;
  let cancelled: Enrollment;

  beforeEach(async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    course = await buildCourse(importing.context, trainer, { title: 'Bees' });
    const person = { firstName: 'Ada', lastName: 'King', email: 'ada@x.org', phone: '1' };
    const ada = await buildUser(importing.context, person);
    const replied = { reply: 'Good luck', replyAt: new Date('2026-02-02T03:04:05.000Z'), replyBy: trainer.id };
    const enrolledAt = new Date('2026-01-02T03:04:05.000Z');
    cancelled = await buildEnrollment(importing.context, ada, course, {
      status: 'cancelled',
      progress: 30,
      notes: 'Moved away',
      cancelReason: 'left',
      ...replied,
      enrolledAt,
    });
  });

  const importRow = (line = `${row},,`) => importing.json(importing.write('people.csv', `${header}\n${line}\n`));

  it('makes the same enrollment active again, and counts as enrolled', async () => {
    const { exitCode, counts } = await importRow();
    expect(exitCode).to.equal(0);
    expect(counts).to.include({ rows: 1, skipped: 1, enrolled: 1 });
    const before = cancelled.enrolledAt;
    await cancelled.reload();
    expect(cancelled).to.include({ status: 'active', progress: 30, notes: 'Moved away', reply: 'Good luck' });
    expect(cancelled.cancelReason).to.equal(null);
    expect(cancelled.enrolledAt.getTime()).to.be.greaterThan(before.getTime());
    expect(await importing.models().Enrollment.count()).to.equal(1);
  });

  it('is shown by the plan, has the reply of the row and uses capacity', async () => {
    const file = importing.write('people.csv', `${header}\n${row},active,Back again\n`);
    expect((await importing.run(file, '--dry-run')).stdout).to.include('1 enrollment to make');
    await course.update({ maxStudents: 1 });
    const other = await buildEnrollment(importing.context, await buildUser(importing.context), course, {
      status: 'active',
    });
    expect(recordsOf((await importing.json(file)).rejectsFile)[0]).to.include({ code: 'COURSE_FULL' });
    await other.destroy();
    expect(
      (await importing.json(importing.write('later.csv', `${header}\n${row},active,Back again\n`))).counts,
    ).to.include({ enrolled: 1 });
    expect(await cancelled.reload()).to.include({ notes: 'Moved away', reply: 'Back again', replyBy: null });
    expect(cancelled.replyAt).to.deep.equal(cancelled.enrolledAt);
  });

  it('is rejected with the status pending, because only the trainee can request the course again', async () => {
    const { counts, rejectsFile } = await importRow(`${row},pending,`);
    expect(counts).to.include({ rejected: 1, enrolled: 0 });
    expect(recordsOf(rejectsFile)[0]).to.include({
      code: 'ENROLLMENT_CANCELLED',
      reason:
        'The enrollment in the course was cancelled: it can become active again, but not pending. Import it as active, or leave the course empty.',
    });
    expect((await cancelled.reload()).status).to.equal('cancelled');
  });

  it('is cancelled again by undo, with its old values', async () => {
    const before = { ...(await cancelled.reload()).get() };
    const { id } = await importRow(`${row},active,Back again`);
    expect(await previewUndo(importing.context, operator, id)).to.deep.equal({
      removed: 0,
      restored: 1,
      kept: [],
      mailsSent: 0,
    });
    await undoImport(importing.context, operator, id, undoing);
    const { updatedAt: _, ...restored } = (await cancelled.reload()).get();
    expect(before).to.deep.include(restored);
  });

  it('is kept and named by undo if the enrollment has changed since', async () => {
    const { id } = await importRow();
    await setProgress(importing.context, operator, cancelled.id, { progress: 60 });
    const { kept } = await undoImport(importing.context, operator, id, undoing);
    expect(kept.map(({ email, code }) => `${email} ${code}`)).to.deep.equal(['ada@x.org ENROLLED']);
    expect(await cancelled.reload()).to.include({ status: 'active', progress: 60 });
  });

  it('changes nothing if the enrollment is pending, active or completed', async () => {
    for (const status of ['pending', 'active', 'completed'] as const) {
      await cancelled.update({ status });
      expect((await importRow()).counts).to.include({ skipped: 1, enrolled: 0, rejected: 0 });
      expect((await cancelled.reload()).status).to.equal(status);
    }
  });

  it('gives seats to people on the waiting list if there are enough, and undo restores their places', async () => {
    await course.update({ isPublished: true, maxStudents: 1 });
    const other = await buildUser(importing.context);
    const first = await buildEnrollment(importing.context, other, course, { status: 'waiting' });
    const second = await buildEnrollment(importing.context, await buildUser(importing.context), course, {
      status: 'waiting',
    });
    const { waitingNumber } = second;
    await second.destroy();
    await cancelled.update({ status: 'waiting', waitingNumber, cancelReason: null });
    expect(recordsOf((await importRow()).rejectsFile)[0]).to.include({ code: 'COURSE_FULL' });
    await course.update({ maxStudents: 2 });
    const { id, counts } = await importing.json(importing.write('later.csv', `${header}\n${row},,\n`));
    expect(counts).to.include({ skipped: 1, enrolled: 1 });
    expect(await cancelled.reload()).to.include({ status: 'active', waitingNumber: null });
    await course.update({ maxStudents: 1 });
    importing.context.freedSeats.take();
    await undoImport(importing.context, operator, id, undoing);
    expect(await cancelled.reload()).to.include({ status: 'waiting', waitingNumber });
    const freed = importing.context.freedSeats.take();
    expect(freed).to.deep.equal([course.id]);
    await promoteFreed(importing.context, freed, new AbortController().signal);
    expect((await first.reload()).status).to.equal('pending');
  });

  it('takes no seat that is due to somebody on the waiting list', async () => {
    await course.update({ isPublished: true, maxStudents: 2 });
    const first = await buildEnrollment(importing.context, await buildUser(importing.context), course, {
      status: 'waiting',
    });
    const file = importing.write('two.csv', `${header}\nBen,Bee,ben@x.org,2,Bees,,\nCleo,Cee,cleo@x.org,3,Bees,,\n`);
    const { counts } = await importing.json(file);
    expect(counts).to.include({ enrolled: 1, rejected: 1 });
    await promoteFreed(importing.context, [course.id], new AbortController().signal);
    expect((await first.reload()).status).to.equal('pending');
  });

  it('leaves people on the waiting list with the status pending', async () => {
    await cancelled.update({ status: 'waiting', waitingNumber: 1 });
    expect((await importRow(`${row},pending,`)).counts).to.include({ skipped: 1, enrolled: 0, rejected: 0 });
    expect((await cancelled.reload()).status).to.equal('waiting');
  });
});
