import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { migrateDown, migrateUp, migrationStatus } from '../../src/db/migrator.js';
import type { Course } from '../../src/db/models/course.js';
import { buildCourse, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { type Cast, castOf, changesOf } from './support/cast.js';

/** So many bytes the table may take for each byte of a request. */
const bytesPerByte = 8;

interface Shown {
  id: string;
  userId: string;
  notes: string | null;
}

describe('The notes that a bulk assignment gives to many', () => {
  const harness = useHarness();
  const notes = 'Bring your own wool, and a bag for it. '.repeat(20).trim();
  let cast: Cast;
  let course: Course;
  beforeEach(async () => {
    cast = await castOf(harness.context);
    course = await buildCourse(harness.context, cast.owner.user);
  });

  async function trainees(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let built = 0; built < count; built += 1) ids.push((await buildUser(harness.context)).id);
    return ids;
  }
  async function assign(traineeIds: readonly string[], given: string | null | undefined = notes): Promise<Shown[]> {
    const { body } = await harness
      .api('post', '/api/enrollments/bulk', cast.owner.token)
      .send({ courseId: course.id, traineeIds, notes: given })
      .expect(201);
    return body.enrollments;
  }
  const setStatus = (id: string, body: object, by = cast.owner) =>
    harness.api('put', `/api/enrollments/${id}/status`, by.token).send(body).expect(200);
  async function shown(id: string): Promise<string | null> {
    const { body } = await harness.api('get', `/api/enrollments/${id}`, cast.owner.token).expect(200);
    return body.enrollment.notes;
  }
  const select = (columns: string) =>
    harness.context.database.sequelize.query<Record<string, unknown>>(`SELECT ${columns} FROM enrollments`, {
      type: QueryTypes.SELECT,
    });

  for (const [count, length] of [
    [50, 2000],
    [100, 1000],
    [500, 200],
  ] as const)
    it(`take at most ${bytesPerByte} bytes for each byte sent, with the rows: ${count} of ${length} characters`, async () => {
      const traineeIds = await trainees(count);
      const long = '\u4e2d'.repeat(length);
      const enrolled = await assign(traineeIds, long);
      expect(enrolled.map((enrollment) => enrollment.notes)).to.deep.equal(traineeIds.map(() => long));
      const sent = Buffer.byteLength(JSON.stringify({ courseId: course.id, traineeIds, notes: long }));
      const texts = (await select('*')).flatMap((row) =>
        Object.values(row).map((value) => (value instanceof Date ? value.toISOString() : String(value ?? ''))),
      );
      expect(Buffer.byteLength(texts.join(''))).to.be.at.most(bytesPerByte * sent);
    }).timeout(scaled(60_000));

  it('are shown by every operation that shows enrollments', async () => {
    const ids = [cast.trainee.user.id, ...(await trainees(2))];
    const enrolled = await assign(ids);
    expect(await shown(enrolled[0]?.id ?? '')).to.equal(notes);
    for (const [path, token] of [
      ['/api/enrollments', cast.owner.token],
      [`/api/enrollments/course/${course.id}/trainees`, cast.owner.token],
      [`/api/enrollments/trainer/${cast.owner.user.id}`, cast.admin.token],
      ['/api/enrollments/my', cast.trainee.token],
    ] as const) {
      const { body } = await harness.api('get', path, token).expect(200);
      const found = JSON.stringify(body).split(`"notes":${JSON.stringify(notes)}`).length - 1;
      expect(found, path).to.equal(path.endsWith('my') ? 1 : 3);
    }
  });

  it('belong to each of them: who changes one changes no other, and what is changed is recorded', async () => {
    const [changed, cleared, kept] = await assign(await trainees(3));
    await setStatus(changed?.id ?? '', { status: 'completed', notes: 'Well done' });
    await setStatus(cleared?.id ?? '', { status: 'completed', notes: null });
    await setStatus(kept?.id ?? '', { status: 'completed', notes });
    expect(await shown(changed?.id ?? '')).to.equal('Well done');
    expect(await shown(cleared?.id ?? '')).to.equal(null);
    expect(await shown(kept?.id ?? '')).to.equal(notes);
    const change = (await changesOf(harness, cast, changed?.id ?? '', cast.owner)).at(-1);
    expect(change?.action).to.equal('enrollment.status');
    expect(change?.before).to.deep.equal({ status: 'active', notes, progress: 0, completedAt: null });
    expect(change?.after).to.include({ status: 'completed', notes: 'Well done', progress: 100 });
    await harness.api('delete', `/api/enrollments/${kept?.id}`, cast.owner.token).expect(200);
    const removal = (await changesOf(harness, cast, kept?.id ?? '', cast.owner)).at(-1);
    expect(removal?.before).to.deep.include({ notes });
  });

  it('are kept, replaced or cleared when cancelled enrollments become active again', async () => {
    const ids = await trainees(3);
    const [kept, replaced, cleared] = await assign(ids);
    for (const one of [kept, replaced, cleared]) await setStatus(one?.id ?? '', { status: 'cancelled' });
    await assign([ids[0] ?? ''], undefined);
    await assign([ids[1] ?? ''], 'Short');
    await assign([ids[2] ?? ''], null);
    expect(await shown(kept?.id ?? '')).to.equal(notes);
    expect(await shown(replaced?.id ?? '')).to.equal('Short');
    expect(await shown(cleared?.id ?? '')).to.equal(null);
    const change = (await changesOf(harness, cast, replaced?.id ?? '', cast.owner)).at(-1);
    expect(change?.before).to.include({ status: 'cancelled', notes });
    // From notes of its own to shared ones.
    await setStatus(replaced?.id ?? '', { status: 'cancelled' });
    await assign([ids[1] ?? '']);
    expect(await shown(replaced?.id ?? '')).to.equal(notes);
  });

  it('stay whole when the migration that shares them is reverted', async () => {
    const [one] = await assign(await trainees(2));
    await assign(await trainees(1), 'Short');
    const stored = async () => (await select('notes')).map((row) => row.notes);
    expect(await stored()).to.have.members([null, null, 'Short']);
    const { database } = harness.context;
    try {
      const { executed } = await migrationStatus(database);
      await migrateDown(database, executed.filter((name) => name >= '20260101000017-share').length);
      expect(await stored()).to.have.members([notes, notes, 'Short']);
    } finally {
      await migrateUp(database);
    }
    expect(await shown(one?.id ?? '')).to.equal(notes);
  });
});
