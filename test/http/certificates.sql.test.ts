import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import request from 'supertest';
import type { Course } from '../../src/db/models/course.js';
import { createApp } from '../../src/http/server/app.js';
import { createLogger } from '../../src/logger.js';
import { operator } from '../../src/services/core.js';
import { changeStatus } from '../../src/services/enrollments/change-status.js';
import { mailSettings } from '../support/environment.js';
import { buildCertificate, buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { type Harness, relaxedDeadlines, useHarness } from '../support/harness.js';
import { useMailServer } from '../support/mailbox.js';
import { castOf, changesOf, useCast } from './support/cast.js';
import { expectFailure } from './support/expectations.js';

const invalid = { valid: false };
const aCode = /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){6}$/;

describe('A certificate', () => {
  const harness = useHarness({}, undefined, { deadlines: relaxedDeadlines });
  const { api } = harness;
  const cast = useCast(harness);
  let course: Course;
  beforeEach(async () => {
    const dates = { startDate: '2026-01-05', endDate: '2026-01-30' };
    course = await buildCourse(harness.context, cast.owner.user, { title: 'Compilers', isPublished: true, ...dates });
  });
  const issue = () => buildCertificate(harness.context, cast.trainee.user, course);
  const verify = async (code: string) => (await api('get', `/api/certificates/${code}`).expect(200)).body;
  const setStatus = (id: string, status: string, by = cast.owner) =>
    api('put', `/api/enrollments/${id}/status`, by.token).send({ status });
  const list = async (query = '', by = cast.admin) =>
    (await api('get', `/api/certificates${query}`, by.token).expect(200)).body.certificates;

  it('is issued with the completion, and can be checked by everybody who has its code', async () => {
    const { id } = await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'active' });
    const { body } = await setStatus(id, 'completed').expect(200);
    const { certificate: code, completedAt } = body.enrollment;
    expect(code).to.match(aCode);
    expect(await verify(code)).to.deep.equal({
      valid: true,
      certificate: {
        code,
        firstName: 'Ada',
        lastName: 'Lovelace',
        courseTitle: 'Compilers',
        trainerName: 'Grace Hopper',
        startDate: '2026-01-05',
        endDate: '2026-01-30',
        completedOn: new Date(completedAt).toLocaleDateString('sv-SE'),
        programme: 'coursectl',
        logo: '/api/logo',
        url: null,
      },
    });
  });

  it('is found by its code in any notation', async () => {
    const { code } = await issue();
    for (const typed of [code.toLowerCase(), code.replaceAll('-', ''), code.replaceAll('0', 'o').replaceAll('1', 'l')])
      expect(await verify(typed), typed).to.include({ valid: true });
  });

  it('keeps names, title and dates from the day of completion', async () => {
    const { code } = await issue();
    const before = await verify(code);
    await cast.trainee.user.update({ firstName: 'Augusta' });
    await cast.owner.user.update({ lastName: 'Murray' });
    await course.update({ title: 'Interpreters', startDate: null, endDate: null });
    expect(await verify(code)).to.deep.equal(before);
  });

  it('returns the same response if it is unknown or revoked', async () => {
    for (const code of ['0000-0000-0000-0000-0000-0000-0000', 'x', encodeURIComponent("é'--"), 'A'.repeat(2000)])
      expect(await verify(code), code).to.deep.equal(invalid);
    const { code } = await issue();
    await api('delete', `/api/certificates/${code}`, cast.owner.token).expect(200);
    expect(await verify(code)).to.deep.equal(invalid);
  });

  it('is revoked when the completion is undone; a new completion issues a new code', async () => {
    const { code, enrollment } = await issue();
    const { body } = await setStatus(enrollment.id, 'active').expect(200);
    expect(body.enrollment.certificate).to.equal(null);
    expect(await verify(code)).to.deep.equal(invalid);
    const again = (await setStatus(enrollment.id, 'completed').expect(200)).body.enrollment.certificate;
    expect(again).to.match(aCode).and.not.equal(code);
    expect(await verify(again)).to.include({ valid: true });
    expect(await verify(code)).to.deep.equal(invalid);
  });

  const removals: Record<string, (id: string) => Promise<unknown>> = {
    'the enrollment is removed': (id) => api('delete', `/api/enrollments/${id}`, cast.owner.token).expect(200),
    'the database alone removes the enrollment': (id) =>
      harness.context.database.sequelize.query(`DELETE FROM enrollments WHERE id = '${id}'`),
  };
  for (const [what, remove] of Object.entries(removals))
    it(`is revoked, and kept, when ${what}`, async () => {
      const { code, enrollment } = await issue();
      await remove(enrollment.id);
      expect(await verify(code)).to.deep.equal(invalid);
      const [kept] = await list('?valid=false');
      expect(kept).to.include({ code, valid: false, enrollmentId: null, firstName: 'Ada', courseId: course.id });
      if (!what.includes('alone')) expect(kept.revokedAt).to.be.a('string');
    });

  it('is deleted with its person', async () => {
    const { code } = await issue();
    await api('delete', `/api/users/${cast.trainee.user.id}`, cast.admin.token).expect(200);
    expect(await verify(code)).to.deep.equal(invalid);
    expect(await list()).to.deep.equal([]);
  });

  it('is shown with the enrollment to its trainee and managers of the course', async () => {
    const { code, enrollment } = await issue();
    const { trainee, owner, admin } = cast;
    for (const [path, by] of [
      ['/api/enrollments', trainee],
      ['/api/enrollments/my', trainee],
      ['/api/enrollments', owner],
      [`/api/enrollments/trainer/${owner.user.id}`, admin],
    ] as const)
      expect((await api('get', path, by.token).expect(200)).body.enrollments[0].certificate, path).to.equal(code);
    const trainees = await api('get', `/api/enrollments/course/${course.id}/trainees`, owner.token).expect(200);
    expect(trainees.body.trainees[0].enrollment.certificate).to.equal(code);
    const shown = await api('get', `/api/enrollments/${enrollment.id}`, trainee.token).expect(200);
    expect(shown.body.enrollment.certificate).to.equal(code);
    const replied = await api('put', `/api/enrollments/${enrollment.id}/reply`, owner.token).send({
      reply: 'Well done',
    });
    expect(replied.body.enrollment.certificate).to.equal(code);
    await api('delete', `/api/certificates/${code}`, admin.token).expect(200);
    const { body } = await api('get', '/api/enrollments/my', trainee.token).expect(200);
    expect(body.enrollments[0]).to.include({ status: 'completed', certificate: null });
  });

  it('is listed for the super admin and the trainer of the course, newest first, by course, person and state', async () => {
    const other = await buildCourse(harness.context, cast.foreign.user);
    const first = await issue();
    harness.advance(1000);
    const second = await buildCertificate(harness.context, await buildUser(harness.context), course);
    harness.advance(1000);
    const third = await buildCertificate(harness.context, cast.trainee.user, other);
    await api('delete', `/api/certificates/${second.code}`, cast.owner.token).expect(200);
    const codes = async (query: string, by = cast.admin) =>
      (await list(query, by)).map(({ code }: { code: string }) => code);
    expect(await codes('')).to.deep.equal([third.code, second.code, first.code]);
    expect(await codes('', cast.owner)).to.deep.equal([second.code, first.code]);
    expect(await codes('', cast.foreign)).to.deep.equal([third.code]);
    expect(await codes(`?courseId=${course.id}&valid=true`)).to.deep.equal([first.code]);
    expect(await codes(`?userId=${cast.trainee.user.id}`)).to.deep.equal([third.code, first.code]);
    expect(await codes('?valid=false')).to.deep.equal([second.code]);
    expect(await codes(`?limit=1&afterId=${(await list())[0].id}`)).to.deep.equal([second.code]);
    await course.update({ trainerId: cast.foreign.user.id });
    expect(await codes('', cast.owner)).to.deep.equal([]);
  });

  it('can be revoked only once, by managers of the course, and the enrollment stays completed', async () => {
    const { code, enrollment } = await issue();
    const path = `/api/certificates/${code.toLowerCase()}`;
    expectFailure(await api('delete', path, cast.foreign.token), 'NOT_FOUND', 'Certificate not found.');
    expectFailure(await api('delete', path, cast.trainee.token), 'TRAINER_REQUIRED');
    const { body } = await api('delete', path, cast.owner.token).expect(200);
    expect(body.certificate).to.include({ code, valid: false, enrollmentId: null });
    expect((await api('delete', path, cast.owner.token).expect(200)).body.certificate).to.deep.equal(body.certificate);
    const { userId, courseId } = enrollment;
    expect(await changesOf(harness, cast, enrollment.id, cast.owner)).to.deep.equal([
      { action: 'enrollment.revoke-certificate', before: { userId, courseId, certificate: code }, after: null },
    ]);
    const { body: after } = await api('get', `/api/enrollments/${enrollment.id}`, cast.owner.token).expect(200);
    expect(after.enrollment).to.include({ status: 'completed', certificate: null });
  });

  it('is issued only once for concurrent completions', async () => {
    const { id } = await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'active' });
    const responses = await Promise.all(Array.from({ length: 8 }, () => setStatus(id, 'completed')));
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([200, 400, 400, 400, 400, 400, 400, 400]);
    expect(await list()).to.have.length(1);
  });

  const rivals: Record<string, (id: string) => Promise<unknown>> = {
    'the enrollment is removed': (id) => api('delete', `/api/enrollments/${id}`, cast.owner.token),
    'the course is deleted': () => api('delete', `/api/courses/${course.id}?force=true`, cast.admin.token),
    'the person is deleted': () => api('delete', `/api/users/${cast.trainee.user.id}`, cast.admin.token),
  };
  for (const [what, rival] of Object.entries(rivals))
    it(`isn't valid after the enrollment was completed while ${what}`, async () => {
      const { id } = await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'active' });
      const [{ body }] = await Promise.all([setStatus(id, 'completed'), rival(id)]);
      expect(await list('?valid=true')).to.deep.equal([]);
      if (body.enrollment) expect(await verify(body.enrollment.certificate)).to.deep.equal(invalid);
      for (const { revokedAt } of await list()) expect(revokedAt).to.be.a('string');
    });
});

describe('A certificate of a programme with settings', () => {
  const settings = { ...mailSettings, PROGRAMME_NAME: 'Abendschule', TIME_ZONE: 'Pacific/Kiritimati' };
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  const harness = useHarness(settings, logger);
  const mailbox = useMailServer(harness);

  it('has the name of the programme, the day in its time zone, and the URL to check it', async () => {
    const { context } = harness;
    const { owner, trainee } = await castOf(context);
    const course = await buildCourse(context, owner.user);
    const { id } = await buildEnrollment(context, trainee.user, course, { status: 'active' });
    const now = () => new Date('2026-03-31T11:00:00Z');
    const { certificate } = await changeStatus({ ...context, now }, operator, id, { status: 'completed' });
    const { body } = await harness.api('get', `/api/certificates/${certificate?.code}`).expect(200);
    expect(body.certificate).to.include({
      completedOn: '2026-04-01',
      programme: 'Abendschule',
      url: `https://courses.example.org/certificates/${certificate?.code}`,
    });
  });

  it('has a code that is never logged, neither by the API nor by the page', async () => {
    const { owner, trainee } = await castOf(harness.context);
    const { code } = await buildCertificate(
      harness.context,
      trainee.user,
      await buildCourse(harness.context, owner.user),
    );
    lines.length = 0;
    for (const path of [`/api/certificates/${code}`, `/certificates/${code}`, `/API/Certificates/${code}/x`])
      await harness.api('get', path);
    while (lines.filter((line) => line.includes('"msg":"request"')).length < 3) await new Promise(setImmediate);
    expect(lines.join('')).to.include('"path":"/certificates/:code"').and.not.include(code);
  });

  it('is linked in the mail about the completion, unless it was revoked before', async () => {
    const { context, api } = harness;
    const { owner, trainee } = await castOf(context);
    const links = [];
    for (const isRevoked of [false, true]) {
      const course = await buildCourse(context, owner.user, { isPublished: true });
      const { id } = await buildEnrollment(context, trainee.user, course, { status: 'active' });
      const { body } = await api('put', `/api/enrollments/${id}/status`, owner.token).send({ status: 'completed' });
      const code = body.enrollment.certificate;
      if (isRevoked) await api('delete', `/api/certificates/${code}`, owner.token).expect(200);
      const expected = isRevoked ? `courses/${course.id}` : `certificates/${code}`;
      const [mail] = await mailbox.deliver();
      links.push(mail?.text.includes(`\nhttps://courses.example.org/${expected}\n`));
    }
    expect(links).to.deep.equal([true, true]);
  });
});

describe("The programme's logo", () => {
  const harness = useHarness();
  const file = (name: string, content: string | Buffer) => {
    const made = path.join(harness.context.config.dataDir, name);
    writeFileSync(made, content);
    return made;
  };
  const appWith = ({ context }: Harness, logo?: string) => {
    const { name } = context.config.programme;
    return createApp({ ...context, config: { ...context.config, programme: { name, ...(logo && { logo }) } } });
  };

  it('is served to everybody, as an image without scripts', async () => {
    const webp = await sharp({ create: { width: 4, height: 3, channels: 3, background: 'teal' } })
      .webp()
      .toBuffer();
    for (const [logo, type] of [
      [file('logo.svg', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'],
      [file('logo.webp', webp), 'image/webp'],
    ] as const) {
      const { headers } = await request(appWith(harness, logo)).get('/api/logo').expect(200);
      expect(headers).to.include({
        'content-type': type,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        'cache-control': 'public, max-age=3600',
      });
      const again = () => request(appWith(harness, logo)).get('/api/logo');
      await again()
        .set('If-None-Match', headers.etag ?? '')
        .expect(304);
      await again().set('If-None-Match', '"another"').expect(200);
      await again().set('Range', 'bytes=0-3').expect(206).expect('Content-Length', '4');
    }
    await request(appWith(harness)).get('/api/logo').expect(404);
  });

  it('prevents the start if it is missing, not an image, or too large', () => {
    for (const [logo, why] of [
      ['/nowhere/logo.svg', "can't be read (ENOENT)"],
      [harness.context.config.dataDir, "isn't a file"],
      [file('logo.png', 'GIF89a'), 'is no SVG, PNG or WebP image'],
      [file('page.svg', '<html><script>1</script></html>'), 'is no SVG, PNG or WebP image'],
      [file('large.svg', `<svg>${' '.repeat(1_000_000)}</svg>`), 'has 1000011 bytes: at most 1000000'],
    ] as const)
      expect(() => appWith(harness, logo), logo).to.throw(`PROGRAMME_LOGO, ${logo}, ${why}`);
  });
});
