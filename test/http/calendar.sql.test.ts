import { expect } from 'chai';
import fc from 'fast-check';
import ICAL from 'ical.js';
import type { Course } from '../../src/db/models/course.js';
import type { User } from '../../src/db/models/user.js';
import { createLogger } from '../../src/logger.js';
import { enrollmentStatuses } from '../../src/schemas/enrollment-statuses.js';
import { setUserActive } from '../../src/services/accounts/update-user.js';
import { operator } from '../../src/services/core.js';
import { calendarText } from '../../src/services/courses/calendar.js';
import { buildCourse, buildEnrollment, buildUser, calendarKeyOf, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { castOf, type Person } from './support/cast.js';
import { expectFailure } from './support/expectations.js';

/** Returns the text that a calendar program reads. */
function read(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const events = calendar.getAllSubcomponents('vevent').map((component) => {
    const { uid, summary, location, description, startDate, endDate } = new ICAL.Event(component);
    const property = (name: string) => component.getFirstPropertyValue(name)?.toString() ?? null;
    return {
      ...{ uid, summary, location, description },
      days: [startDate, endDate].map((time) => `${time}`),
      isDate: startDate.isDate && endDate.isDate,
      stamp: property('dtstamp'),
      transparency: property('transp'),
      status: property('status'),
    };
  });
  return { name: calendar.getFirstPropertyValue('x-wr-calname'), events };
}

const titlesIn = (text: string) => read(text).events.map(({ summary }) => summary);

/** Expects lines as in RFC 5545. */
function expectLines(text: string): void {
  expect(text.endsWith('\r\n')).to.equal(true);
  const lines = text.slice(0, -2).split('\r\n');
  for (const line of lines) {
    expect(line).not.to.match(/\p{Cc}|\p{Cs}/u);
    expect(Buffer.byteLength(line), line).to.be.at.most(75);
  }
}

const dates = { startDate: '2026-02-27', endDate: '2026-03-01' };

describe('GET /api/courses/:id/calendar.ics', () => {
  const harness = useHarness({ PUBLIC_URL: 'https://courses.example.org' });
  const calendarOf = ({ id }: Course, by?: Person) => harness.api('get', `/api/courses/${id}/calendar.ics`, by?.token);
  async function coursesWith(...given: Partial<Course>[]): Promise<Course[]> {
    const trainer = await buildUser(harness.context, { role: 'trainer' });
    return Promise.all(given.map((one) => buildCourse(harness.context, trainer, { isPublished: true, ...one })));
  }

  it('returns an all-day event that ends with the last day, with location, description and URL, shown as free time', async () => {
    const title = 'Töpfern; Glasuren, Ton \\ Brände';
    const shortDescription = 'Für alle:\nmit eigenen Stücken, Hafen; Öfen.';
    const [course] = await coursesWith({ ...dates, title, shortDescription, location: 'Werkstatt 3, Hof' });
    if (!course) throw new Error('There is no course.');
    const { text, headers } = await calendarOf(course).expect(200);
    expect(headers['content-type']).to.equal('text/calendar; charset=utf-8');
    expectLines(text);
    expect(read(text)).to.deep.equal({
      name: null,
      events: [
        {
          uid: `${course.id}@coursectl`,
          summary: title,
          location: 'Werkstatt 3, Hof',
          description: `${shortDescription}\n\nhttps://courses.example.org/courses/${course.id}`,
          days: ['2026-02-27', '2026-03-02'],
          isDate: true,
          stamp: course.updatedAt.toISOString().replace(/\.\d+/, ''),
          transparency: 'TRANSPARENT',
          status: null,
        },
      ],
    });
  });

  it('returns a sequence number that grows with each change', async () => {
    const [course] = await coursesWith(dates);
    if (!course) throw new Error('There is no course.');
    const versionAt = (updatedAt: Date) => {
      const text = calendarText(harness.context, [{ course: { ...course.get(), updatedAt } }]);
      const [event] = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
      return ['last-modified', 'sequence'].map((name) => event?.getFirstPropertyValue(name)?.toString());
    };
    expect(versionAt(new Date('2026-02-01T10:00:00.500Z'))).to.deep.equal(['2026-02-01T10:00:00Z', '1769940000']);
    expect(versionAt(new Date('2026-02-01T10:00:01Z'))).to.deep.equal(['2026-02-01T10:00:01Z', '1769940001']);
  });

  it('returns an event of one day if there is only one date, also on a leap day and at the latest date', async () => {
    for (const [given, days] of [
      [{ startDate: '2026-05-04', endDate: '2026-05-04' }, ['2026-05-04', '2026-05-05']],
      [{ startDate: '2026-12-31' }, ['2026-12-31', '2027-01-01']],
      [{ endDate: '2028-02-29' }, ['2028-02-29', '2028-03-01']],
      [{ startDate: '2028-02-28' }, ['2028-02-28', '2028-02-29']],
      // The end date of a course that never ends.
      [{ startDate: '2026-05-04', endDate: '9999-12-31' }, ['2026-05-04', '2026-05-05']],
      [{ startDate: '9999-12-31' }],
    ] as const) {
      const [course] = await coursesWith(given);
      if (!course) throw new Error('There is no course.');
      const { text } = await calendarOf(course).expect(200);
      expect(read(text).events.map((event) => event.days)).to.deep.equal(days ? [days] : []);
    }
  });

  it('gives calendar programs the exact texts, in lines of at most 75 bytes', async () => {
    const texts = fc.array(
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('👩‍👩‍👧', 'ü', '\\', ';', ',', '\n')),
    );
    const [course] = await coursesWith(dates);
    if (!course) throw new Error('There is no course.');
    fc.assert(
      fc.property(texts, (parts) => {
        const title = parts.join('');
        const text = calendarText(harness.context, [{ course: { ...course.get(), title, location: `x${title}` } }]);
        expectLines(text);
        const [event] = read(text).events;
        expect([event?.summary, event?.location]).to.deep.equal([title, `x${title}`]);
      }),
    );
  });

  it('is available to everybody who may see the course, for published courses to anybody', async () => {
    const { owner, foreign, admin, trainee } = await castOf(harness.context);
    const participant = await signIn(harness.context);
    const published = await buildCourse(harness.context, owner.user, { ...dates, isPublished: true });
    const draft = await buildCourse(harness.context, owner.user, dates);
    await buildEnrollment(harness.context, participant.user, draft, { status: 'active' });
    await buildEnrollment(harness.context, trainee.user, draft, { status: 'pending' });
    for (const by of [undefined, owner, foreign, admin, trainee]) await calendarOf(published, by).expect(200);
    for (const by of [owner, admin, participant]) await calendarOf(draft, by).expect(200);
    for (const by of [undefined, foreign, trainee])
      expectFailure(await calendarOf(draft, by), 'NOT_FOUND', 'Course not found.');
  });

  it('uses PUBLIC_URL for private addresses of calendars, too', async () => {
    const { token } = await signIn(harness.context);
    const { url } = (await harness.api('post', '/api/auth/calendar', token).expect(201)).body;
    expect(url).to.match(/^https:\/\/courses\.example\.org\/api\/calendars\/[\w-]{43}\.ics$/);
  });

  it('returns 404 for a course without dates', async () => {
    const [course] = await coursesWith({});
    if (!course) throw new Error('There is no course.');
    expectFailure(await calendarOf(course), 'NOT_FOUND', 'The course has no dates yet.');
  });
});

describe('The private address of a calendar', () => {
  const lines: string[] = [];
  const harness = useHarness(
    { PROGRAMME_NAME: 'Töpferei, Hof' },
    createLogger('trace', { write: (line) => void lines.push(line) }),
  );
  const own = (method: 'get' | 'post' | 'delete', { token }: Person) =>
    harness.api(method, '/api/auth/calendar', token);
  const createFor = async (person: Person): Promise<string> => (await own('post', person).expect(201)).body.url;
  const calendarOf = async (user: User) => {
    const key = await calendarKeyOf(harness.context, user);
    return (await harness.api('get', `/api/calendars/${key}.ics`).expect(200)).text;
  };
  const courseOf = (trainer: User, title: string, given: Partial<Course> = {}) =>
    buildCourse(harness.context, trainer, { ...dates, title, isPublished: true, ...given });

  it('shows trainees their pending, active and completed courses, with the visibility rules of the API', async () => {
    const { owner, trainee } = await castOf(harness.context);
    for (const status of enrollmentStatuses)
      for (const isPublished of [true, false]) {
        const course = await courseOf(owner.user, `${status} ${isPublished ? 'published' : 'draft'}`, { isPublished });
        await buildEnrollment(harness.context, trainee.user, course, { status });
      }
    await courseOf(owner.user, "somebody else's");
    await buildEnrollment(
      harness.context,
      trainee.user,
      await courseOf(owner.user, 'undated', { startDate: null, endDate: null }),
    );
    const { name, events } = read(await calendarOf(trainee.user));
    // ical.js doesn't convert unknown property names.
    expect(name).to.equal('Töpferei\\, Hof');
    expect(events.map(({ summary, status }) => [summary, status])).to.have.deep.members([
      ['pending published', 'TENTATIVE'],
      ['active published', null],
      ['active draft', null],
      ['completed published', null],
    ]);
  });

  it('shows trainers their own courses, and is empty without any', async () => {
    const { owner, foreign } = await castOf(harness.context);
    await courseOf(owner.user, 'A');
    await courseOf(owner.user, 'B', { isPublished: false, startDate: null });
    await courseOf(owner.user, 'C', { startDate: null, endDate: null });
    expect(titlesIn(await calendarOf(owner.user))).to.have.members(['A', 'B']);
    expect(read(await calendarOf(foreign.user))).to.deep.equal({ name: 'Töpferei\\, Hof', events: [] });
  });

  it('shows the 500 courses with the latest dates', async () => {
    const { owner, trainee } = await castOf(harness.context);
    const first = await courseOf(owner.user, 'too long ago', { startDate: null, endDate: '2001-01-01' });
    const { id: _, tags: __, ...fields } = first.get({ plain: true }) as Course & { tags: unknown };
    const { Course, Enrollment } = harness.context.database.models;
    const numbers = Array.from({ length: 500 }, (_one, index) => String(index).padStart(3, '0'));
    const courses = await Course.bulkCreate(
      numbers.map((number) => ({ ...fields, id: `course-${number}`, title: number, ...dates })),
    );
    await Enrollment.bulkCreate(
      [first, ...courses].map(({ id }, index) => ({
        ...{ id: `enrollment-${index}`, userId: trainee.user.id, courseId: id, trainerId: owner.user.id },
        ...{ status: 'active', enrolledAt: new Date() },
      })),
    );
    for (const person of [owner, trainee]) {
      const text = await calendarOf(person.user);
      expectLines(text);
      expect(titlesIn(text)).to.have.members(numbers);
    }
  });

  it('is created, shown only once, replaced and revoked by its user, without an audit entry', async () => {
    const { trainee } = await castOf(harness.context);
    const state = async () => (await own('get', trainee).expect(200)).body;
    expect(await state()).to.deep.equal({ createdAt: null, lastUsedAt: null });
    const before = harness.context.now().getTime();
    const first = await createFor(trainee);
    expect(first).to.match(/^\/api\/calendars\/[\w-]{43}\.ics$/);
    const { createdAt, lastUsedAt } = await state();
    expect(Date.parse(createdAt)).to.be.within(before, harness.context.now().getTime());
    expect(lastUsedAt).to.equal(null);
    await harness.api('get', first).expect(200);
    const second = await createFor(trainee);
    expect((await harness.api('get', first)).status).to.equal(404);
    await harness.api('get', second).expect(200);
    await own('delete', trainee).expect(200);
    await own('delete', trainee).expect(200);
    expect((await harness.api('get', second)).status).to.equal(404);
    expect(await state()).to.deep.equal({ createdAt: null, lastUsedAt: null });
    expect(await harness.context.database.models.AuditEntry.count()).to.equal(0);
  });

  it('exists only once per account, even after concurrent requests', async () => {
    const { trainee } = await castOf(harness.context);
    const urls = await Promise.all(Array.from({ length: 5 }, () => createFor(trainee)));
    const statuses = await Promise.all(urls.map(async (url) => (await harness.api('get', url)).status));
    expect(statuses.sort()).to.deep.equal([200, 404, 404, 404, 404]);
  });

  it('returns 404 for unknown keys, inactive accounts, the super admin and deleted accounts', async () => {
    const { trainee, admin } = await castOf(harness.context);
    const url = await createFor(trainee);
    const expectNone = async (path: string) =>
      expectFailure(await harness.api('get', path), 'NOT_FOUND', 'Calendar not found.');
    await expectNone(`/api/calendars/${'A'.repeat(43)}.ics`);
    await expectNone(`/api/calendars/${await calendarKeyOf(harness.context, admin.user)}.ics`);
    await setUserActive(harness.context, operator, trainee.user.id, false);
    await expectNone(url);
    await setUserActive(harness.context, operator, trainee.user.id, true);
    await harness.api('get', url).expect(200);
    await harness.api('delete', `/api/users/${trainee.user.id}`, admin.token).expect(200);
    await expectNone(url);
    expect(await harness.context.database.models.Calendar.count()).to.equal(1);
    expectFailure(await own('post', admin), 'TRAINEE_REQUIRED', 'Only trainees and trainers have a calendar.');
  });

  it('shows its user the hour of its last use', async () => {
    const { trainee } = await castOf(harness.context);
    const url = await createFor(trainee);
    const usedAt = async () => {
      await harness.api('get', url).expect(200);
      return (await own('get', trainee).expect(200)).body.lastUsedAt as string;
    };
    const first = harness.context.now();
    expect(Date.parse(await usedAt())).to.be.at.least(first.getTime());
    const noted = await usedAt();
    harness.advance(59 * 60_000);
    expect(await usedAt()).to.equal(noted);
    harness.advance(60_000);
    expect(Date.parse(await usedAt()) - Date.parse(noted)).to.be.at.least(3_600_000);
  });

  it('is stored as a hash, and never logged, even if mistyped', async () => {
    const { trainee } = await castOf(harness.context);
    const key = /calendars\/(.*)\.ics/.exec(await createFor(trainee))?.[1] ?? '';
    lines.length = 0;
    const paths = [
      `/api/calendars/${key}.ics`,
      `/api/calendars/${key}`,
      `/api/%63alendars/${key}.ics`,
      `/api/calendars%2F${key}.ics`,
      `/%zz/api/calendars%2f${key}%`,
      `/API/Calendars/${key}.ICS`,
      `//api/calendars/${key}.ics/x?y`,
    ];
    for (const path of paths) await harness.api('get', path);
    await harness.api('delete', `/api/calendars/${key}.ics`).expect(405);
    while (lines.filter((line) => line.includes('"msg":"request"')).length <= paths.length)
      await new Promise(setImmediate);
    expect(lines.join('')).to.include('"path":"/api/calendars/:key.ics"').and.not.include(key);
    const { Calendar } = harness.context.database.models;
    expect(JSON.stringify(await Calendar.findAll())).not.to.include(key);
  });
});
