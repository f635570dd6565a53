import { expect } from 'chai';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { useImporting } from '../support/importing.js';

describe('The name of a course in a row', () => {
  const importing = useImporting();

  async function reasonsOf(text: string) {
    const file = importing.write('people.csv', text);
    const { stdout } = await importing.run(file, '--dry-run', '--json');
    const { plan } = JSON.parse(stdout) as {
      plan: { counts: { enrolled: number }; samples: { code?: string; reason?: string }[] };
    };
    const reasons = plan.samples.flatMap(({ code, reason }) => (reason === undefined ? [] : [`${code}: ${reason}`]));
    return { enrolled: plan.counts.enrolled, reasons };
  }

  it('finds a title whatever white space is in it, and is quoted where it finds none, or several', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    for (const title of ['Workplace First Aid', 'Knots', 'Knots'])
      await buildCourse(importing.context, trainer, { title });
    const courses = ['workplace\u00a0First \u2009Aid', 'WorkplaceFirst Aid', 'knots'];
    const rows = courses.map((course, row) => `Ada,King,ada${row}@example.org,1${row},${course}`).join('\n');
    expect(await reasonsOf(`firstName,lastName,email,phone,course\n${rows}\n`)).to.deep.equal({
      enrolled: 1,
      reasons: [
        'COURSE_UNKNOWN: Course "WorkplaceFirst Aid": there is none with this id or title. Did you mean "Workplace First Aid"?',
        'COURSE_AMBIGUOUS: Course "knots": there are several with this title. Name it by its id.',
      ],
    });
  });

  it('that no course has is answered with the title that it nearly is', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    for (const title of ['First Aid', 'Fire Safety']) await buildCourse(importing.context, trainer, { title });
    const courses = ['  first   AID ', 'First Aid (online)', 'Frist Aid', 'Welding'];
    const rows = courses.map((course, row) => `Ada,King,ada${row}@example.org,1${row},${course}`).join('\n');
    expect(await reasonsOf(`firstName,lastName,email,phone,course\n${rows}\n`)).to.deep.equal({
      enrolled: 1,
      reasons: [
        'COURSE_UNKNOWN: Course "First Aid (online)": there is none with this id or title. Did you mean "First Aid"?',
        'COURSE_UNKNOWN: Course "Frist Aid": there is none with this id or title. Did you mean "First Aid"?',
        'COURSE_UNKNOWN: Course "Welding": there is none with this id or title.',
      ],
    });
  });

  it('is not quoted in a file with passwords', async () => {
    const { reasons } = await reasonsOf(
      'firstName,lastName,email,phone,course,password\nAda,King,ada@example.org,1,top secret 99,Knotty 99\n',
    );
    expect(reasons).to.deep.equal(['COURSE_UNKNOWN: Course: there is none with this id or title.']);
  });
});
