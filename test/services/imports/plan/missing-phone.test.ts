import { expect } from 'chai';
import { buildCourse, buildUser, factoryPassword, signIn } from '../../../support/factories.js';
import { corpusFile } from '../support/corpus.js';
import { useImporting } from '../support/importing.js';
import { runToPlan, submit } from '../support/submitting.js';

const header = 'firstName,lastName,email,phone';
const allow = ['--missing-phone', 'allow'];

describe('Rows without a phone', () => {
  const importing = useImporting();
  const { models, cli } = importing;
  const write = (...rows: string[]) => importing.write('people.csv', `${[header, ...rows].join('\n')}\n`);
  const superAdminToken = async () => (await signIn(importing.context, { role: 'super_admin' })).token;
  const byEmail = (email: string) => models().User.findOne({ where: { email }, rejectOnEmpty: true });
  const outcomes = async (importId: string) =>
    (await models().ImportRow.findAll({ where: { importId }, order: ['line'] })).map(({ line, outcome, code }) =>
      [line, outcome, code].filter((part) => part !== null).join(' '),
    );

  it('create no accounts, and the reason names the option and the number of rows', async () => {
    const { stdout } = await importing.run(importing.write('new.csv', corpusFile('phones-missing')), '--dry-run');
    expect(stdout.replace(/\s+/g, ' ')).to.contain(
      '2 rows PHONE_MISSING: Phone is required for a new account. To create accounts without one: --missing-phone allow (lines 2, 3)',
    );
  });

  it('create any number of accounts with --missing-phone allow', async () => {
    const file = write(
      'Ann,Lee,ann@example.org,',
      'Bo,Kim,bo@example.org, ',
      'Cy,Poe,cy@example.org,\u200b',
      'Di,Roe,di@example.org,1',
    );
    const run = await importing.json(file, ...allow);
    expect(run).to.deep.include({ exitCode: 0 });
    expect(run.counts).to.include({ created: 4, rejected: 0 });
    for (const name of ['ann', 'bo', 'cy'])
      expect(await byEmail(`${name}@example.org`)).to.include({ phone: '', phoneKey: null });
    expect(importing.read('people.credentials.csv')).to.match(/2,Ann,Lee,ann@example.org,,/);
  });

  it('need no phone column with --missing-phone allow, at the terminal and over HTTP', async () => {
    const bytes = corpusFile('phones-no-column');
    const file = importing.write('new.csv', bytes);
    expect((await importing.run(file, '--dry-run')).exitCode).to.equal(2);
    const { id } = await submit(importing, bytes.toString(), { plan: true, missingPhone: 'allow' });
    await runToPlan(importing, id);
    const token = await superAdminToken();
    const { body } = await importing.api('get', `/api/imports/${id}`, token).expect(200);
    const { plan } = body.import;
    expect(plan.counts).to.include({ created: 2, rejected: 0 });
    expect(plan.fields.filter(({ required }: { required: boolean }) => required)).to.deep.equal(
      ['firstName', 'lastName', 'email'].map((name) => ({ name, required: true })),
    );
  });

  it('are skipped and enrolled by default if the account exists', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    const course = await buildCourse(importing.context, trainer, { title: 'First Aid' });
    const people = [
      await buildUser(importing.context, { email: 'ann58@corp.example' }),
      await buildUser(importing.context, { email: 'bo58@corp.example' }),
    ];
    const file = importing.write('existing.csv', corpusFile('phones-missing'));
    const run = await importing.json(file, '--course', 'First Aid');
    expect(run).to.deep.include({ exitCode: 0 });
    expect(await outcomes(run.id)).to.deep.equal(['2 skipped ALREADY_EXISTS', '3 skipped ALREADY_EXISTS']);
    const enrolled = await models().Enrollment.findAll({ where: { courseId: course.id } });
    expect(enrolled.map(({ userId }) => userId)).to.have.members(people.map(({ id }) => id));
  });

  it('update the other fields of an account, and keep its phone', async () => {
    await buildUser(importing.context, { email: 'ann@example.org', lastName: 'Lee', phone: '+44 1' });
    const rows = ['Ann,Byron,ann@example.org,', 'New,Person,new@example.org,', 'Ann,Other,ann@example.org,'];
    const run = await importing.json(write(...rows), '--on-existing', 'update');
    expect(await outcomes(run.id)).to.deep.equal([
      '2 updated',
      '3 rejected PHONE_MISSING',
      '4 rejected DUPLICATE_IN_FILE',
    ]);
    expect(await byEmail('ann@example.org')).to.include({ lastName: 'Byron', phone: '+44 1', phoneKey: '+441' });
  });

  it('create accounts that sign in by email, have an empty phone everywhere and can get a phone later', async () => {
    await importing.json(write('Ann,Lee,ann@example.org,', 'Bo,Kim,bo@example.org,'), ...allow);
    const { id } = await byEmail('ann@example.org');
    const admin = await superAdminToken();
    const { body } = await importing.api('get', `/api/users/${id}`, admin).expect(200);
    expect(body.user.phone).to.equal('');
    const { stdout } = await cli('users', 'export');
    expect(stdout).to.contain(',Ann,Lee,ann@example.org,,');
    expect((await cli('users', 'edit', id, '--first-name', 'Anne')).exitCode).to.equal(0);
    expect((await cli('users', 'edit', id, '--phone', '0151/1')).exitCode).to.equal(0);
    expect(await byEmail('ann@example.org')).to.include({ phone: '0151/1', phoneKey: '01511' });
  });

  it('create accounts that no phone without digits finds at login', async () => {
    const { user } = await signIn(importing.context, { email: 'ann@example.org' });
    await user.update({ phone: '', phoneKey: null });
    const login = (identifier: string) =>
      importing.api('post', '/api/auth/login').send({ identifier, password: factoryPassword });
    await login('ann@example.org').expect(200);
    for (const identifier of ['\u200b', '-', 'null']) await login(identifier).expect(401);
  });

  it('can be undone, which restores the missing phone', async () => {
    const created = await importing.json(write('Ann,Lee,ann@example.org,', 'Bo,Kim,bo@example.org,'), ...allow);
    const update = write('Ann,Lee,ann@example.org,1', 'Bo,Kim,bo@example.org,2');
    const updated = await importing.json(update, '--on-existing', 'update');
    expect(updated.counts).to.include({ updated: 2 });
    const undo = (...args: string[]) => cli('imports', 'undo', ...args);
    for (const args of [['--dry-run'], ['--yes']]) {
      const { stdout } = await undo(updated.id, ...args, '--json');
      expect(JSON.parse(stdout)).to.nested.include({ 'undo.restored': 2 });
    }
    expect(await byEmail('ann@example.org')).to.include({ phone: '', phoneKey: null });
    await undo(created.id, '--yes');
    expect(await models().User.count({ where: { email: ['ann@example.org', 'bo@example.org'] } })).to.equal(0);
  });
});

describe('A family in an import', () => {
  const importing = useImporting();

  it('that shares an email or a phone gets advice', async () => {
    const { reasons } = await importing.plan(importing.write('family.csv', corpusFile('phones-family')));
    expect(reasons).to.have.lengthOf(1);
    expect(reasons[0]).to.include({ code: 'DUPLICATE_IN_FILE', count: 2 });
    for (const way of ['separate addresses', 'name+child@example.org', 'separate phones', '--missing-phone allow'])
      expect(reasons[0]?.message).to.contain(way);
  });
});
