import { expect } from 'chai';
import { useImporting } from '../../services/imports/support/importing.js';
import { buildCourse, buildUser } from '../../support/factories.js';
import { type Cells, outcomeOfFile, xlsxParts } from './support/workbooks.js';
import { zip } from './support/zip.js';

/** Errors that Excel and LibreOffice write for formulas that can't be calculated. */
const errors = [
  ...['#NULL!', '#DIV/0!', '#VALUE!', '#REF!', '#NAME?', '#NUM!', '#N/A', '#GETTING_DATA'],
  ...['#SPILL!', '#CALC!', '#FIELD!', '#BLOCKED!', '#CONNECT!', '#UNKNOWN!', '#BUSY!', '#PYTHON!', '#EXTERNAL!'],
  ...['Err:502', 'Err:508', 'Err:522', '#BEZUG!', '#NV', '#SAYI/0!', '#Н/Д', '#DĚLENÍ_NULOU!'],
];

/** A valid row, and for each column the code of a row with an error in this column. */
const columns = {
  firstName: ['Ada', 'NAME_DAMAGED'],
  lastName: ['King', 'NAME_DAMAGED'],
  email: ['ada@example.org', 'EMAIL_INVALID'],
  phone: ['0151 2', 'PHONE_MANGLED'],
  role: ['trainee', 'ROLE_UNKNOWN'],
  isActive: ['yes', 'IS_ACTIVE_UNKNOWN'],
  course: ['First Aid', 'COURSE_INVALID'],
  enrollmentStatus: ['active', 'ENROLLMENT_STATUS_UNKNOWN'],
  reply: ['vegetarian', 'TEXT_INVALID'],
} as const;

const textCell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
const row = (cells: readonly string[]) => `<row>${cells.join('')}</row>`;

describe('An error of a spreadsheet', () => {
  const importing = useImporting();
  const write = (rows: readonly string[]) => importing.write('people.xlsx', zip(xlsxParts(rows.join(''))));
  const header = row(Object.keys(columns).map(textCell));
  const cellsWith = (column: string | undefined, cell: string) =>
    row(Object.entries(columns).map(([name, [usual]]) => (name === column ? cell : textCell(usual))));

  beforeEach(async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    await buildCourse(importing.context, trainer, { title: 'First Aid' });
  });

  it('rejects its row with the code of the column, and is stored nowhere', async () => {
    const cases = Object.entries(columns).flatMap(([column, [, code]]) =>
      errors.map((error) => ({ column, code, error })),
    );
    const file = write([
      header,
      ...cases.map(({ column, error }) => cellsWith(column, `<c t="e"><v>${error}</v></c>`)),
    ]);
    const { counts, rejectsFile } = await importing.json(file);
    expect(counts).to.include({ rows: cases.length, created: 0, rejected: cases.length });
    expect(await importing.models().User.count()).to.equal(1);
    const [rejects = {}] = Object.values((await outcomeOfFile(rejectsFile ?? '')) as Record<string, Cells>);
    const codes = Object.values(rejects).map((cells) => cells[Object.keys(columns).length + 1]);
    expect(codes).to.deep.equal(['code', ...cases.map(({ code }) => code)]);
  });

  it("doesn't affect rows without errors", async () => {
    const { counts } = await importing.json(write([header, cellsWith(undefined, '')]));
    expect(counts).to.include({ created: 1, enrolled: 1 });
  });
});
