import { expect } from 'chai';
import { searchKeyLength } from '../../../../src/schemas/keys.js';
import { recordsOf, useImporting } from '../support/importing.js';

/** Length in characters, as columns count it. */
const lengthOf = (text: string) => Array.from(text).length;

const email = (length: number) => {
  const domain = `@${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(60)}.org`;
  return length <= domain.length ? `a@${'d'.repeat(length - 6)}.org` : `${'l'.repeat(length - domain.length)}${domain}`;
};

/** Each field at its bound, one below and one above, in letters that a fast check takes and in ones that it doesn't. */
const bounds: readonly { field: string; bound: number; of: readonly ((length: number, number: number) => string)[] }[] =
  [
    ...['firstName', 'lastName'].map((field) => ({
      field,
      bound: 50,
      of: [(length: number) => 'x'.repeat(length), (length: number) => '🦊'.repeat(length)],
    })),
    { field: 'email', bound: 248, of: [email] },
    {
      field: 'phone',
      bound: 50,
      of: [
        (length, number) => `+${number}${' 1'.repeat(length).slice(0, length - 4)}2`,
        (length, number) => `${number}${' '.repeat(length - 5)}345`,
        (length) => '１'.repeat(length),
        (length, number) => `(${'-'.repeat(length - 4)}${number})`,
      ],
    },
  ];

describe('The fields of an imported row', () => {
  const importing = useImporting();

  it('are stored whole up to their bounds, and rejected with their row beyond, on every database', async () => {
    const columns = ['firstName', 'lastName', 'email', 'phone'];
    const rows: { person: Record<string, string>; fits: boolean }[] = [];
    for (const { field, bound, of } of bounds)
      for (const make of of)
        for (const length of [bound - 1, bound, bound + 1]) {
          // No address is as long as its column: the longest local part and name are shorter.
          if (field === 'email' && length > bound) continue;
          const number = rows.length + 10;
          const person = {
            firstName: 'Ada',
            lastName: 'King',
            email: `p${number}@example.org`,
            phone: `+1 ${number} 5555`,
          };
          rows.push({ person: { ...person, [field]: make(length, number) }, fits: length <= bound });
        }
    const lines = rows.map(({ person }) => columns.map((column) => person[column]).join(','));
    const run = await importing.json(importing.write('people.csv', `${columns.join(',')}\n${lines.join('\n')}\n`));
    const good = rows.filter(({ fits }) => fits);
    const stored = await importing.context.database.models.User.findAll();
    for (const { person } of good) {
      const user = stored.find((found) => found.email === person.email);
      expect(user, JSON.stringify(person)).to.deep.include(person);
      expect(lengthOf(user?.phoneKey ?? '')).to.be.within(1, 50);
      expect(lengthOf(user?.searchKey ?? '')).to.be.within(1, searchKeyLength);
    }
    expect(run.counts).to.include({ rows: rows.length, created: good.length, rejected: rows.length - good.length });
    const reasons = recordsOf(run.rejectsFile).map(({ reason }) => reason);
    for (const reason of reasons) expect(reason).to.match(/ must be (2 to 50|at most 50) characters\.$/);
    const again = await importing.json('people.csv');
    expect(again.counts).to.include({ created: 0, skipped: good.length, rejected: reasons.length });
  });
});
