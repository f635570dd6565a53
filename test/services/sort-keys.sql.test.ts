import { expect } from 'chai';
import { storedWords } from '../../src/schemas/search-words.js';
import { userKeys } from '../../src/services/accounts/keys.js';
import { courseKeys } from '../../src/services/courses/commands.js';
import { ada } from '../http/support/expectations.js';
import { buildCourse, signIn } from '../support/factories.js';
import { runCli } from '../support/run-cli.js';
import { hashedPeople, useImporting } from './imports/support/importing.js';

describe('Search and sort keys of names and titles', () => {
  const importing = useImporting();
  const cli = async (...args: string[]) => {
    const { exitCode, stderr } = await runCli(args, {
      env: importing.env,
      cwd: importing.folder,
      stdin: `${ada.password}\n`,
    });
    expect(exitCode, stderr).to.equal(0);
  };

  /** Asserts that all stored keys fit their texts. */
  async function expectCorrectKeys(counts: { users: number; courses?: number }): Promise<void> {
    const { AccountWord, Course, User } = importing.context.database.models;
    const [users, courses] = [await User.findAll(), await Course.findAll()];
    expect({ users: users.length, courses: courses.length }).to.deep.equal({ courses: 0, ...counts });
    for (const user of users) expect(user, user.lastName).to.include(userKeys(user));
    for (const course of courses) expect(course, course.title).to.include(courseKeys(course));
    const words = users.flatMap((user) => storedWords(user).map((word) => `${user.id} ${word}`));
    const stored = await AccountWord.findAll();
    expect(stored.map(({ word, accountId }) => `${accountId} ${word}`).sort()).to.deep.equal(words.sort());
  }

  it('are correct after setup, registration and changes of names', async () => {
    const { api } = importing;
    await api('post', '/api/auth/setup')
      .send({ ...ada, firstName: 'Ädä', lastName: 'Lovelace' })
      .expect(201);
    await expectCorrectKeys({ users: 1 });
    const identifier = ada.email;
    const { token } = (await api('post', '/api/auth/login').send({ identifier, password: ada.password }).expect(200))
      .body;
    await api('put', '/api/auth/profile', token).send({ lastName: 'King-Noël' }).expect(200);
    const person = { ...ada, firstName: 'Émile', lastName: 'Ørsted', email: 'emile@example.org', phone: '1234' };
    await api('post', '/api/auth/register', token)
      .send({ ...person, role: 'trainee' })
      .expect(201);
    await expectCorrectKeys({ users: 2 });
    const { id } = (await api('get', '/api/users?role=trainee', token).expect(200)).body.users[0];
    await api('put', `/api/users/${id}`, token).send({ lastName: 'Weiß' }).expect(200);
    await api('put', `/api/users/${id}`, token).send({ firstName: 'Zoë' }).expect(200);
    await expectCorrectKeys({ users: 2 });
    await cli('users', 'edit', 'emile@example.org', '--last-name', 'de la Cruz');
    await expectCorrectKeys({ users: 2 });
    const { User } = importing.context.database.models;
    expect(await User.count({ where: { lastNameKey: 'de la cruz  de la Cruz', firstNameKey: 'zoe  Zoë' } })).to.equal(
      1,
    );
    await api('delete', `/api/users/${id}`, token).expect(200);
    await expectCorrectKeys({ users: 1 });
  });

  it('are correct after changes of courses', async () => {
    const { api, context } = importing;
    const { token, user } = await signIn(context, { role: 'trainer' });
    const fields = { title: 'Élan vital', description: 'What it is about.', category: 'Künste' };
    const { id } = (await api('post', '/api/courses', token).send(fields).expect(201)).body.course;
    await expectCorrectKeys({ users: 1, courses: 1 });
    for (const change of [{ title: 'Æsthetics' }, { category: 'Ästhetik' }, { category: null }, { tags: ['x'] }]) {
      await api('put', `/api/courses/${id}`, token).send(change).expect(200);
      await expectCorrectKeys({ users: 1, courses: 1 });
    }
    await api('post', '/api/courses', token).send({ title: 'Without category', description: 'x' }).expect(201);
    await cli('courses', 'edit', id, '--title', 'Über Ähren', '--category', '3D');
    await expectCorrectKeys({ users: 1, courses: 2 });
    const { Course } = context.database.models;
    expect(await Course.count({ where: { titleKey: 'uber ahren  Über Ähren', categoryKey: '3d  3D' } })).to.equal(1);
    expect((await buildCourse(context, user)).categoryKey).to.equal(null);
  });

  it('are correct after imports that create and update, and after their undo', async () => {
    const { models } = importing.context.database;
    const count = 120;
    const file = (name: string, first: string, last: string) =>
      importing.write(name, hashedPeople(count).replaceAll('Given', first).replaceAll('Family', last));
    const created = await importing.json(file('new.csv', 'Émile', 'Ørsted'));
    await expectCorrectKeys({ users: count });
    const before = await models.User.findAll({ order: ['id'], raw: true });
    const { id, counts } = await importing.json(file('both.csv', 'İpek', 'O’Brien'), '--on-existing', 'update');
    expect(counts.updated).to.equal(count);
    await expectCorrectKeys({ users: count });
    await cli('imports', 'undo', id, '--yes');
    await expectCorrectKeys({ users: count });
    expect(await models.User.findAll({ order: ['id'], raw: true })).to.deep.equal(before);
    await cli('imports', 'undo', created.id, '--yes');
    await expectCorrectKeys({ users: 0 });
  });
});
