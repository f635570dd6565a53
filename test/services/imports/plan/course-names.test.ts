import { expect } from 'chai';
import { CourseIndex } from '../../../../src/services/imports/plan/course-index.js';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { useImporting } from '../support/importing.js';

describe('The course name in a row', () => {
  const importing = useImporting();
  const header = 'firstName,lastName,email,phone,course';
  const reasonsOf = async (text: string) => {
    const { samples } = await importing.plan(importing.write('people.csv', text));
    return samples.map(({ code, reason }) => (code === undefined ? null : `${code}: ${reason}`));
  };

  it('finds a title with any white space; an unknown name is rejected with the most similar title', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    for (const title of ['Workplace First Aid', 'First Aid']) await buildCourse(importing.context, trainer, { title });
    const first = await buildCourse(importing.context, trainer, {
      ...{ title: 'Knots', startDate: '2027-03-01', endDate: '2027-03-05' },
    });
    const second = await buildCourse(importing.context, trainer, { title: 'Knots', startDate: null, endDate: null });
    const name = `${trainer.firstName} ${trainer.lastName}`;
    const unknown = (course: string) => `COURSE_UNKNOWN: Course "${course}": there is none with this id or title.`;
    const courses = {
      'workplace\u00a0First \u2009Aid': null,
      '  first   AID ': null,
      'WorkplaceFirst Aid': `${unknown('WorkplaceFirst Aid')} Did you mean "Workplace First Aid"?`,
      'First Aid (online)': `${unknown('First Aid (online)')} Did you mean "First Aid"?`,
      'Frist Aid': `${unknown('Frist Aid')} Did you mean "First Aid"?`,
      Welding: unknown('Welding'),
      knots: `COURSE_AMBIGUOUS: Course "knots": there are several with this title. Name it by its id: ${first.id} (Knots, 2027-03-01 to 2027-03-05, ${name}), ${second.id} (Knots, no date, ${name}).`,
    };
    const rows = Object.keys(courses).map((course, row) => `Ada,King,ada${row}@example.org,1${row},${course}`);
    expect(await reasonsOf(`${header}\n${rows.join('\n')}\n`)).to.deep.equal(Object.values(courses));
    const { reasons } = await importing.plan(importing.write('people.csv', `${header}\n${rows.join('\n')}\n`));
    const ambiguous = reasons.find(({ code }) => code === 'COURSE_AMBIGUOUS');
    expect(`COURSE_AMBIGUOUS: ${ambiguous?.message}`).to.equal(courses.knots);
    const candidates = reasons.map(({ courseQuestion }) => [
      courseQuestion?.name,
      courseQuestion?.candidates.map(({ id, title, startDate }) => (title === 'Knots' ? [id, startDate] : title)),
    ]);
    expect(Object.fromEntries(candidates)).to.deep.equal({
      'WorkplaceFirst Aid': ['Workplace First Aid'],
      'First Aid (online)': ['First Aid'],
      'Frist Aid': ['First Aid'],
      Welding: [],
      knots: [
        [first.id, '2027-03-01'],
        [second.id, null],
      ],
    });
  });

  it('means the course that the option mapCourse gives for it, or no course', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    const course = await buildCourse(importing.context, trainer, { title: 'First Aid' });
    const rows = ['Frist  aid', 'FA; Welding', 'welding', 'First Aid'];
    const lines = rows.map((name, row) => `Ada,King,ada${row}@example.org,1${row},${name}`);
    const file = importing.write('people.csv', `${header}\n${lines.join('\n')}\n`);
    const mapCourse = [`Frist Aid=${course.id}`, 'FA=first aid', 'Welding='];
    const { counts, reasons } = await importing.plan(file, { mapCourse });
    expect(reasons).to.deep.equal([]);
    expect(counts).to.include({ created: 4, enrolled: 3 });
    const refused = await importing.plan(file, { mapCourse: ['FA=nowhere'] }).catch((error: unknown) => error);
    expect(refused).to.have.nested.property('details[0].path', 'mapCourse');
  });

  it('has a suggestion only for the first 20 unknown names of a file', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    await buildCourse(importing.context, trainer, { title: 'Knots and ropes' });
    const names = Array.from({ length: 30 }, (_, row) => `Knots and ropes ${row}`);
    const index = new CourseIndex(importing.context);
    await index.load(names);
    const suggested = names.filter((name) => index.questionOf(name)?.candidates[0]?.title === 'Knots and ropes');
    expect(suggested).to.deep.equal(names.slice(0, 20));
  });

  it('is not quoted in a file with passwords', async () => {
    expect(await reasonsOf(`${header},password\nAda,King,ada@example.org,1,top secret 99,Knotty 99\n`)).to.deep.equal([
      'COURSE_UNKNOWN: Course: there is none with this id or title.',
    ]);
  });
});
