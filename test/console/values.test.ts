import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { enrollmentStatuses, statusRules } from '../../src/console/api/enrollment-statuses.js';
import { changedFields, courseProblems, formValuesOf } from '../../src/console/courses/course-values.js';
import { actionsFor, statusAfter } from '../../src/console/enrollments/enrollment-changes.js';
import { clientName } from '../../src/console/ui/client-name.js';
import { applySearchChange, listSearch, orderOf, searchNavigation } from '../../src/console/ui/lists/list-search.js';

describe('The URL of a list', () => {
  it('keeps known and valid parameters, as text', () => {
    const read = listSearch('role');
    expect(read({ page: '2', limit: -1, search: '', role: true, colour: 'red' })).to.deep.equal({
      page: 2,
      role: 'true',
    });
    for (const page of ['x', '0', '-1', 1.5, null]) expect(read({ page })).to.deep.equal({});
  });

  it('returns to page 1 after every change except of page and columns', () => {
    const now = { page: 3, search: 'ann', role: 'trainee' };
    expect(applySearchChange(now, { role: undefined })).to.deep.equal({ search: 'ann' });
    expect(applySearchChange(now, { page: 4 })).to.deep.equal({ ...now, page: 4 });
    expect(applySearchChange(now, { columns: 'name' } as object)).to.deep.equal({ ...now, columns: 'name' });
    expect(searchNavigation<typeof now>({ search: 'b' }).replace).to.equal(true);
  });

  it('names a sort order that the service supports, or none', () => {
    expect(orderOf(['name', 'email'], '-email')).to.deep.equal({ sortBy: 'email', sortOrder: 'DESC' });
    expect(orderOf(['name'], 'name')).to.deep.equal({ sortBy: 'name', sortOrder: 'ASC' });
    expect(orderOf(['name'], '-phone').sortBy).to.equal(undefined);
  });
});

describe('The form of a course', () => {
  it('accepts whole numbers of seats from 1, or no limit', () => {
    for (const maxStudents of ['', 1, 12])
      expect(courseProblems({ ...formValuesOf(), maxStudents }, String as never)).to.deep.equal({});
    for (const maxStudents of [0, -1, 12.5, '1'])
      expect(courseProblems({ ...formValuesOf(), maxStudents }, String as never)).to.have.property('maxStudents');
  });

  it('has an input for every field, and the page of a course shows every field', () => {
    const source = (file: string) =>
      readFileSync(new URL(`../../src/console/courses/${file}`, import.meta.url), 'utf8');
    const names = Object.keys(formValuesOf());
    const form = source('course-form.tsx');
    expect(names.filter((name) => !form.includes(`form.field('${name}'`))).to.deep.equal([]);
    const page = source('course-facts.tsx');
    // The page shows free seats instead of the maximum.
    const elsewhere = ['maxStudents', 'autoAccept', 'waitingMax', 'isFeatured'];
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).to.deep.equal(elsewhere);
  });

  it('sends only changed fields, and emptied fields as null', () => {
    const before = { ...formValuesOf(), title: 'Compilers', location: 'Room 1', tags: ['c'] };
    expect(changedFields(before, { ...before, title: 'Weaving', location: ' ', tags: ['c'] })).to.deep.equal({
      title: 'Weaving',
      location: null,
    });
  });
});

describe('The actions for an enrollment', () => {
  for (const status of enrollmentStatuses)
    it(`with status ${status} are all changes that managers may make, and removal`, () => {
      const allowed = Object.entries<readonly string[]>(statusRules[status].followedBy);
      const offered = actionsFor([{ status }]);
      expect(offered.pop()).to.equal('remove');
      const leadTo = offered.map((action) => action !== 'remove' && statusAfter(action));
      expect(leadTo).to.have.members(allowed.flatMap(([to, sides]) => (sides.includes('manager') ? to : [])));
    });
});

describe('The name of a client', () => {
  for (const [header, name] of [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox, Linux'],
    ['Mozilla/5.0 (Windows NT 10.0) (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge, Windows'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1', 'Safari, iOS'],
    ['curl/8.14.1', 'curl'],
    ['coursectl-sync 1.0', 'coursectl-sync 1.0'],
    ['', undefined],
  ] as const)
    it(`is ${name}`, () => {
      expect(clientName(header)).to.equal(name);
    });
});
