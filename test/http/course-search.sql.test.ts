import { expect } from 'chai';
import { useHarness } from '../support/harness.js';
import { type Person, useCast } from './support/cast.js';

for (const [size, settings] of [
  ['few', {}],
  ['many', { SEARCH_SCAN_ROWS: '0' }],
] as const)
  describe(`A search among ${size} courses`, () => {
    const harness = useHarness(settings);
    const cast = useCast(harness);

    async function create(title: string, fields: object = {}): Promise<string> {
      const course = { title, description: 'What it is about.', ...fields };
      const { body } = await harness.api('post', '/api/courses', cast.owner.token).send(course).expect(201);
      return body.course.id;
    }

    async function found(search: string, path = '/api/courses?', by: Person = cast.admin): Promise<string[]> {
      const { body } = await harness.api('get', `${path}search=${encodeURIComponent(search)}`, by.token).expect(200);
      expect(body.pagination.totalItems, search).to.equal(body.courses.length);
      return body.courses.map(({ title }: { title: string }) => title).sort();
    }

    it('finds the beginnings of words of titles, categories and tags, in any order, without case and accents', async () => {
      await create('Café-Baking for Beginners', { category: 'Kitchen Arts', tags: ['sour dough'] });
      await create("Painter's Workshop", { category: 'Fine Arts', tags: ['oil', 'water-colour'] });
      await create('書道入門');
      await create('Ο κόσμος της φωτογραφίας', { tags: ['φως'] });
      const [baking, painting, writing] = ['Café-Baking for Beginners', "Painter's Workshop", '書道入門'];
      const photography = 'Ο κόσμος της φωτογραφίας';
      for (const [search, titles] of [
        ['cafe', [baking]],
        ['BAKING', [baking]],
        ['begin bak', [baking]],
        ['arts', [baking, painting]],
        ['arts paint', [painting]],
        ['dough kitchen', [baking]],
        ['colour', [painting]],
        ['water-col', [painting]],
        ['s workshop', [painting]],
        ['道', [writing]],
        ['入門', [writing]],
        ['ΚΟΣ', [photography]],
        ['ΦΩΣ ΦΩΤΟΓΡΑΦΊΑΣ', [photography]],
        ['cafe oil', []],
        ['nothing', []],
        ['%', []],
        ['-', size === 'few' ? [baking, painting] : []],
        ['aking', size === 'few' ? [baking] : []],
        ['orksh', size === 'few' ? [painting] : []],
      ] as const)
        expect(await found(search), search).to.deep.equal([...titles].sort());
    });

    if (size === 'few')
      it('searches for every sign literally', async () => {
        await create("100% snake_case \\ O'Reilly");
        await create('1000 snakeXcases');
        for (const search of ['%', '_', '\\', "'", '100%', 'SNAKE_C'])
          expect(await found(search), search).to.deep.equal(["100% snake_case \\ O'Reilly"]);
        for (const search of ['s*', "' OR 1=1 --", ':search', '?'])
          expect(await found(search), search).to.deep.equal([]);
        for (const search of ['', '  ', '\u0301']) expect(await found(search), search).to.have.length(2);
      });

    it('respects access to courses, other filters, and pages', async () => {
      const id = await create('Weaving one', { category: 'Crafts' });
      await create('Weaving two', { category: 'Crafts' });
      await harness.api('put', `/api/courses/${id}/publish`, cast.owner.token).send({ isPublished: true }).expect(200);
      expect(await found('weav', '/api/courses?', cast.trainee)).to.deep.equal(['Weaving one']);
      expect(await found('weav', '/api/courses?', cast.owner)).to.deep.equal(['Weaving one', 'Weaving two']);
      expect(await found('weav', '/api/courses?category=Crafts&isPublished=false&')).to.deep.equal(['Weaving two']);
      const { body } = await harness.api('get', '/api/courses?search=weav&limit=1', cast.admin.token).expect(200);
      expect(body.pagination).to.include({ totalItems: 2, totalPages: 2 });
    });

    it('finds a course by its current title only, and not after its deletion', async () => {
      const id = await create('Pottery', { tags: ['clay'] });
      const change = (fields: object) =>
        harness.api('put', `/api/courses/${id}`, cast.owner.token).send(fields).expect(200);
      await change({ title: 'Ceramics' });
      expect([await found('pottery'), await found('ceram'), await found('clay')]).to.deep.equal([
        [],
        ['Ceramics'],
        ['Ceramics'],
      ]);
      await change({ tags: ['glaze'], category: 'Earth' });
      expect([await found('clay'), await found('glaz earth')]).to.deep.equal([[], ['Ceramics']]);
      await change({ description: 'Other.' });
      expect(await found('ceram')).to.deep.equal(['Ceramics']);
      await harness.api('delete', `/api/courses/${id}`, cast.owner.token).expect(200);
      expect(await found('ceram')).to.deep.equal([]);
      expect(await harness.context.database.models.CourseWord.count()).to.equal(0);
    });

    it("finds text anywhere among a trainer's own courses", async () => {
      await create('Basketry');
      const path = `/api/courses/trainer/${cast.owner.user.id}?`;
      for (const search of ['bask', 'ketr'])
        expect(await found(search, path, cast.owner), search).to.deep.equal(['Basketry']);
    });
  });
