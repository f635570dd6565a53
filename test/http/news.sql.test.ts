import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import type { Mail } from '../../src/db/models/mail.js';
import { transferSuperAdmin } from '../../src/services/accounts/transfer.js';
import { operator } from '../../src/services/core.js';
import { assignEnrollment } from '../../src/services/enrollments/enroll.js';
import { promote } from '../../src/services/waiting-list/promotion.js';
import { mailSettings } from '../support/environment.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { useMailServer } from '../support/mailbox.js';
import { castOf, type Person, useCast } from './support/cast.js';
import { expectInvalid } from './support/expectations.js';

const quarterMs = 15 * 60_000;

describe('News', () => {
  const harness = useHarness(mailSettings);
  const cast = useCast(harness);
  let course: Course;
  let ada: string;
  beforeEach(async () => {
    course = await buildCourse(harness.context, cast.owner.user, { isPublished: true });
    ada = cast.trainee.user.id;
  });

  const mails = () => harness.context.database.models.Mail.findAll({ order: [['id', 'ASC']] });
  const told = async () => (await mails()).map(({ kind, userId, courseId }) => ({ kind, userId, courseId }));
  const dataOf = ({ data }: Mail) => JSON.parse(data);
  const about = (kind: string, userId = ada) => ({ kind, userId, courseId: course.id });
  const enroll = (by: Person, more: object = {}) =>
    harness
      .api('post', '/api/enrollments/assign', by.token)
      .send({ courseId: course.id, traineeId: ada, ...more })
      .expect(201);
  const setStatus = (id: string, by: Person, status: string, more: object = {}) =>
    harness.api('put', `/api/enrollments/${id}/status`, by.token).send({ status, ...more });
  const ask = (by = cast.trainee, at = course) =>
    harness.api('post', '/api/enrollments', by.token).send({ courseId: at.id, notes: 'Mornings only' });

  it('notifies refused and removed people, with a reply written with the change but without earlier notes', async () => {
    for (const status of ['pending', 'active'] as const) {
      const trainee = await buildUser(harness.context);
      const noted = { status, notes: 'Mornings only' };
      const { id } = await buildEnrollment(harness.context, trainee, course, noted);
      const reply = status === 'pending' ? { reply: 'Full.\nTry in May' } : {};
      await setStatus(id, cast.owner, 'cancelled', reply).expect(200);
    }
    const rows = await mails();
    expect(rows.map(({ kind }) => kind)).to.deep.equal(['refused', 'refused']);
    expect(rows.map(dataOf)).to.deep.equal([{ reply: 'Full.\nTry in May' }, {}]);
  });

  it('contains the reply of the change, and no earlier one', async () => {
    await enroll(cast.owner, { reply: 'Welcome' });
    const { id } = await buildEnrollment(harness.context, await buildUser(harness.context), course);
    await setStatus(id, cast.owner, 'active', { reply: 'See you' }).expect(200);
    await setStatus(id, cast.owner, 'cancelled').expect(200);
    await setStatus(id, cast.owner, 'active', { reply: null }).expect(200);
    const traineeIds = [(await buildUser(harness.context)).id];
    const body = { courseId: course.id, traineeIds, reply: 'All of you' };
    await harness.api('post', '/api/enrollments/bulk', cast.owner.token).send(body).expect(201);
    expect((await mails()).map((mail) => [mail.kind, dataOf(mail)])).to.deep.equal([
      ['enrolled', { reply: 'Welcome' }],
      ['accepted', { reply: 'See you' }],
      ['refused', {}],
      ['enrolled', {}],
      ['enrolled', { reply: 'All of you' }],
    ]);
  });

  it('is queued under its author, or under the trainer if a seat became free', async () => {
    const person = async () => (await buildUser(harness.context)).id;
    await enroll(cast.owner);
    await enroll(cast.admin, { traineeId: await person() });
    const bulk = { courseId: course.id, traineeIds: [await person()] };
    await harness.api('post', '/api/enrollments/bulk', cast.admin.token).send(bulk).expect(201);
    await assignEnrollment(harness.context, operator, { courseId: course.id, traineeId: await person() }, true);
    const waiting = await buildUser(harness.context);
    await buildEnrollment(harness.context, waiting, course, { status: 'waiting', waitingNumber: 1 });
    await promote(harness.context, [course.id], { signal: new AbortController().signal });
    const [owner, admin] = [cast.owner.user.id, cast.admin.user.id];
    expect((await mails()).map(({ kind, queueOwner }) => [kind, queueOwner])).to.deep.equal([
      ['enrolled', owner],
      ['enrolled', admin],
      ['enrolled', admin],
      ['enrolled', 'operator'],
      ['moved_up', owner],
      ['requests', owner],
    ]);
  });

  it('sends one mail per person of a bulk action, and none to skipped people', async () => {
    const trainees = await Promise.all([1, 2, 3].map(() => buildUser(harness.context)));
    const traineeIds = [...trainees.map(({ id }) => id), ada];
    await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'active' });
    const body = { courseId: course.id, traineeIds };
    await harness.api('post', '/api/enrollments/bulk', cast.owner.token).send(body).expect(201);
    const expected = trainees.map(({ id }) => about('enrolled', id));
    expect(await told()).to.have.deep.members(expected);
  });

  it('is not sent for unpublished courses, to inactive people, or if the person has turned the kind off', async () => {
    const off = await buildUser(harness.context);
    const { id } = await buildEnrollment(harness.context, off, course);
    await off.update({ mailOff: 'completed accepted' }, { silent: true });
    await setStatus(id, cast.owner, 'active').expect(200);
    const inactive = await buildUser(harness.context, { isActive: false });
    const pending = await buildEnrollment(harness.context, inactive, course);
    await setStatus(pending.id, cast.owner, 'active').expect(200);
    await course.update({ isPublished: false });
    await enroll(cast.owner);
    expect(await told()).to.deep.equal([]);
  });

  it('collects the requests of a quarter of an hour in one mail to the trainer', async () => {
    const other = await buildCourse(harness.context, cast.owner.user, { isPublished: true });
    const foreign = await buildCourse(harness.context, cast.foreign.user, { isPublished: true });
    const asking = await Promise.all([1, 2].map(() => signIn(harness.context)));
    await ask().expect(201);
    for (const person of asking) await ask(person, other).expect(201);
    await ask(cast.trainee, foreign).expect(201);
    await ask().expect(400);
    const rows = await mails();
    const digest = (trainer: Person) => ({
      kind: 'requests',
      userId: trainer.user.id,
      dedupeKey: `requests:${trainer.user.id}`,
    });
    expect(rows.map(({ kind, userId, dedupeKey }) => ({ kind, userId, dedupeKey }))).to.deep.equal([
      digest(cast.owner),
      digest(cast.foreign),
    ]);
    for (const { nextAt, createdAt } of rows) expect(Number(nextAt) - Number(createdAt)).to.equal(quarterMs);
  });

  it('sends one digest for many concurrent requests', async () => {
    const asking = await Promise.all(Array.from({ length: 12 }, () => signIn(harness.context)));
    const courses = [course, await buildCourse(harness.context, cast.owner.user, { isPublished: true })];
    const asked = await Promise.all(asking.map((person, index) => ask(person, courses[index % 2])));
    expect(asked.map(({ status }) => status)).to.deep.equal(asking.map(() => 201));
    expect(await mails()).to.have.length(1);
  });

  it('notifies both people about a transfer of the super admin role', async () => {
    const [from, to] = [cast.admin.user, cast.foreign.user];
    await transferSuperAdmin(harness.context, operator, { from: from.id, to: to.id });
    const rows = await mails();
    expect(rows.map(({ kind, userId, address }) => [kind, userId, address])).to.deep.equal([
      ['role-transferred', from.id, from.email],
      ['role-transferred', to.id, to.email],
    ]);
    expect(rows.map(dataOf)).to.deep.equal([
      { isNew: false, other: 'Alan Turing' },
      { isNew: true, other: `${from.firstName} ${from.lastName}` },
    ]);
  });
});

describe('News at a mail server', () => {
  const harness = useHarness(mailSettings);
  const mailbox = useMailServer(harness);

  it('contains the reply to a refused request; the digest contains the requests of the next quarter of an hour', async () => {
    const { owner, trainee } = await castOf(harness.context);
    const given = { isPublished: true, title: 'Knots' };
    const course = await buildCourse(harness.context, owner.user, given);
    const refused = await buildEnrollment(harness.context, trainee.user, course);
    const change = { status: 'cancelled', notes: 'Try in May' };
    await harness.api('put', `/api/enrollments/${refused.id}/status`, owner.token).send(change).expect(200);
    const other = await signIn(harness.context);
    await harness.api('post', '/api/enrollments', other.token).send({ courseId: course.id }).expect(201);
    const [reply, ...early] = await mailbox.deliver();
    expect(early).to.deep.equal([]);
    expect(reply?.to).to.deep.equal([trainee.user.email]);
    expect(reply?.text).to.include('Knots').and.include('Try in May');
    harness.advance(quarterMs);
    const digest = (await mailbox.deliver()).at(-1);
    expect(digest?.to).to.deep.equal([owner.user.email]);
    expect(digest?.text).to.include('Knots');
  });

  it('is not sent if the course is unpublished before the mail is sent', async () => {
    const { owner, trainee } = await castOf(harness.context);
    const course = await buildCourse(harness.context, owner.user, { isPublished: true });
    const assigned = { courseId: course.id, traineeId: trainee.user.id };
    await harness.api('post', '/api/enrollments/assign', owner.token).send(assigned).expect(201);
    await course.update({ isPublished: false });
    expect(await mailbox.deliver()).to.deep.equal([]);
    expect((await harness.context.database.models.Mail.findOne())?.state).to.equal('withdrawn');
  });
});

describe('/api/mail-preferences', () => {
  const harness = useHarness(mailSettings);
  const path = '/api/mail-preferences';
  const ofTrainees = ['enrolled', 'accepted', 'moved_up', 'refused', 'completed'];

  it('offers each role its kinds of news, and stores the choice without changing the account', async () => {
    const { admin, owner, trainee } = await castOf(harness.context);
    const offered = async ({ token }: Person) => (await harness.api('get', path, token).expect(200)).body;
    expect(await offered(trainee)).to.deep.equal({ language: null, off: [], kinds: ofTrainees });
    expect(await offered(owner)).to.deep.equal({ language: null, off: [], kinds: ['requests'] });
    expect(await offered(admin)).to.deep.equal({ language: null, off: [], kinds: [] });
    const change = async (body: object) => (await harness.api('put', path, trainee.token).send(body).expect(200)).body;
    const chosen = { language: 'de', off: ['completed', 'refused'] };
    await change(chosen);
    const stored = { language: 'de', off: ['refused', 'completed'], kinds: ofTrainees };
    expect(await offered(trainee)).to.deep.equal(stored);
    expect(await change({})).to.deep.equal(stored);
    expect(await change({ language: null })).to.deep.equal({ ...stored, language: null });
    expect(await change({ off: [] })).to.deep.equal({ language: null, off: [], kinds: ofTrainees });
    const { updatedAt } = await trainee.user.reload();
    expect(updatedAt).to.deep.equal(trainee.user.createdAt);
    expect(await offered(owner)).to.include({ language: null });
    expect(await harness.context.database.models.AuditEntry.count()).to.equal(0);
  });

  it('refuses unknown kinds, repeated kinds and languages without texts', async () => {
    const { token } = await signIn(harness.context);
    const put = (body: object) => harness.api('put', path, token).send(body);
    expectInvalid(await put({ off: ['reset'] }), ['off.0']);
    expectInvalid(await put({ off: ['enrolled', 'enrolled'] }), ['off.1']);
    expectInvalid(await put({ off: 'enrolled' }), ['off']);
    expectInvalid(await put({ language: 'fr' }), ['language']);
  });
});

describe('News without a mail server', () => {
  const harness = useHarness();

  it('are not stored', async () => {
    const { owner, trainee, admin } = await castOf(harness.context);
    const course = await buildCourse(harness.context, owner.user, { isPublished: true });
    const { body } = await harness
      .api('post', '/api/enrollments', trainee.token)
      .send({ courseId: course.id })
      .expect(201);
    const change = { status: 'active' };
    await harness.api('put', `/api/enrollments/${body.enrollment.id}/status`, owner.token).send(change).expect(200);
    await harness.api('post', `/api/users/${trainee.user.id}/reset-password`, admin.token).expect(200);
    expect(await harness.context.database.models.Mail.count()).to.equal(0);
    const again = await signIn(harness.context);
    const { body: preferences } = await harness.api('get', '/api/mail-preferences', again.token).expect(200);
    expect(preferences).to.deep.equal({ language: null, off: [], kinds: [] });
  });
});
