import { expect } from 'chai';
import { rekeyPhones } from '../../src/services/accounts/rekey-phones.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Person, useCast } from './support/cast.js';

for (const [size, settings] of [
  ['few', {}],
  ['many', { SEARCH_SCAN_ROWS: '0' }],
] as const)
  describe(`A search among ${size} accounts`, () => {
    const harness = useHarness(settings);
    const cast = useCast(harness);
    let emails: string[];
    beforeEach(async () => {
      const people = [
        ['Anne-Marie', 'van Dijk', 'am@north-wind.example', '+44 20 7946 0001'],
        ['Łukasz', "O'Hara", 'lh@example.com', '020 7946 0002'],
        ['小龙', '李', 'li@example.com', '+86 1'],
        ['José', 'Dijkstra', 'jose.d@example.com', '+34 2'],
        ['Κώστας', 'Παπάς', 'κ.παπάσ@example.gr', '+30 3'],
        ['Jürgen', 'Großmann', 'j@example.de', '+49 4'],
        ['Işık', 'Şahin', 'i@example.tr', '+90 5'],
      ] as const;
      emails = [];
      for (const [firstName, lastName, email, phone] of people) {
        await buildUser(harness.context, { firstName, lastName, email, phone });
        emails.push(email);
      }
    });

    async function found(search: string, path = '/api/users?', by: Person = cast.admin): Promise<string[]> {
      const { body } = await harness.api('get', `${path}search=${encodeURIComponent(search)}`, by.token).expect(200);
      const people = body.users ?? body.trainees ?? body.enrollments.map(({ user }: { user: object }) => user);
      expect(body.pagination.totalItems, search).to.equal(people.length);
      return people.map(({ email }: { email: string }) => email).sort();
    }
    const expected = (indexes: readonly number[]) => indexes.map((index) => emails[index]).sort();

    it('finds the beginnings of words, in any order, without case and accents', async () => {
      for (const [search, indexes] of [
        ['anne', [0]],
        ['dijk', [0, 3]],
        ['dijk anne', [0]],
        ['jos DIJK', [3]],
        ['north', [0]],
        ['@north-wind', [0]],
        ['example.com', [1, 2, 3]],
        ["o'h", [1]],
        ['łuk', [1]],
        ['ŁUKASZ', [1]],
        ['grossm', [5]],
        ['GROSSMANN', [5]],
        ['IŞIK', [6]],
        ['龙', [2]],
        ['jose.d@', [3]],
        ['ΚΩΣ', [4]],
        ['παπας', [4]],
        ['+4420', [0]],
        ['0207946', size === 'few' ? [0, 1] : [1]],
        ['anne nobody', []],
        ['%', []],
        ["'", size === 'few' ? [1] : []],
        ['\\', []],
      ] as const)
        expect(await found(search), search).to.deep.equal(expected(indexes));
    });

    it(`${size === 'few' ? 'finds' : 'does not find'} text in the middle of a word`, async () => {
      for (const [search, indexes] of [
        ['kstra', [3]],
        ['ind.exa', [0]],
        ['79460001', [0]],
      ] as const)
        expect(await found(search), search).to.deep.equal(size === 'few' ? expected(indexes) : []);
    });

    it('finds a name in any order, with a comma or without, and with any spelling of an umlaut', async () => {
      const add = (firstName: string, lastName: string, email: string) =>
        buildUser(harness.context, { firstName, lastName, email });
      const [anna, otto] = ['a@muster.example', 'o@muster.example'];
      await add('Anna', 'Müller', anna);
      await add('Otto', 'Mueller', otto);
      for (const search of ['Müller, Anna', 'Mül Anna', 'Anna Mül', 'anna mueller', 'MUELLER,ANNA', 'muell, a'])
        expect(await found(search), search).to.deep.equal([anna]);
      for (const search of ['Müller', 'mueller', 'muster mul'])
        expect(await found(search), search).to.deep.equal(search === 'muster mul' ? [anna] : [anna, otto]);
      expect(await found('Anna Otto')).to.deep.equal([]);
    });

    it('finds a phone with a national zero or the calling code, however it is stored', async () => {
      const add = (email: string, phone: string) => buildUser(harness.context, { email, phone });
      const [abroad, home] = ['abroad@phones.example', 'home@phones.example'];
      await add(abroad, '+49 160 1000234');
      await add(home, '0160 1000567');
      const national = ['0160 1000', '0160/1000', '(0160) 1000'];
      const international = ['+49 160 1000', '0049 160 1000'];
      for (const search of international) expect(await found(search), search).to.deep.equal([abroad, home]);
      // An index of many accounts finds a national number in its country only.
      for (const search of national)
        expect(await found(search), search).to.deep.equal(size === 'few' ? [abroad, home] : [home]);
      expect(await found('+49 160 1000 567')).to.deep.equal([home]);
      for (const search of ['+43 160 1000 234', '0161 1000']) expect(await found(search), search).to.deep.equal([]);
      expect(await found('1000234')).to.deep.equal(size === 'few' ? [abroad] : []);

      const { changed } = await rekeyPhones(harness.context, 'DE');
      expect(changed).to.be.above(0);
      try {
        for (const search of [...national, ...international])
          expect(await found(search), search).to.deep.equal([abroad, home]);
        expect(await found('0160 1000 234')).to.deep.equal([abroad]);
      } finally {
        await rekeyPhones(harness.context, null);
      }
    });

    it('finds available trainees, and enrollments by their trainees, but not by phone', async () => {
      const { context } = harness;
      const course = await buildCourse(context, cast.owner.user);
      const other = await buildCourse(context, cast.owner.user);
      const { User } = context.database.models;
      for (const email of emails) {
        const user = await User.findOne({ where: { email }, rejectOnEmpty: true });
        await buildEnrollment(context, user, course);
      }
      const available = `/api/enrollments/available-trainees?courseId=${other.id}&`;
      for (const path of ['/api/enrollments?', available]) {
        expect(await found('dijk', path), path).to.deep.equal(expected([0, 3]));
        expect(await found('hara luk', path), path).to.deep.equal(expected([1]));
        expect(await found('van Dijk, Anne', path), path).to.deep.equal(expected([0]));
        expect(await found('+4420', path), path).to.deep.equal([]);
      }
      for (const path of [`/api/enrollments?courseId=${course.id}&`, `/api/enrollments/course/${course.id}/trainees?`])
        for (const [search, indexes] of [
          ['van Dijk, Anne', [0]],
          ['hara luk', [1]],
          ['kstra', [3]],
          ['grossm jür', [5]],
          ['+4420', []],
        ] as const)
          expect(await found(search, path), `${path}${search}`).to.deep.equal(expected(indexes));
      expect(await found('dijk', available, cast.owner)).to.deep.equal(expected([0, 3]));
    });

    it('reflects changes of names and emails', async () => {
      const { id } = (await harness.api('get', '/api/users?search=hara', cast.admin.token).expect(200)).body.users[0];
      const change = (fields: object) =>
        harness.api('put', `/api/users/${id}`, cast.admin.token).send(fields).expect(200);
      await change({ lastName: 'de la Cruz' });
      expect(await found('hara')).to.deep.equal([]);
      expect(await found('cruz la')).to.deep.equal(expected([1]));
      await change({ email: 'lukasz@south.example' });
      expect(await found('south')).to.deep.equal(['lukasz@south.example']);
      expect(await found('example.com')).to.deep.equal(expected([2, 3]));
      await harness.api('delete', `/api/users/${id}`, cast.admin.token).expect(200);
      expect(await found('cruz')).to.deep.equal([]);
    });
  });
