import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import type { Enrollment } from '../../src/db/models/enrollment.js';
import { type EnrollmentStatus, enrollmentStatuses, settableStatuses } from '../../src/schemas/enrollment-statuses.js';
import { buildCourse, buildEnrollment } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Cast, changesOf, type Person, useCast } from './support/cast.js';
import { expectFailure, expectInvalid, messageOf } from './support/expectations.js';

const managers = [
  'pending > active',
  'pending > cancelled',
  'waiting > active',
  'waiting > cancelled',
  'active > completed',
  'completed > active',
  'active > cancelled',
  'cancelled > active',
];
/** Permitted changes for each kind of caller; all others are refused. */
const allowed: Readonly<Record<keyof Cast, readonly string[]>> = {
  trainee: ['pending > cancelled', 'waiting > cancelled', 'active > cancelled', 'cancelled > pending'],
  owner: managers,
  foreign: [],
  admin: managers,
};

/** Returns the code of the refusal; undefined for a permitted change. */
function refusalOf(actor: keyof Cast, from: EnrollmentStatus, to: EnrollmentStatus) {
  if (actor === 'foreign') return 'NOT_FOUND';
  if (actor === 'trainee' && (to === 'active' || to === 'completed')) return 'STATUS_NOT_FOR_TRAINEES';
  return allowed[actor].includes(`${from} > ${to}`) ? undefined : 'STATUS_REFUSED';
}

const long = new Date('2020-01-02T03:04:05.678Z');
const recently = (time: string) => Math.abs(Date.parse(time) - Date.now()) < 60_000;

describe('PUT /api/enrollments/:id/status', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  let course: Course;
  beforeEach(async () => {
    course = await buildCourse(harness.context, cast.owner.user, { isPublished: true });
  });
  const enrolled = (status: EnrollmentStatus, given: Partial<Enrollment> = {}) => {
    const completed = status === 'completed' ? { completedAt: long, progress: 100 } : { progress: 40 };
    return buildEnrollment(harness.context, cast.trainee.user, course, {
      status,
      enrolledAt: long,
      notes: 'Before',
      ...completed,
      ...given,
    });
  };
  const change = (by: Person, { id }: { id: string }, body: object) =>
    harness.api('put', `/api/enrollments/${id}/status`, by.token).send(body);
  const stored = async ({ id }: Enrollment) => {
    const { body } = await harness.api('get', `/api/enrollments/${id}`, cast.admin.token).expect(200);
    const { user: _, course: __, formerName: ___, ...enrollment } = body.enrollment;
    return enrollment;
  };

  for (const actor of ['trainee', 'owner', 'foreign', 'admin'] as const) {
    for (const from of enrollmentStatuses) {
      for (const to of settableStatuses) {
        const code = refusalOf(actor, from, to);
        it(`from ${from} to ${to} by the ${actor} is ${code ?? 'allowed'}`, async () => {
          const enrollment = await enrolled(from);
          const before = await stored(enrollment);
          const response = await change(cast[actor], enrollment, { status: to });
          if (code !== undefined) {
            const details = {
              NOT_FOUND: 'Enrollment not found.',
              STATUS_REFUSED: `Enrollment can't change from ${from} to ${to}.`,
            };
            const detail = code === 'STATUS_NOT_FOR_TRAINEES' ? undefined : details[code];
            expectFailure(response, code, detail, code === 'STATUS_REFUSED' ? { from, to } : undefined);
            expect(await stored(enrollment)).to.deep.equal(before);
            return;
          }
          expect(response.status, response.text).to.equal(200);
          expect(response.body).to.have.all.keys('message', 'enrollment');
          const after = response.body.enrollment;
          expect(after).to.deep.equal(await stored(enrollment));
          const { enrolledAt, completedAt, certificate } = after;
          const progress = to === 'completed' ? 100 : before.progress;
          const byManager = from === 'active' ? 'removed' : 'refused';
          const cancelReason = to !== 'cancelled' ? null : actor === 'trainee' ? 'left' : byManager;
          const moments = { enrolledAt, completedAt };
          const moved = { status: to, progress, cancelReason, waitingPlace: null, certificate };
          expect(after).to.deep.equal({ ...before, ...moved, ...moments });
          expect(certificate === null).to.equal(to !== 'completed');
          // Only cancelled enrollments, and waiting ones that become active, get a new date.
          if (from === 'cancelled' || (from === 'waiting' && to === 'active')) expect(enrolledAt).to.satisfy(recently);
          else expect(enrolledAt).to.equal(long.toISOString());
          if (to === 'completed') expect(completedAt).to.satisfy(recently);
          else expect(completedAt).to.equal(null);
        });
      }
    }
  }

  for (const field of ['reply', 'notes'])
    it(`keeps the reply unless managers send another as ${field}; null and blank text clear it`, async () => {
      for (const [text, kept] of [
        [undefined, 'So far'],
        [' New\nones ', 'New\nones'],
        [null, null],
        ['  ', null],
      ]) {
        const who = { replyAt: long, replyBy: cast.admin.user.id };
        const enrollment = await enrolled('pending', { reply: 'So far', ...who });
        const { body } = await change(cast.owner, enrollment, { status: 'active', [field]: text }).expect(200);
        const { notes, notesAt, reply, replyAt, replyBy } = body.enrollment;
        expect([notes, notesAt, reply]).to.deep.equal(['Before', null, kept]);
        if (text === undefined) expect([replyAt, replyBy]).to.deep.equal([long.toISOString(), cast.admin.user.id]);
        else if (kept === null) expect([replyAt, replyBy]).to.deep.equal([null, null]);
        else {
          expect(replyAt).to.satisfy(recently);
          expect(replyBy).to.equal(cast.owner.user.id);
        }
        await enrollment.destroy();
      }
    });

  it('keeps the notes unless the trainee sends new ones; null and blank text clear them', async () => {
    for (const [notes, kept] of [
      [undefined, 'Before'],
      [' Ill ', 'Ill'],
      [null, null],
      ['  ', null],
    ]) {
      const enrollment = await enrolled('pending', { notesAt: long });
      const { body } = await change(cast.trainee, enrollment, { status: 'cancelled', notes }).expect(200);
      expect(body.enrollment).to.include({ notes: kept, reply: null, cancelReason: 'left' });
      if (kept === 'Ill') expect(body.enrollment.notesAt).to.satisfy(recently);
      else expect(body.enrollment.notesAt).to.equal(kept === null ? null : long.toISOString());
      await enrollment.destroy();
    }
  });

  it('refuses a reply from trainees, and notes together with a reply from anybody', async () => {
    const enrollment = await enrolled('pending');
    const refused = await change(cast.trainee, enrollment, { status: 'cancelled', reply: 'Ill' });
    expectInvalid(refused, ['reply']);
    expect(messageOf(refused)).to.equal('Only managers of the course can send a reply. Send your text as notes.');
    for (const by of [cast.trainee, cast.owner]) {
      for (const reply of ['Ill', null, '']) {
        const both = await change(by, enrollment, { status: 'cancelled', notes: 'Ill', reply });
        expectInvalid(both, ['']);
        expect(messageOf(both)).to.equal('Give notes or a reply, not both.');
      }
    }
    expect(await stored(enrollment)).to.include({ status: 'pending', notes: 'Before', reply: null });
  });

  it('is refused with 409 if the status is no longer the expected one', async () => {
    const enrollment = await enrolled('cancelled');
    const before = await stored(enrollment);
    const words = 'Enrollment is cancelled by now, no longer pending. Look at it before you change it.';
    for (const by of [cast.owner, cast.admin])
      expectFailure(
        await change(by, enrollment, { status: 'active', expectedStatus: 'pending' }),
        'STATUS_CHANGED',
        words,
        {
          from: 'cancelled',
          to: 'active',
        },
      );
    expectInvalid(await change(cast.owner, enrollment, { status: 'active', expectedStatus: 'done' }), [
      'expectedStatus',
    ]);
    expect(await stored(enrollment)).to.deep.equal(before);
    await change(cast.owner, enrollment, { status: 'active', expectedStatus: 'cancelled' }).expect(200);
    const left = { status: 'cancelled', expectedStatus: 'pending' };
    expectFailure(
      await change(cast.trainee, enrollment, left),
      'STATUS_CHANGED',
      'Enrollment is active by now, no longer pending. Look at it before you change it.',
      { from: 'active', to: 'cancelled' },
    );
  });

  it('accepts a known status and a reply of up to 2,000 characters', async () => {
    const enrollment = await enrolled('pending');
    for (const status of ['done', 'ACTIVE', '', null, 5]) {
      const response = await change(cast.owner, enrollment, { status });
      expectInvalid(response, ['status']);
      expect(messageOf(response)).to.equal('status must be one of pending, active, completed, cancelled.');
    }
    expectInvalid(await change(cast.owner, enrollment, { reply: 'x'.repeat(2001) }), ['status', 'reply']);
    await change(cast.owner, enrollment, { status: 'active', reply: '𝒳'.repeat(2000) }).expect(200);
  });

  it('to cancelled still shows the trainee the name of an unpublished course', async () => {
    await course.update({ isPublished: false, description: 'Changed since', thumbnail: '/api/images/1.webp' });
    const enrollment = await enrolled('active');
    const courseFor = async (by: Person, path: string) => {
      const { body } = await harness.api('get', path, by.token).expect(200);
      const { title, description, thumbnail } = (body.enrollment ?? body.enrollments[0]).course;
      return [title, description, thumbnail];
    };
    const whole = [course.title, 'Changed since', '/api/images/1.webp'];
    const paths = ['/api/enrollments', '/api/enrollments/my', `/api/enrollments/${enrollment.id}`];
    for (const path of paths) expect(await courseFor(cast.trainee, path), path).to.deep.equal(whole);
    await change(cast.trainee, enrollment, { status: 'cancelled' }).expect(200);
    for (const path of paths) expect(await courseFor(cast.trainee, path), path).to.deep.equal([course.title, '', '']);
    for (const by of [cast.owner, cast.admin]) expect(await courseFor(by, '/api/enrollments')).to.deep.equal(whole);
    await course.update({ isPublished: true });
    for (const path of paths) expect(await courseFor(cast.trainee, path), path).to.deep.equal(whole);
  });

  it('to active requires an active trainee; enrollments of any account can be ended', async () => {
    const { user } = cast.trainee;
    const enrollment = await enrolled('cancelled');
    await user.update({ isActive: false });
    expectFailure(
      await change(cast.owner, enrollment, { status: 'active' }),
      'ACCOUNT_INACTIVE',
      'Trainee account is inactive.',
    );
    await user.update({ isActive: true, role: 'trainer' });
    expectFailure(await change(cast.owner, enrollment, { status: 'active' }), 'NOT_FOUND', 'Trainee not found.');
    await user.update({ isActive: false, role: 'trainee' });
    await enrollment.update({ status: 'active' });
    await change(cast.owner, enrollment, { status: 'completed' }).expect(200);
  });

  it('is recorded for managers of the course, but not for the trainee', async () => {
    const enrollment = await enrolled('pending');
    await change(cast.trainee, enrollment, { status: 'cancelled', notes: 'Ill' }).expect(200);
    expect(await changesOf(harness, cast, enrollment.id, cast.owner)).to.deep.equal([]);
    const { body: revived } = await change(cast.owner, enrollment, { status: 'active', reply: 'Well' }).expect(200);
    const unwritten = { reply: null, replyAt: null, replyBy: null };
    const written = { reply: 'Well', replyAt: revived.enrollment.replyAt, replyBy: cast.owner.user.id };
    const { body: completed } = await change(cast.owner, enrollment, { status: 'completed' }).expect(200);
    await change(cast.owner, enrollment, { status: 'cancelled' }).expect(400);
    expect(await changesOf(harness, cast, enrollment.id, cast.owner)).to.deep.equal([
      {
        action: 'enrollment.status',
        before: { status: 'cancelled', cancelReason: 'left', ...unwritten, enrolledAt: long.toISOString() },
        after: { status: 'active', cancelReason: null, ...written, enrolledAt: revived.enrollment.enrolledAt },
      },
      {
        action: 'enrollment.status',
        before: { status: 'active', progress: 40, completedAt: null },
        after: { status: 'completed', progress: 100, completedAt: completed.enrollment.completedAt },
      },
    ]);
  });
});

describe('PUT /api/enrollments/:id/reply', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  let enrollment: Enrollment;
  beforeEach(async () => {
    const course = await buildCourse(harness.context, cast.owner.user);
    const written = { notes: 'Before', cancelReason: 'refused' } as const;
    enrollment = await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'cancelled', ...written });
  });
  const set = (by: Person, body: object) =>
    harness.api('put', `/api/enrollments/${enrollment.id}/reply`, by.token).send(body);

  it('sets only the reply, in any status; null and blank text clear it', async () => {
    const { body } = await set(cast.owner, { reply: ' In May. ' }).expect(200);
    expect(body).to.have.all.keys('message', 'enrollment');
    expect(body.message).to.equal('Reply updated successfully.');
    expect(body.enrollment.replyAt).to.satisfy(recently);
    const others = { notes: 'Before', status: 'cancelled', cancelReason: 'refused' };
    expect(body.enrollment).to.include({ ...others, reply: 'In May.', replyBy: cast.owner.user.id });
    for (const reply of [null, '', '  ']) {
      await set(cast.admin, { reply: 'In June.' }).expect(200);
      const { enrollment: shown } = (await set(cast.owner, { reply }).expect(200)).body;
      expect(shown).to.include({ ...others, reply: null, replyAt: null, replyBy: null });
    }
  });

  it('accepts a reply of up to 2,000 characters from managers of the course only', async () => {
    for (const reply of [undefined, 5, 'x'.repeat(2001), 'a\0b'])
      expectInvalid(await set(cast.owner, { reply }), ['reply']);
    expectFailure(await set(cast.foreign, { reply: 'Hi' }), 'NOT_FOUND', 'Enrollment not found.');
    expect((await set(cast.trainee, { reply: 'Hi' })).status).to.equal(403);
    await set(cast.owner, { reply: '𝒳'.repeat(2000) }).expect(200);
  });

  it('is recorded', async () => {
    const { body } = await set(cast.owner, { reply: 'In May.' }).expect(200);
    const { replyAt } = body.enrollment;
    expect(await changesOf(harness, cast, enrollment.id, cast.owner)).to.deep.equal([
      {
        action: 'enrollment.reply',
        before: { reply: null, replyAt: null, replyBy: null },
        after: { reply: 'In May.', replyAt, replyBy: cast.owner.user.id },
      },
    ]);
  });
});

describe('PUT /api/enrollments/:id/progress', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  let enrollment: Enrollment;
  beforeEach(async () => {
    const course = await buildCourse(harness.context, cast.owner.user);
    enrollment = await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'active', progress: 10 });
  });
  const set = (by: Person, progress: unknown) =>
    harness.api('put', `/api/enrollments/${enrollment.id}/progress`, by.token).send({ progress });

  it('allows managers while pending or active, the trainee while active, and nobody later', async () => {
    const { trainee, owner, admin } = cast;
    for (const [status, open] of [
      ['pending', [owner, admin]],
      ['active', [trainee, owner, admin]],
      ['completed', []],
      ['cancelled', []],
    ] as [Enrollment['status'], Person[]][]) {
      await enrollment.update({ status });
      for (const [index, by] of [trainee, owner, admin].entries()) {
        const response = await set(by, index * 50);
        if (!open.includes(by)) {
          expectFailure(response, 'STATUS_REFUSED', `Progress can't change while the enrollment is ${status}.`);
          continue;
        }
        expect(response.status, response.text).to.equal(200);
        expect(response.body).to.have.all.keys('message', 'enrollment');
        expect(response.body.enrollment).to.include({ id: enrollment.id, status, progress: index * 50 });
      }
    }
  });

  it('is a whole number from 0 to 100', async () => {
    for (const progress of [-1, 101, 1.5, '5', '', null, true, 1e300]) {
      const response = await set(cast.trainee, progress);
      expectInvalid(response, ['progress']);
      expect(messageOf(response)).to.equal('progress must be a whole number from 0 to 100.');
    }
    expect((await enrollment.reload()).progress).to.equal(10);
  });

  it('is recorded for managers of the course', async () => {
    for (const [by, progress] of [
      [cast.trainee, 20],
      [cast.owner, 20],
      [cast.owner, 30],
    ] as const)
      await set(by, progress).expect(200);
    expect(await changesOf(harness, cast, enrollment.id, cast.owner)).to.deep.equal([
      { action: 'enrollment.progress', before: { progress: 20 }, after: { progress: 30 } },
    ]);
  });
});
