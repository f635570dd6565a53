import { expect } from 'chai';
import type { Course } from '../../../src/db/models/course.js';
import type { User } from '../../../src/db/models/user.js';
import { operator } from '../../../src/services/core.js';
import { createCourse, deleteCourse, publishCourse, updateCourse } from '../../../src/services/courses/commands.js';
import { courseEffects } from '../../../src/services/courses/effects.js';
import { undoCourseImport } from '../../../src/services/courses/import.js';
import { buildCertificate, buildCourse, buildMaterial, buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

describe('A change of a course', () => {
  const harness = useHarness();
  const context = () => harness.context;
  let trainer: User;
  let course: Course;
  beforeEach(async () => {
    trainer = await buildUser(context(), { role: 'trainer' });
    course = await buildCourse(context(), trainer, { isPublished: true, maxStudents: 3 });
    const { CourseWord } = context().database.models;
    await CourseWord.create({ courseId: course.id, word: 'former' });
  });

  const update = (input: object) => () => updateCourse(context(), operator, course.id, input);
  const publish = (isPublished: boolean) => () => publishCourse(context(), operator, course.id, { isPublished });

  /** Changes with their effects: `words` for replaced search words, `seats` for seats of the waiting list. */
  const changes: Record<string, { write: () => Promise<unknown>; before?: Partial<Course>; effects: string }> = {
    'another title': { write: update({ title: 'Knots' }), effects: 'words' },
    'another category': { write: update({ category: 'Rope' }), effects: 'words' },
    'another description': { write: update({ description: 'New' }), effects: '' },
    'more seats': { write: update({ maxStudents: 4 }), effects: 'seats' },
    'no limit': { write: update({ maxStudents: null }), effects: 'seats' },
    'a later end': { write: update({ endDate: '2999-01-01' }), effects: 'seats' },
    'a longer waiting list': { write: update({ waitingMax: 9 }), effects: '' },
    'more seats of an unpublished course': {
      before: { isPublished: false },
      write: update({ maxStudents: 4 }),
      effects: '',
    },
    publication: { before: { isPublished: false }, write: publish(true), effects: 'seats' },
    'the end of publication': { write: publish(false), effects: '' },
  };
  for (const [what, { before = {}, write, effects }] of Object.entries(changes))
    it(`has these effects: ${effects || 'none'} (change: ${what})`, async () => {
      await course.update(before, { silent: true });
      const former = { ...(await course.reload()).get() };
      context().freedSeats.take();
      await write();
      const freed = context().freedSeats.take().includes(course.id);
      const words = (await context().database.models.CourseWord.findAll()).map(({ word }) => word);
      const isReplaced = !words.includes('former') && words.length > 0;
      expect([isReplaced && 'words', freed && 'seats'].filter(Boolean).join(' ')).to.equal(effects);
      expect(courseEffects(former, await course.reload())).to.deep.equal({
        ...(isReplaced && { removesWords: true, addsWords: true }),
        ...(freed && { freesSeats: true }),
      });
    });

  it('adds its search words if it creates the course', async () => {
    const input = { trainerId: trainer.id, title: 'Splices', description: 'New' };
    const { id } = await createCourse(context(), operator, input);
    const words = await context().database.models.CourseWord.findAll({ where: { courseId: id } });
    expect(words.map(({ word }) => word)).to.deep.equal(['splices']);
    expect(courseEffects(undefined, course)).to.deep.equal({ addsWords: true });
  });

  it('revokes its certificates and removes its files if it deletes the course', async () => {
    await buildCertificate(context(), await buildUser(context()), course);
    await buildMaterial(context(), course);
    const { Certificate, StoredFile } = context().database.models;
    await deleteCourse(context(), operator, course.id, {});
    expect((await Certificate.findOne())?.revokedAt).to.be.a('date');
    expect(await StoredFile.count()).to.equal(0);
    expect(courseEffects(course, undefined)).to.deep.equal({ revokesCertificates: true, removesFiles: true });
  });

  it('removes its files if the undo of an import deletes the course', async () => {
    // Retention has deleted the audit entry of the file, which would keep the course.
    await buildMaterial(context(), course);
    expect(await undoCourseImport(context(), operator, [course.id])).to.have.length(1);
    expect(await context().database.models.StoredFile.count()).to.equal(0);
  });
});
