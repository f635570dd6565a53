import { expect } from 'chai';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { odsParts, relationsXml, sheetXml, xlsxParts } from '../../../tables/workbook/support/workbooks.js';
import { zip } from '../../../tables/workbook/support/zip.js';
import { useImporting } from '../support/importing.js';

const fixture = (name: string) => `test/fixtures/meaning/${name}`;
const text = (content: string) => `<c t="inlineStr"><is><t>${content}</t></is></c>`;
const row = (...cells: string[]) =>
  `<row>${cells.map((cell) => (cell.startsWith('<') ? cell : text(cell))).join('')}</row>`;
const header = ['First name', 'Last name', 'Email', 'Phone'];
const ada = ['Ada', 'King', 'ada@example.org', '0151 2000'];
const bob = ['Bob', 'Baker', 'bob@example.org', '0151 2001'];

describe('The plan of a workbook', () => {
  const importing = useImporting();
  /** @param parts further parts of the workbook */
  const book = (rows: readonly string[], parts: Parameters<typeof xlsxParts>[1] = {}) =>
    importing.write('people.xlsx', zip(xlsxParts(rows.join(''), parts)));
  /** A sheet with properties of its columns, such as `<col min="1" max="1" hidden="1"/>`. */
  const withColumns = (columns: string, ...rows: string[]) =>
    book([], {
      'xl/worksheets/sheet1.xml': sheetXml(rows.join('')).replace('<sheetData>', `<cols>${columns}</cols><sheetData>`),
    });
  const calculation = (attributes: string) => ({
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets><sheet name="People" r:id="rId1"/></sheets><calcPr ${attributes}/></workbook>`,
  });
  const warningsOf = async (file: string, options: object = {}) =>
    (await importing.plan(file, options)).warnings.map(({ code, field, rows }) => [code, field, rows]);

  describe('with formulas', () => {
    const uncalculated = (headings: string) =>
      `The result of the formula in ${headings} is not in the file. Open the file in a spreadsheet, save it, and import it again.`;
    const rejected = async (file: string) =>
      (await importing.plan(file)).samples
        .filter(({ outcome }) => outcome === 'rejected')
        .map(({ line, code, reason }) => [line, code, reason]);

    it('rejects rows that need a missing result of a formula', async () => {
      const code = 'FORMULA_NOT_CALCULATED';
      expect(await rejected(fixture('formula-active-uncached.xlsx'))).to.deep.equal([
        [2, code, uncalculated('"Active"')],
        [3, code, uncalculated('"Active"')],
      ]);
      expect(await rejected(fixture('ods-formula-uncached.ods'))).to.deep.equal([
        [2, code, uncalculated('"Active"')],
        [3, code, uncalculated('"Active"')],
      ]);
      expect(await rejected(fixture('formula-zero.xlsx'))).to.deep.equal([
        [2, code, uncalculated('"First name"')],
        [3, code, uncalculated('"Last name", "Phone"')],
      ]);
    });

    it('accepts a zero as a result, unless the workbook is only calculated on opening', async () => {
      const rows = [row(...header, 'Active'), row(...ada, '<c><f>1-1</f><v>0</v></c>')];
      for (const [attributes, created] of [
        ['calcId="191029"', 1],
        ['calcId="191029" fullCalcOnLoad="0"', 1],
        ['calcId="124519" fullCalcOnLoad="1"', 0],
      ] as const)
        expect((await importing.plan(book(rows, calculation(attributes)))).counts.created, attributes).to.equal(
          created,
        );
    });

    it("doesn't accept the zeros of an array formula without result", async () => {
      const rows = [
        row(...header, 'Active'),
        row(...ada, '<c><f t="array" ref="E2:E3">IF(LEN(A2:A3)&gt;0,"yes","no")</f><v>0</v></c>'),
        row(...bob, '<c><v>0</v></c>'),
        row('Cyn', 'Cook', 'cyn@example.org', '0151 2002', '<c><v>0</v></c>'),
      ];
      const { counts, samples } = await importing.plan(book(rows, calculation('fullCalcOnLoad="1"')));
      expect(counts).to.include({ created: 1, rejected: 2 });
      expect(samples.find(({ outcome }) => outcome === 'created')?.person).to.include('Cyn');
    });

    it('accepts an empty text, a word and a number as results', async () => {
      const rows = [
        row(...header, 'Role', 'Active'),
        row(...ada, '<c t="str"><f>""</f><v></v></c>', '<c t="b"><f>TRUE()</f><v>1</v></c>'),
        row(...bob, '<c t="str"><f>"trainer"</f><v>trainer</v></c>', '<c><f>1</f><v>1</v></c>'),
      ];
      const { counts, createdByRole } = await importing.plan(book(rows, calculation('fullCalcOnLoad="1"')));
      expect(counts).to.include({ created: 2, rejected: 0 });
      expect(createdByRole).to.deep.equal({ trainee: 1, trainer: 1 });
    });

    it('reads rows with formulas in other columns, or after the first filled phone', async () => {
      const formula = '<c><f>NOW()</f></c>';
      const rows = [row(...header, 'Work phone', 'Age'), row(...ada, formula, formula)];
      expect((await importing.plan(book(rows))).counts).to.include({ created: 1, rejected: 0 });
      const first = [
        row('First name', 'Last name', 'Email', 'Mobile', 'Work phone'),
        row(...ada.slice(0, 3), formula, '1'),
      ];
      expect((await importing.plan(book(first))).counts).to.include({ created: 0, rejected: 1 });
    });

    it('rejects rows that contain only formulas, because they are not blank', async () => {
      const formulas = header.map(() => '<c><f>Source!A2</f></c>');
      expect(await rejected(book([row(...header), row(...ada), row(...formulas)]))).to.have.lengthOf(1);
    });
  });

  describe('with hidden columns', () => {
    const hidden = (column: number) => `<col min="${column}" max="${column}" hidden="1"/>`;

    it('warns about imported hidden columns, and suggests a visible column', async () => {
      const { warnings, samples } = await importing.plan(fixture('hidden-email-column.xlsx'));
      expect(samples[0]?.person).to.equal('Ada King <old.ada@hidc.example>');
      expect(warnings).to.deep.equal([
        {
          code: 'COLUMN_HIDDEN',
          field: 'email',
          message:
            'The column is hidden in the sheet, but is imported. To import "Email (new)" instead: --map "Email (new)=email"',
          count: 1,
          rows: [],
          examples: ['Email'],
        },
      ]);
      const [role] = (await importing.plan(fixture('collapsed-role.xlsx'))).warnings;
      expect(role).to.deep.include({
        code: 'COLUMN_HIDDEN',
        field: 'role',
        message: 'The column is hidden in the sheet, but is imported. To ignore it: --map "Role="',
        examples: ['Role'],
      });
    });

    it('prefers visible columns', async () => {
      const twice = ['First name', 'Last name', 'Email', 'E-mail address', 'Phone'];
      const of = (person: string) => [...ada.slice(0, 2), 'old@example.org', person, '0151 2'];
      const plan = await importing.plan(withColumns(hidden(3), row(...twice), row(...of('new@example.org'))));
      expect(plan.samples[0]?.person).to.equal('Ada King <new@example.org>');
      expect(plan.warnings).to.deep.equal([]);
      const same = ['First name', 'Last name', 'Email', 'Email', 'Phone'];
      const { samples } = await importing.plan(withColumns(hidden(3), row(...same), row(...of('new@example.org'))));
      expect(samples[0]?.person).to.equal('Ada King <new@example.org>');
    });

    it('prefers a visible full name, and a visible column of suspended accounts', async () => {
      const names = ['Name', 'First name', 'Last name', 'Email', 'Phone', 'Active', 'Suspended'];
      const plan = await importing.plan(
        withColumns(
          '<col min="2" max="3" width="0"/><col min="6" max="6" hidden="true"/>',
          row(...names),
          row('Bob Baker', ...ada, 'yes', 'yes'),
        ),
      );
      expect(plan.samples[0]?.person).to.equal('Bob Baker <ada@example.org>');
      expect(plan.warnings.map(({ code }) => code)).to.deep.equal(['STATE_NOT_IMPORTED', 'STATE_INACTIVE']);
    });

    it("doesn't warn about a mapped hidden column", async () => {
      const file = withColumns(hidden(5), row(...header, 'Role'), row(...ada, 'trainer'));
      expect(await warningsOf(file)).to.deep.equal([['COLUMN_HIDDEN', 'role', []]]);
      expect(await warningsOf(file, { map: ['Role=role'] })).to.deep.equal([]);
      expect(await warningsOf(file, { map: ['Role='] })).to.deep.equal([]);
    });
  });

  describe('with hidden columns, in OpenDocument,', () => {
    const cell = (content: string) =>
      `<table:table-cell office:value-type="string"><text:p>${content}</text:p></table:table-cell>`;
    const odsRow = (...cells: string[]) => `<table:table-row>${cells.map(cell).join('')}</table:table-row>`;
    const column = '<table:table-column/>';
    const columns = {
      'a hidden one': `${column.repeat(4)}<table:table-column table:visibility="collapse"/>`,
      'a filtered one behind a repeated one':
        '<table:table-column table:number-columns-repeated="4"/><table:table-column table:visibility="filter"/>',
      'a collapsed group': `${column.repeat(4)}<table:table-column-group table:display="false"><table:table-column-group>${column}</table:table-column-group></table:table-column-group>`,
    };
    for (const [name, marks] of Object.entries(columns))
      it(`warns about ${name}`, async () => {
        const rows = odsRow(...header, 'Role') + odsRow(...ada, 'trainer');
        const file = importing.write(
          'people.ods',
          zip(
            odsParts(
              `<office:spreadsheet><table:table table:name="P">${marks}${rows}</table:table></office:spreadsheet>`,
            ),
          ),
        );
        expect(await warningsOf(file)).to.deep.equal([['COLUMN_HIDDEN', 'role', []]]);
      });
  });

  describe('with rows that were only filled down', () => {
    it('skips these rows, and counts each a single time', async () => {
      const { counts, warnings } = await importing.plan(fixture('google-checkbox-filldown.xlsx'));
      expect(counts).to.include({ rows: 2, created: 2, rejected: 0 });
      const filledDown = warnings.filter(({ code }) => code === 'ROW_EMPTY');
      expect(filledDown.map(({ count, rows }) => [count, rows])).to.deep.equal([
        [30, Array.from({ length: 20 }, (_, index) => index + 4)],
      ]);
      const { stdout, exitCode } = await importing.run(
        `${process.cwd()}/${fixture('google-checkbox-filldown.xlsx')}`,
        '--dry-run',
      );
      expect(exitCode).to.equal(0);
      expect(stdout.replace(/\s+/g, ' ')).to.include(
        '30 rows: The row has no name, email and phone, only values that were filled down. It is not imported (lines 4, 5, 6, 7, 8, ...)',
      );
    });

    it('imports each other row a single time, even if the import is resumed', async () => {
      const lines = [`${header.join()},Role,Active,No`, ',,,,trainee,FALSE,1', `${ada.join()},,,2`, ',,0,,,FALSE,3'];
      const file = importing.write(
        'people.csv',
        [...lines, ...Array.from({ length: 50 }, () => ',,,,trainee,,')].join('\n'),
      );
      const { counts, exitCode } = await importing.json(file);
      expect(exitCode).to.equal(0);
      expect(counts).to.include({ rows: 1, created: 1 });
    });

    it('rejects rows with a field of a person, or with their own course', async () => {
      const trainer = await buildUser(importing.context, { role: 'trainer' });
      for (const title of ['First Aid', 'Knots']) await buildCourse(importing.context, trainer, { title });
      const lines = [
        `${header.join()},Course,Role,reply`,
        `${ada.join()},First Aid,trainee,`,
        ',,,,First Aid,trainee,',
        ',,,,Knots,trainee,',
        ',,,,,,asks for a chair',
        'Bob,,,,First Aid,trainee,',
      ];
      const { samples, warnings } = await importing.plan(importing.write('people.csv', lines.join('\n')));
      expect(samples.map(({ line, outcome }) => [line, outcome])).to.deep.equal([
        [2, 'created'],
        [4, 'rejected'],
        [5, 'rejected'],
        [6, 'rejected'],
      ]);
      expect(warnings.find(({ code }) => code === 'ROW_EMPTY')?.rows).to.deep.equal([3]);
    });
  });

  describe('with several sheets of people', () => {
    it('warns about sheets that are not read, also with --yes and --json', async () => {
      const message = 'Other sheets have people, too, and are not read. To import one: --sheet "Class B"';
      const examples = ['"Class B", "Class C"'];
      const file = `${process.cwd()}/${fixture('class-sheets.xlsx')}`;
      expect((await importing.plan(file)).warnings).to.deep.equal([
        { code: 'SHEETS_NOT_READ', field: null, message, count: 1, rows: [], examples },
      ]);
      const { stdout } = await importing.run(file, '--yes', '--json');
      expect(JSON.parse(stdout).import.warnings[0]).to.include({ code: 'SHEETS_NOT_READ', message });
      expect((await importing.run(file, '--yes')).stderr).to.include(`${message} ("Class B", "Class C")`);
      expect(await warningsOf(file, { sheet: 'Class A' })).to.deep.equal([]);
    });

    it("doesn't warn about sheets that are hidden or have no people", async () => {
      const sheets = ['People', 'Hidden', 'Rooms', 'Header only', 'Damaged'];
      const attributes = ['', ' state="hidden"', '', '', ''];
      const people = row(...header) + row(...ada);
      const contents = [people, people, row('Room', 'Seats') + row('12', '30'), row(...header), '<row>'];
      const parts = Object.fromEntries(
        contents.map((rows, at) => [`xl/worksheets/sheet${at + 1}.xml`, sheetXml(rows)]),
      );
      const relations = sheets.map(
        (_, at) => `<Relationship Id="rId${at + 1}" Type="x/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
      );
      const file = book([], {
        ...parts,
        'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${sheets.map((name, at) => `<sheet name="${name}"${attributes[at]} r:id="rId${at + 1}"/>`).join('')}</sheets></workbook>`,
        'xl/_rels/workbook.xml.rels': relationsXml({}).replace(
          '</Relationships>',
          `${relations.join('')}</Relationships>`,
        ),
      });
      const { counts, warnings } = await importing.plan(file);
      expect(counts.created).to.equal(1);
      expect(warnings).to.deep.equal([]);
    });
  });

  describe('with phones', () => {
    const rowsOf = (...phones: string[]) => [
      row(...header),
      ...phones.map((phone, at) => row('Ada', 'King', `ada${at}@example.org`, phone)),
    ];
    const number = (value: string) => `<c><v>${value}</v></c>`;

    it('warns about a number without the leading zero of the texts', async () => {
      const [lost, ...others] = (await importing.plan(fixture('zeros-mixed.xlsx'))).warnings;
      expect(others).to.deep.equal([]);
      expect(lost).to.deep.include({ code: 'PHONE_ZERO_LOST', count: 1, rows: [2], examples: ['301555901'] });
    });

    it("doesn't warn about texts, or about numbers of other lengths", async () => {
      const texts = ['0301555901', '0301555902', '0301555903'];
      expect(await warningsOf(book(rowsOf(...texts, '301555904')))).to.deep.equal([]);
      expect(await warningsOf(book(rowsOf(...texts, number('49301555904'))))).to.deep.equal([]);
      expect(await warningsOf(book(rowsOf(...texts, number('301555904'))))).to.deep.equal([
        ['PHONE_ZERO_LOST', 'phone', [5]],
      ]);
    });
  });
});
