import { expect } from 'chai';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { useImporting } from '../support/importing.js';

const header = 'firstName,lastName,email,phone,course,enrollmentStatus,notes';
const text = (...rows: string[]) => `${[header, ...rows].join('\n')}\n`;

describe('The warnings of a plan', () => {
  const importing = useImporting();
  beforeEach(async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    await buildCourse(importing.context, trainer, { title: 'Knots' });
  });

  async function warningsOf(file: string, ...args: string[]) {
    const { stdout } = await importing.run(file, ...args, '--dry-run', '--json');
    return (JSON.parse(stdout) as { plan: { warnings: object[] } }).plan.warnings;
  }

  it('count the rows whose notes or status need a course, and name their lines', async () => {
    const file = importing.write(
      'people.csv',
      text(
        'Ada,King,ada@example.org,+44 1,,active,',
        'Bob,Baker,bob@example.org,+44 2,,,likes mornings',
        'Cid,Cook,cid@example.org,+44 3,Knots,active,likes evenings',
        'Dan,Dyer,dan@example.org,+44 4,,pending,likes nights',
        'Eve,Eaton,not-an-address,+44 5,,,rejected',
      ),
    );
    const notes = 'Notes belong to an enrollment: without a course they are not imported.';
    const status = 'An enrollment status without a course has no effect.';
    expect(await warningsOf(file)).to.deep.equal([
      {
        code: 'STATUS_WITHOUT_COURSE',
        field: 'enrollmentStatus',
        message: status,
        count: 2,
        rows: [2, 5],
        examples: [],
      },
      { code: 'NOTES_WITHOUT_COURSE', field: 'notes', message: notes, count: 2, rows: [3, 5], examples: [] },
    ]);
    expect(await warningsOf(file, '--course', 'Knots')).to.deep.equal([]);

    const { stdout } = await importing.run(file, '--dry-run');
    expect(stdout).to.include(
      [
        '  Warnings:',
        '    2 rows: An enrollment status without a course has no effect (lines 2, 5)',
        '    2 rows: Notes belong to an enrollment: without a course they are not imported (lines 3, 5)',
      ].join('\n'),
    );
  });

  it('show the halves of names that were split, but not in a file with passwords', async () => {
    const rows = [
      'Ada King,a@example.org,1',
      'Jean-Luc de la Fontaine,j@example.org,2',
      '"Berg, Pieter van der",p@example.org,3',
    ];
    const [warning] = await warningsOf(importing.write('people.csv', `Name,Email,Phone\n${rows.join('\n')}\n`));
    expect(warning).to.deep.include({
      code: 'NAME_SPLIT',
      count: 2,
      rows: [3, 4],
      examples: ['Jean-Luc | de la Fontaine', 'Pieter | van der Berg'],
    });
    const secret = `Name,Email,Phone,Password\n${rows.map((row) => `${row},`).join('\n')}\n`;
    expect((await warningsOf(importing.write('secret.csv', secret)))[0]).to.deep.include({ count: 2, examples: [] });
  });

  it('name what was taken off or left out above the rows', async () => {
    const table = ['version:v1.0,,,', 'firstName,lastName,email,phone', 'Ada,King,ada@example.org,1'];
    const [version] = await warningsOf(importing.write('template.csv', table.join('\n')));
    expect(version).to.include({
      code: 'VERSION_LINE',
      message: 'Line 1, "version:v1.0", is not imported: the header follows it.',
    });
    const wrapped = table.slice(1).map((line) => `"${line}"`);
    const [quoted] = await warningsOf(importing.write('wrapped.csv', wrapped.join('\r\n')));
    expect(quoted).to.include({ code: 'LINES_QUOTED', count: 1 });
  });

  it('keep the first lines of many rows', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => `Ada,King,ada${n}@example.org,+44 1 ${n},,,likes mornings`);
    const [warning] = await warningsOf(importing.write('people.csv', text(...rows)));
    expect(warning).to.deep.include({ count: 30, rows: Array.from({ length: 20 }, (_, n) => n + 2) });
  });
});
