import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { useImporting } from '../support/importing.js';

const fixture = new URL('../../../fixtures/csv/phones-doubtful.csv', import.meta.url);
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

  it('are told with --yes too, where nobody sees the plan, but not again after it', async () => {
    const warning = '    1 row: First name is a date (line 2: 2026-05-14)';
    const file = importing.write('people.csv', text('2026-05-14,King,a@example.org,1,,,'));
    const { stdout } = await importing.run(file, '--dry-run', '--json');
    const { plan } = JSON.parse(stdout) as { plan: { id: string } };
    expect((await importing.run(file, '--plan', plan.id)).stderr).not.to.include(warning);
    expect((await importing.run(file, '--yes', '--on-existing', 'update')).stderr).to.include(
      `  Warnings:\n${warning}`,
    );
    expect((await importing.run(file, '--yes', '--quiet')).stderr).not.to.include(warning);
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

  it('show the halves by the heading of a full name, which may say that the last name comes first', async () => {
    const file = importing.write('noms.csv', 'Nom et prénom,Courriel,Téléphone\nDupont Jean,j@example.org,1\n');
    const { stdout } = await importing.run(file, '--yes');
    expect(stdout).to.include('1 account created');
    const user = await importing.context.database.models.User.findOne({ where: { email: 'j@example.org' } });
    expect([user?.firstName, user?.lastName]).to.deep.equal(['Jean', 'Dupont']);
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

  it('are about phones that are a date, zeros, several numbers or words', async () => {
    const file = importing.write('people.csv', readFileSync(fixture));
    const phones = (await warningsOf(file)) as { code: string; rows: number[]; examples: string[] }[];
    expect(Object.fromEntries(phones.map(({ code, rows, examples }) => [code, [rows, examples]]))).to.deep.equal({
      PHONE_DATE: [[22], ['12.05.1998']],
      PHONE_ZEROS: [
        [18, 19],
        ['0', '0000000000'],
      ],
      PHONE_SEVERAL: [[10], ['0151 111 / 0171 222']],
      PHONE_WORDS: [
        [24, 25],
        ['1-800-FLOWERS', 'call mum 0151 2345'],
      ],
    });
  });

  it('are about dates with a time, and without a year or a day', async () => {
    const dates = ['2026-03-01', '2026-03-01 00:00:00', '01.03.2026 00:00', '03-Apr', 'Mar-99', '12. Mrz'];
    const rows = dates.map((phone, n) => `Ada,King,ada${n}@example.org,${phone},,,`);
    const [warning, ...others] = await warningsOf(importing.write('people.csv', text(...rows)));
    expect(others).to.deep.equal([]);
    expect(warning).to.deep.include({ code: 'PHONE_DATE', rows: [2, 3, 4, 5, 6, 7], examples: dates.slice(0, 5) });
  });

  it('are not about phones as people write them', async () => {
    const phones = [
      ...[
        '+49 151/234567',
        '030/1234567',
        '(0)151 - 234567',
        '01.23.45.67.89',
        'tel:+49151',
        '+1 555 201 0001 ext. 12',
      ],
      ...['0151 234 567-89', '+44 20 7946 0001 x3', '٠٥٠١٢٣٤٥٦٧', '+49 (0)151 234567', '555-0199', '1'],
    ];
    const rows = phones.map((phone, n) => `Ada,King,ada${n}@example.org,${phone},,,`);
    expect(await warningsOf(importing.write('people.csv', text(...rows)))).to.deep.equal([]);
  });

  it('tell that a spreadsheet has dropped the zeros of a column', async () => {
    const rows = (...phones: string[]) => text(...phones.map((phone, n) => `Ada,King,ada${n}@example.org,${phone},,,`));
    const most = rows("'0151234567", '151234568', '151234569', '151234560', '30123456');
    expect(await warningsOf(importing.write('most.csv', most))).to.deep.equal([
      {
        code: 'PHONE_ZERO_LOST',
        field: 'phone',
        message: 'Phones have lost their first zero, as in a spreadsheet: others of the column begin with one.',
        count: 3,
        rows: [3, 4, 5],
        examples: ['151234568', '151234569', '151234560'],
      },
    ]);
    const some = rows("'0151234567", '151234568', '030123456', '+49151234569');
    expect(await warningsOf(importing.write('some.csv', some))).to.deep.equal([]);
    const none = rows('151234567', '151234568');
    expect(await warningsOf(importing.write('none.csv', none))).to.deep.equal([]);
  });

  it('keep the first lines of many rows', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => `Ada,King,ada${n}@example.org,+44 1 ${n},,,likes mornings`);
    const [warning] = await warningsOf(importing.write('people.csv', text(...rows)));
    expect(warning).to.deep.include({ count: 30, rows: Array.from({ length: 20 }, (_, n) => n + 2) });
  });
});
