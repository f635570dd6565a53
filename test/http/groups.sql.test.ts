import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import type { Group } from '../../src/db/models/group.js';
import type { User } from '../../src/db/models/user.js';
import { memberBounds } from '../../src/services/accounts/members.js';
import { memberCounts } from '../../src/services/groups/queries.js';
import { buildCourse, buildEnrollment, buildGroup, buildTrainees, buildUser } from '../support/factories.js';
import { relaxedDeadlines, useHarness } from '../support/harness.js';
import { changesOf, type Person, useCast } from './support/cast.js';
import { expectFailure, expectInvalid } from './support/expectations.js';

describe('Groups', () => {
  const harness = useHarness({}, undefined, { deadlines: relaxedDeadlines });
  const { api } = harness;
  const cast = useCast(harness);
  const list = async (query = '', by = cast.admin) =>
    (await api('get', `/api/groups${query}`, by.token).expect(200)).body.groups;

  it('are created, changed and deleted, with audit entries', async () => {
    const created = await api('post', '/api/groups', cast.admin.token).send({ name: ' Year 9 ' }).expect(201);
    const { group } = created.body;
    expect(group).to.deep.include({ name: 'Year 9', note: null, activeMembers: 0, roster: null });
    const path = `/api/groups/${group.id}`;
    const changed = await api('put', path, cast.admin.token).send({ note: 'Room 12' }).expect(200);
    expect(changed.body.group).to.deep.include({ name: 'Year 9', note: 'Room 12' });
    await api('put', path, cast.admin.token).send({ name: 'Year 9' }).expect(200);
    expect((await api('get', path, cast.admin.token).expect(200)).body.group).to.deep.equal(changed.body.group);
    await api('put', `${path}/members`, cast.admin.token)
      .send({ add: [cast.trainee.user.id] })
      .expect(200);
    await api('delete', path, cast.admin.token).expect(200);
    expectFailure(await api('get', path, cast.admin.token), 'NOT_FOUND', 'Group not found.');
    expect(await changesOf(harness, cast, group.id, cast.admin)).to.deep.equal([
      { action: 'group.create', before: null, after: { name: 'Year 9', note: null } },
      { action: 'group.update', before: { note: null }, after: { note: 'Room 12' } },
      { action: 'group.members', before: null, after: { addedMembers: [cast.trainee.user.id] } },
      { action: 'group.delete', before: { name: 'Year 9', note: 'Room 12', members: 1 }, after: null },
    ]);
    const { body } = await api('get', '/api/audit?action=group.members', cast.admin.token).expect(200);
    expect(body.entries[0].names).to.deep.equal({ [cast.trainee.user.id]: 'Ada Lovelace (ada@example.org)' });
  });

  it('need a name of their own, in any case and spaces', async () => {
    const year9 = await buildGroup(harness.context, [], 'Year 9');
    await buildGroup(harness.context, [], 'Year 10');
    const message = 'Group with this name already exists.';
    const post = (body: object) => api('post', '/api/groups', cast.admin.token).send(body);
    expectFailure(await post({ name: 'YEAR  9' }), 'GROUP_EXISTS', message);
    const renamed = api('put', `/api/groups/${year9.id}`, cast.admin.token).send({ name: 'year 10' });
    expectFailure(await renamed, 'GROUP_EXISTS', message);
    for (const body of [{}, { name: ' ' }, { name: 'x'.repeat(101) }, { name: 9 }])
      expect((await post(body)).status, JSON.stringify(body)).to.equal(400);
    await post({ name: 'ΐ'.repeat(100) }).expect(201);
  });

  it('are listed by name with their numbers of active members, for trainers too', async () => {
    const people = await buildTrainees(harness.context, 2);
    const { id: inactive } = await buildUser(harness.context, { isActive: false });
    const [ten, nine] = [
      await buildGroup(harness.context, [...people, inactive], 'year 10'),
      await buildGroup(harness.context, [], 'Écoliers'),
    ];
    const expected = [
      { id: nine.id, name: 'Écoliers', activeMembers: 0, syncedAt: null, isHeld: false },
      { id: ten.id, name: 'year 10', activeMembers: 2, syncedAt: null, isHeld: false },
    ];
    expect(await list()).to.deep.equal(expected);
    expect(await list('', cast.owner)).to.deep.equal(expected);
    expect(await list('?search=ecol')).to.deep.equal(expected.slice(0, 1));
    expect(await list(`?search=${ten.id}`, cast.owner)).to.deep.equal(expected.slice(1));
    expect(await list(`?limit=1&page=2&afterId=${nine.id}`)).to.deep.equal(expected.slice(1));
    for (const by of [cast.owner, cast.trainee])
      expect((await api('get', `/api/groups/${ten.id}`, by.token)).status).to.equal(403);
    expect((await api('get', '/api/groups', cast.trainee.token)).status).to.equal(403);
  });

  it('show their last sync, a held one, and how many members left', async () => {
    const { database } = harness.context;
    const group = await buildGroup(harness.context, [], 'Year 9');
    const syncedAt = '2026-11-12T02:00:00.000Z';
    const held = { leaving: 14, members: 90, limit: 9, file: 'people.csv', at: '2026-11-13T02:00:00.000Z' };
    const options = { course: 'First Aid', maxLeaving: '10%' };
    const syncJson = JSON.stringify({ options: { ...options, roster: 'Year 8' }, rejects: null });
    await group.update({ syncJson, syncedAt: new Date(syncedAt), heldJson: JSON.stringify(held) });
    await database.models.FormerMember.create({
      groupId: group.id,
      userId: (await buildUser(harness.context)).id,
      addedAt: new Date(0),
      leftAt: new Date(syncedAt),
      createdAccount: false,
      deactivated: false,
    });
    const { body } = await api('get', `/api/groups/${group.id}`, cast.admin.token).expect(200);
    expect(body.group.roster).to.deep.equal({ options, syncedAt, formerMembers: 1, held });
    expect(await list()).to.deep.equal([{ id: group.id, name: 'Year 9', activeMembers: 0, syncedAt, isHeld: true }]);
  });

  it('are counted up to a maximum', async () => {
    const { maximum } = memberCounts;
    try {
      memberCounts.maximum = 2;
      const people = await buildTrainees(harness.context, 3);
      await buildGroup(harness.context, people.slice(1), 'Two');
      await buildGroup(harness.context, people, 'Three');
      const { body } = await api('get', '/api/groups', cast.admin.token);
      expect(body.groups[0]).to.include({ name: 'Three', activeMembers: 2, activeMembersCapped: true });
      expect(body.groups[1]).to.include({ name: 'Two', activeMembers: 2 }).and.not.have.property('activeMembersCapped');
    } finally {
      memberCounts.maximum = maximum;
    }
  });

  it('get and lose members, with an outcome for each person', async () => {
    const [one = '', two = ''] = await buildTrainees(harness.context, 2);
    const { id } = await buildGroup(harness.context, [one], 'Year 9');
    const put = (body: object, by = cast.admin, group = id) =>
      api('put', `/api/groups/${group}/members`, by.token).send(body);
    const { body } = await put({ add: [two, cast.admin.user.id, cast.owner.user.id, 'nobody'], remove: [one] });
    const refused = { change: 'add', outcome: 'refused' };
    const done = { outcome: 'done', code: null, message: null };
    expect(body).to.deep.equal({
      counts: { done: 3, unchanged: 0, refused: 2 },
      outcomes: [
        { id: one, name: 'Trainee Number 0', change: 'remove', ...done },
        { id: two, name: 'Trainee Number 1', change: 'add', ...done },
        {
          id: cast.admin.user.id,
          name: `${cast.admin.user.firstName} ${cast.admin.user.lastName}`,
          ...refused,
          code: 'SUPER_ADMIN_PROTECTED',
          message: "The super admin can't be a member of a group.",
        },
        { id: cast.owner.user.id, name: 'Grace Hopper', change: 'add', ...done },
        { id: 'nobody', name: null, ...refused, code: 'NOT_FOUND', message: 'User not found.' },
      ],
    });
    expect((await put({ add: [two] })).body.counts).to.deep.equal({ done: 0, unchanged: 1, refused: 0 });
    const shown = await api('get', `/api/users/${two}`, cast.admin.token).expect(200);
    expect(shown.body.groups).to.deep.equal([{ id, name: 'Year 9' }]);
    const many = Array.from({ length: 501 }, (_, index) => `a${index}`);
    const tooMany = { add: many, remove: many.map((text) => `b${text}`) };
    for (const wrong of [{}, { add: [two], remove: [two] }, tooMany]) expectInvalid(await put(wrong), ['']);
    expectFailure(await put({ add: [two] }, cast.admin, 'none'), 'NOT_FOUND', 'Group not found.');
    for (const by of [cast.owner, cast.trainee]) expect((await put({ add: [one] }, by)).status).to.equal(403);
  });

  for (const [size, few] of [
    ['few', memberBounds],
    ['many', { accounts: 1, enrollments: 1 }],
  ] as const)
    describe(`of ${size} members filter`, () => {
      const standard = { ...memberBounds };
      afterEach(() => Object.assign(memberBounds, standard));

      let group: Group;
      let members: User[];
      let course: Course;
      beforeEach(async () => {
        Object.assign(memberBounds, few);
        const build = (lastName: string, given = {}) => buildUser(harness.context, { lastName, ...given });
        const [a, b, c] = [await build('Adams'), await build('Brown'), await build('Cole', { isActive: false })];
        members = [a, b, c, cast.foreign.user];
        group = await buildGroup(
          harness.context,
          members.map(({ id }) => id),
        );
        course = await buildCourse(harness.context, cast.owner.user, { isPublished: true });
        const foreign = await buildCourse(harness.context, cast.foreign.user, { isPublished: true });
        await buildEnrollment(harness.context, b, course, { status: 'pending' });
        await buildEnrollment(harness.context, b, foreign, { status: 'active' });
        await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'pending' });
        await buildGroup(harness.context, [cast.trainee.user.id]);
      });
      const lastNames = (people: readonly { lastName: string }[]) => people.map(({ lastName }) => lastName);
      const get = async (path: string, by: Person = cast.admin) =>
        (await api('get', `${path}${path.includes('?') ? '&' : '?'}group=${group.id}`, by.token).expect(200)).body;

      it('people, alone and with other filters, in the export and in bulk changes', async () => {
        const sorted = '/api/users?sortBy=lastName&sortOrder=ASC';
        const all = await get(sorted);
        expect(lastNames(all.users)).to.deep.equal(['Adams', 'Brown', 'Cole', 'Turing']);
        expect(all.pagination.totalItems).to.equal(4);
        expect(lastNames((await get(`${sorted}&isActive=true&role=trainee`)).users)).to.deep.equal(['Adams', 'Brown']);
        expect(lastNames((await get(`${sorted}&search=col`)).users)).to.deep.equal(['Cole']);
        expect(lastNames((await get(`${sorted}&search=lovelace`)).users)).to.deep.equal([]);
        const second = await get(`${sorted}&limit=2&afterId=${members[1]?.id}&page=2`);
        expect(lastNames(second.users)).to.deep.equal(['Cole', 'Turing']);
        const exported = await api('get', `/api/users/export.csv?group=${group.id}&fields=lastName`, cast.admin.token);
        expect(exported.text.trim().split(/\r?\n/).slice(1).sort()).to.deep.equal(['Adams', 'Brown', 'Cole', 'Turing']);
        const filter = { group: group.id, role: 'trainee' };
        const bulk = { action: 'deactivate', filter, dryRun: true };
        const { body } = await api('post', '/api/users/bulk', cast.admin.token).send(bulk).expect(200);
        expect(body.counts).to.deep.equal({ done: 2, unchanged: 1, refused: 0 });
        const none = await api('get', '/api/users?group=none', cast.admin.token).expect(200);
        expect(none.body.users).to.deep.equal([]);
      });

      it('enrollments, in the export and in changes of status', async () => {
        expect((await get('/api/enrollments')).enrollments).to.have.lengthOf(2);
        expect((await get('/api/enrollments?search=brown')).enrollments).to.have.lengthOf(2);
        expect((await get('/api/enrollments?search=lovelace')).enrollments).to.have.lengthOf(0);
        expect((await get('/api/enrollments?progress=0&status=pending')).enrollments).to.have.lengthOf(1);
        expect((await get(`/api/enrollments?courseId=${course.id}`)).enrollments).to.have.lengthOf(1);
        expect((await get('/api/enrollments', cast.owner)).enrollments).to.have.lengthOf(1);
        const exported = await api(
          'get',
          `/api/enrollments/export.csv?group=${group.id}&fields=email`,
          cast.owner.token,
        );
        expect(exported.text.trim().split(/\r?\n/).slice(1)).to.deep.equal([members[1]?.email]);
        const change = { status: 'active', filter: { group: group.id, status: ['pending'] } };
        const { body } = await api('put', '/api/enrollments/bulk/status', cast.owner.token).send(change).expect(200);
        expect(body.counts).to.deep.equal({ changed: 1, unchanged: 0, refused: 0 });
      });

      it('the trainees who can be enrolled; trainers see no other members', async () => {
        for (const by of [cast.owner, cast.admin]) {
          const { trainees, pagination } = await get(`/api/enrollments/available-trainees?courseId=${course.id}`, by);
          expect(lastNames(trainees)).to.deep.equal(['Adams']);
          expect(pagination.totalItems).to.equal(1);
          const searched = await get(`/api/enrollments/available-trainees?courseId=${course.id}&search=brown`, by);
          expect(searched.trainees).to.deep.equal([]);
        }
        const foreign = `/api/enrollments/available-trainees?courseId=${course.id}&group=${group.id}`;
        expectFailure(await api('get', foreign, cast.foreign.token), 'OTHER_TRAINER');
      });
    });

  describe('are enrolled in a course at once', () => {
    let course: Course;
    let group: Group;
    let people: readonly string[];
    beforeEach(async () => {
      people = await buildTrainees(harness.context, 3);
      const inactive = await buildUser(harness.context, { isActive: false });
      group = await buildGroup(harness.context, [...people, inactive.id, cast.foreign.user.id]);
      course = await buildCourse(harness.context, cast.owner.user, {
        isPublished: true,
        maxStudents: 2,
        waitingMax: 5,
      });
    });
    const enroll = (body: object = {}, by = cast.owner) =>
      api('post', '/api/enrollments/bulk', by.token).send({ courseId: course.id, groupId: group.id, ...body });
    const enrolled = () => harness.context.database.models.Enrollment.count();

    it('with its active trainees only, the others hidden from trainers, oldest account first', async () => {
      const { body } = await enroll({ whenFull: 'wait' }).expect(201);
      expect(body.skipped).to.deep.equal([]);
      const statuses = Object.fromEntries(
        body.enrollments.map(({ userId, status }: { userId: string; status: string }) => [userId, status]),
      );
      const [one = '', two = '', three = ''] = people;
      expect(statuses).to.deep.equal({ [one]: 'active', [two]: 'active', [three]: 'waiting' });
      const again = await enroll({ whenFull: 'wait' }).expect(201);
      expect(again.body.enrollments).to.deep.equal([]);
      expect(again.body.skipped.map(({ code }: { code: string }) => code)).to.deep.equal(
        Array(3).fill('ALREADY_ENROLLED'),
      );
    });

    it('after a preview, which changes nothing', async () => {
      const preview = { whenFull: 'wait', dryRun: true };
      const { body } = await enroll(preview).expect(201);
      const outcome = (index: number, name: string) => ({
        traineeId: people[index],
        name: `Trainee Number ${index}`,
        outcome: name,
        code: null,
        message: null,
      });
      expect(body).to.deep.equal({
        message: 'Nothing was changed.',
        enrollments: [],
        skipped: [],
        outcomes: [outcome(0, 'done'), outcome(1, 'done'), outcome(2, 'waiting')],
      });
      expect((await enroll({ dryRun: true })).headers['error-code']).to.equal('COURSE_FULL');
      expectFailure(await enroll(preview, cast.foreign), 'OTHER_TRAINER');
      const listed = { ...preview, groupId: undefined, traineeIds: [cast.foreign.user.id] };
      const [hidden] = (await enroll(listed).expect(201)).body.outcomes;
      expect(hidden).to.include({ name: null, outcome: 'refused', code: 'NOT_FOUND' });
      expect(await enrolled()).to.equal(0);
    });

    it('unless it has more than 1,000 active trainees, is unknown, or comes with a list', async () => {
      expectFailure(await enroll({ groupId: 'none' }), 'NOT_FOUND', 'Group not found.');
      for (const wrong of [{ traineeIds: [people[0]] }, { groupId: undefined }])
        expectInvalid(await enroll(wrong), ['traineeIds']);
      expectInvalid(await enroll({ reply: 'n'.repeat(2001) }), ['reply']);
      const large = await buildGroup(harness.context, await buildTrainees(harness.context, 1001, 10));
      expectInvalid(await enroll({ groupId: large.id }), ['groupId']);
      expectInvalid(await enroll({ groupId: large.id, reply: 'n'.repeat(2000) }), ['groupId']);
      await harness.context.database.models.User.update(
        { isActive: false },
        { where: { email: 'trainee10@example.com' } },
      );
      expectInvalid(await enroll({ groupId: large.id, reply: 'n'.repeat(101) }), ['reply']);
      await course.update({ maxStudents: null });
      const { body } = await enroll({ groupId: large.id, reply: 'n'.repeat(100) }).expect(201);
      expect(body.enrollments).to.have.lengthOf(1000);
    });
  });
});
