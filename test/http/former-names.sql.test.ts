import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import type { Enrollment } from '../../src/db/models/enrollment.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Person, useCast } from './support/cast.js';

describe('A rename since the enrollment', () => {
  const harness = useHarness();
  const { api } = harness;
  const cast = useCast(harness);
  let course: Course;
  let enrollment: Enrollment;
  beforeEach(async () => {
    course = await buildCourse(harness.context, cast.owner.user, { isPublished: true });
    enrollment = await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'active' });
  });
  const rename = (names: object) => api('put', '/api/auth/profile', cast.trainee.token).send(names).expect(200);
  const setStatus = (status: string, by: Person) =>
    api('put', `/api/enrollments/${enrollment.id}/status`, by.token).send({ status });
  const shownTo = async ({ token }: Person) =>
    (await api('get', `/api/enrollments/${enrollment.id}`, token).expect(200)).body.enrollment.formerName;

  it('is shown in all responses with the enrollment for managers of the course', async () => {
    const { owner, admin } = cast;
    const seen = async () => {
      const names = [await shownTo(owner), await shownTo(admin)];
      for (const [path, by] of [
        ['/api/enrollments', owner],
        ['/api/enrollments', admin],
        [`/api/enrollments/trainer/${owner.user.id}`, owner],
      ] as const)
        names.push((await api('get', path, by.token).expect(200)).body.enrollments[0].formerName);
      const { body } = await api('get', `/api/enrollments/course/${course.id}/trainees`, owner.token).expect(200);
      return [...names, body.trainees[0].formerName];
    };
    expect(await seen()).to.deep.equal(Array(6).fill(null));
    await rename({ lastName: 'Byron' });
    expect(await seen()).to.deep.equal(Array(6).fill('Ada Lovelace'));
  });

  it('is never shown to trainees', async () => {
    await rename({ lastName: 'Byron' });
    expect(await shownTo(cast.trainee)).to.equal(null);
    for (const path of ['/api/enrollments', '/api/enrollments/my'])
      expect((await api('get', path, cast.trainee.token).expect(200)).text, path).not.to.include('Lovelace');
  });

  it('keeps the first former name after more renames, and disappears after a rename to this name', async () => {
    await rename({ lastName: 'Byron' });
    await rename({ firstName: 'Augusta' });
    expect(await shownTo(cast.owner)).to.equal('Ada Lovelace');
    await rename({ firstName: 'Ada', lastName: 'Lovelace' });
    expect(await shownTo(cast.owner)).to.equal(null);
    await rename({ lastName: 'King' });
    expect(await shownTo(cast.owner)).to.equal('Ada Lovelace');
  });

  it('ignores other changes, and renames before the enrollment', async () => {
    await rename({ phone: '+44 20 7946 0009' });
    expect(await shownTo(cast.owner)).to.equal(null);
    const { updatedAt } = enrollment;
    const other = await buildEnrollment(harness.context, await buildUser(harness.context), course);
    harness.advance(1000);
    await rename({ lastName: 'Byron' });
    await Promise.all([enrollment.reload(), other.reload()]);
    expect(enrollment).to.deep.include({ formerName: 'Ada Lovelace', updatedAt });
    expect(other.formerName).to.equal(null);
    const second = await buildCourse(harness.context, cast.owner.user, { isPublished: true });
    const { body } = await api('post', '/api/enrollments', cast.trainee.token).send({ courseId: second.id });
    const later = await harness.context.database.models.Enrollment.findByPk(body.enrollment.id);
    expect(later?.formerName).to.equal(null);
  });

  it('stays visible when the trainee leaves and requests enrollment again', async () => {
    await rename({ lastName: 'Byron' });
    await setStatus('cancelled', cast.trainee).expect(200);
    const { body } = await api('post', '/api/enrollments', cast.trainee.token).send({ courseId: course.id });
    expect(body.enrollment).to.include({ id: enrollment.id, status: 'pending' });
    expect(await shownTo(cast.owner)).to.equal('Ada Lovelace');
  });

  it('puts the current name of the account on the certificate, in all responses', async () => {
    await rename({ firstName: 'Augusta Ada', lastName: 'Byron' });
    const { certificate: code } = (await setStatus('completed', cast.owner).expect(200)).body.enrollment;
    const names = { firstName: 'Augusta Ada', lastName: 'Byron' };
    expect((await api('get', `/api/certificates/${code}`).expect(200)).body.certificate).to.include(names);
    const { body } = await api('get', '/api/certificates', cast.owner.token).expect(200);
    expect(body.certificates[0]).to.include(names);
    expect(await shownTo(cast.owner)).to.equal('Ada Lovelace');
  });

  it('succeeds together with a concurrent completion; the certificate has the name before or after the rename', async () => {
    const { Certificate } = harness.context.database.models;
    for (let round = 0; round < 8; round += 1) {
      const names = { firstName: 'Ada', lastName: `Byron ${'x'.repeat(round + 1)}` };
      const [, { body }] = await Promise.all([rename(names), setStatus('completed', cast.owner).expect(200)]);
      const certificate = await Certificate.findOne({ where: { code: body.enrollment.certificate } });
      const before = `Byron ${'x'.repeat(round)}`.trim().replace(/^Byron$/, 'Lovelace');
      expect([before, names.lastName]).to.include(certificate?.lastName);
      expect(await shownTo(cast.owner)).to.equal('Ada Lovelace');
      await setStatus('active', cast.owner).expect(200);
    }
  });
});
