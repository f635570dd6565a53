import { expect } from 'chai';
import fc from 'fast-check';
import type { Column } from '../../../../src/cli/core/listing/columns.js';
import { relativeTime, rowsText, tableOf } from '../../../../src/cli/core/listing/table.js';
import { cut, displayWidth, layout, wrap } from '../../../../src/cli/core/output/fit.js';

const now = new Date(Date.UTC(2026, 5, 15, 12));
const family = '👩‍👩‍👧‍👦';

describe('Text that is too wide', () => {
  it('is cut with an ellipsis, between characters as people see them', () => {
    expect(cut('Weaving', 7)).to.equal('Weaving');
    expect(cut('Agnieszka Dąbrowska', 18)).to.equal('Agnieszka Dąbrows…');
    expect(cut('Weaving for all', 9)).to.equal('Weaving…');
    expect(cut('花子花子', 6)).to.equal('花子…');
    expect(cut(`${family}${family}abc`, 4)).to.equal(`${family}…`);
    expect(cut('Zoe\u0308e\u0308e\u0308', 4)).to.equal('Zoe\u0308…');
  });

  it('is wrapped between words, and within words that are too long', () => {
    expect(wrap('Introduction to weaving', 12)).to.deep.equal(['Introduction', 'to weaving']);
    expect(wrap('a unbreakable word', 5)).to.deep.equal(['a', 'unbre', 'akabl', 'e', 'word']);
    expect(wrap('花子花子花', 4)).to.deep.equal(['花子', '花子', '花']);
    expect(wrap('a unbreakable word', 5, true)).to.deep.equal(['a', 'unbreakable', 'word']);
  });

  it('has the width of terminals, also with spacing marks', () => {
    expect(['प्रिया', 'கவிதா', 'ထက်', 'អោង', 'Zoe\u0308'].map(displayWidth)).to.deep.equal([5, 5, 2, 3, 3]);
    expect(cut('कवितावली', 6)).to.equal('कविता…');
  });

  it('is never wider than asked for', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (long, width) => {
        expect(displayWidth(cut(long, width))).to.be.at.most(width);
        for (const line of wrap(long, width)) expect(displayWidth(line)).to.be.at.most(width);
        expect(wrap(long, width).join('').replaceAll(' ', '')).to.equal(long.replaceAll(' ', ''));
      }),
    );
  });
});

describe('The columns of a table', () => {
  const extents = [
    { natural: 30, minimum: 10, priority: 0 },
    { natural: 20, minimum: 20, priority: 2 },
    { natural: 20, minimum: 10, priority: 1 },
  ];

  it('are as wide as their cells if they fit, or without a terminal', () => {
    expect(layout(extents)).to.deep.equal([30, 20, 20]);
    expect(layout(extents, 74)).to.deep.equal([30, 20, 20]);
  });

  it('shrink, the widest first; the least important column is left out if the minimum widths do not fit', () => {
    expect(layout(extents, 70)).to.deep.equal([26, 20, 20]);
    expect(layout(extents, 50)).to.deep.equal([13, 20, 13]);
    expect(layout(extents, 43)).to.deep.equal([21, 0, 20]);
    expect(layout(extents, 15)).to.deep.equal([15, 0, 0]);
  });

  interface Person {
    name: string;
    age: number | null;
    born: Date | null;
    id: string;
  }
  const columns: Column<Person>[] = [
    { name: 'name', value: ({ name }) => name, fit: 'wrap', minimum: 6, priority: 0 },
    { name: 'age', value: ({ age }) => age, priority: 0 },
    { name: 'bornAt', value: ({ born }) => born, priority: 1 },
    { name: 'id', value: ({ id }) => id, fit: 'id', priority: 0 },
  ];
  const people: Person[] = [
    { name: 'Ada King', age: 36, born: new Date(Date.UTC(2026, 5, 12)), id: '019aa0c4-7a3b-7c4d-8e5f-6a7b8c9d0e1f' },
    { name: '李 小龙', age: null, born: null, id: '019aa0c4-7a3b-7c4d-8e5f-6a7b8c9d0e2f' },
  ];
  const shown = (width?: number, wishes = {}) => {
    const { heading, lines, leftOut } = tableOf(columns, people, { width, now }, wishes);
    return { lines: [heading, ...lines(people)], leftOut: leftOut.map(({ name }) => name) };
  };

  it('show short ids, relative times and right-aligned numbers at a terminal', () => {
    expect(shown(80)).to.deep.equal({
      lines: [
        'NAME      AGE  BORN AT     ID',
        'Ada King   36  3 days ago  8c9d0e1f',
        '李 小龙                    8c9d0e2f',
      ],
      leftOut: [],
    });
  });

  it('wrap or are left out at a narrow terminal', () => {
    expect(shown(21)).to.deep.equal({
      lines: ['NAME    AGE  ID', 'Ada      36  8c9d0e1f', 'King', '李           8c9d0e2f', '小龙'],
      leftOut: ['bornAt'],
    });
  });

  it('show full values without a terminal', () => {
    expect(shown().lines).to.deep.equal([
      'NAME      AGE  BORN AT                   ID',
      'Ada King   36  2026-06-12T00:00:00.000Z  019aa0c4-7a3b-7c4d-8e5f-6a7b8c9d0e1f',
      '李 小龙                                  019aa0c4-7a3b-7c4d-8e5f-6a7b8c9d0e2f',
    ]);
  });

  it('show whole ids, and are never left out, if they are chosen', () => {
    expect(shown(120, { chosen: true }).lines[1]).to.include('019aa0c4-7a3b-7c4d-8e5f-6a7b8c9d0e1f');
    expect(shown(20, { chosen: true }).leftOut).to.deep.equal([]);
  });

  it('leave space for rows that follow', () => {
    const table = tableOf(columns, people, { width: 60, now }, { fillsWidth: true });
    expect(displayWidth(table.lines(people)[0] ?? '')).to.equal(60);
  });

  it('wrap the values of fields', () => {
    expect(rowsText(['FIELD', 'VALUE'], [['about', 'one two three four five six seven']], { width: 30, now })).to.equal(
      ['FIELD  VALUE', 'about  one two three four five', '       six seven'].join('\n'),
    );
  });
});

describe('A relative time', () => {
  const cases: [seconds: number, says: string][] = [
    [-5, 'just now'],
    [30, 'in less than a minute'],
    [-60, '1 minute ago'],
    [-7199, '1 hour ago'],
    [3 * 3600, 'in 3 hours'],
    [-3 * 86_400 - 5, '3 days ago'],
    [-45 * 86_400, '1 month ago'],
    [-800 * 86_400, '2 years ago'],
  ];
  it('is in the largest unit that fits', () => {
    for (const [seconds, says] of cases)
      expect(relativeTime(new Date(now.getTime() + seconds * 1000), now)).to.equal(says);
  });
});
