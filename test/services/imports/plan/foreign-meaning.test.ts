import { expect } from 'chai';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { useImporting } from '../support/importing.js';

interface Expected {
  file: string;
  created: number;
  /** Warnings and rejections, each with up to five of its lines. */
  told?: [code: string, lines: number[]][];
  ignored?: string[];
  fields?: Record<string, string>;
}

/** Files of other programs, one of each kind. */
const files: Record<string, Expected> = {
  'some fields of an export of enrollments, with its status': {
    file: 'enrollment-fields.csv',
    created: 2,
    ignored: ['progress', 'enrolledAt', 'notes'],
    fields: { status: 'enrollmentStatus' },
  },
  'blank hidden columns, without a warning': { file: 'hidden-empty.xlsx', created: 2 },
  'columns such as "deceased" that all say no': { file: 'marks-all-no.csv', created: 2 },
  'such columns of a German list': {
    file: 'marks-german.csv',
    created: 4,
    told: [2, 3, 4, 5].map((line) => ['STATE_NOT_IMPORTED', [line]]),
  },
  'such columns of Salesforce, in capitals': {
    file: 'marks-salesforce.csv',
    created: 2,
    told: [['STATE_NOT_IMPORTED', [2]]],
  },
  'headings that only look like such columns': { file: 'marks-alike.csv', created: 2 },
  'formulas of Excel whose result is blank': {
    file: 'formula-blank-result.xlsx',
    created: 2,
    told: [['STATE_INACTIVE', [3]]],
  },
  'a shared formula without results': {
    file: 'formula-shared.xlsx',
    created: 0,
    told: [['FORMULA_NOT_CALCULATED', [2, 3, 4]]],
  },
  'formulas of OpenDocument without a value': {
    file: 'formula-without-value.ods',
    created: 1,
    told: [
      ['FORMULA_NOT_CALCULATED', [3, 4]],
      ['FORMULA_NOT_CALCULATED', [2]],
    ],
  },
  'filled-down rows, stored as one row with a count': {
    file: 'repeated-defaults.ods',
    created: 2,
    told: [['ROW_EMPTY', [3, 4, 5, 6, 7]]],
  },
  'formulas without results in filled-down rows': {
    file: 'formula-defaults.xlsx',
    created: 1,
    told: [['ROW_EMPTY', [3, 4, 5, 6, 7]]],
  },
  'suspended users of Moodle': {
    file: 'moodle-users.csv',
    created: 2,
    told: [['STATE_INACTIVE', [3]]],
    fields: { suspended: 'suspended', lang: 'language' },
  },
};

describe('Files of other programs', () => {
  const importing = useImporting();

  for (const [name, { file, created, told = [], ignored = [], fields = {} }] of Object.entries(files))
    it(`are planned with the right counts and warnings: ${name}`, async () => {
      const trainer = await buildUser(importing.context, { role: 'trainer' });
      await buildCourse(importing.context, trainer, { title: 'Evening course', isPublished: true });
      const { counts, reasons, warnings, columns } = await importing.plan(`test/fixtures/meaning/${file}`);
      expect([...reasons, ...warnings].map(({ code, rows }) => [code, rows.slice(0, 5)])).to.deep.equal(told);
      expect(counts.created).to.equal(created);
      const fieldOf = (heading: string) => columns.find((column) => column.heading === heading)?.field;
      for (const heading of ignored) expect(fieldOf(heading), heading).to.equal(null);
      for (const [heading, field] of Object.entries(fields)) expect(fieldOf(heading), heading).to.equal(field);
    });
});
