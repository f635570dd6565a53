import { expect } from 'chai';
import { type Actor, operator } from '../../src/services/core.js';
import { undoImport } from '../../src/services/imports/commands.js';
import { planImport } from '../../src/services/imports/plan/plan.js';
import { applyImport } from '../../src/services/imports/queue/apply.js';
import { optionsOf } from '../../src/services/imports/store/repository.js';
import { failureOf } from '../db/support/failure.js';
import { people, workbookOf } from '../services/imports/support/importing.js';
import { applyOptions } from '../services/imports/support/running.js';
import { buildCourse, buildUser, signIn, tokenFor } from '../support/factories.js';
import { expectFailure } from './support/expectations.js';
import { fileOf, useTrainerImporting } from './support/trainer-importing.js';

describe('An import of a trainer', () => {
  const importing = useTrainerImporting();
  const { models } = importing;

  /** Applies an import, and calls `change` after its first batch. */
  async function runWith(id: string, change: () => Promise<unknown>): Promise<string | undefined> {
    await importing.stopWorker();
    await importing.call('post', `/${id}/apply`).send({}).expect(202);
    const record = await models().Import.findByPk(id, { rejectOnEmpty: true });
    const { signal } = new AbortController();
    const request = { file: record.filePath, options: optionsOf(record), signal, record };
    const plan = await planImport(importing.context, request);
    let changed: Promise<unknown> | undefined;
    const actor: Actor = { origin: 'http', actorId: importing.trainer.id, ip: null, role: 'trainer' };
    const onProgress = () => {
      changed ??= change();
    };
    const options = applyOptions({ record, signal, onProgress });
    const failure = await failureOf(() => applyImport(importing.context, actor, plan, options));
    await changed;
    return failure.code;
  }

  for (const [how, code] of [
    ['gets another trainer', 'COURSE_LOST'],
    ['has a trainer who is deactivated', 'ACCOUNT_INACTIVE'],
  ] as const)
    it(`ends between batches if the course ${how}`, async () => {
      const { context, course, trainer } = importing;
      const other = await buildUser(context, { role: 'trainer' });
      // The batches of tests have 50 rows.
      const { id } = await importing.planFile(people(190));
      const lose = () =>
        code === 'COURSE_LOST' ? course.update({ trainerId: other.id }) : trainer.update({ isActive: false });
      expect(await runWith(id, lose)).to.equal(code);
      const { rowsDone, createdCount } = await models().Import.findByPk(id, { rejectOnEmpty: true });
      expect(rowsDone).to.equal(createdCount).and.to.be.within(50, 150);
      expect(await models().Enrollment.count()).to.equal(rowsDone);
      // The super admin can still undo it.
      const { removed } = await undoImport(context, operator, id, { signal: new AbortController().signal });
      expect(removed).to.equal(rowsDone);
    });

  it('takes its trainer from the session only', async () => {
    const other = await buildUser(importing.context, { role: 'trainer' });
    const foreign = await buildCourse(importing.context, other);
    const { trainer } = await importing.planFile(fileOf('a@example.org'), { trainerId: other.id });
    expect(trainer.id).to.equal(importing.trainer.id);
    expect(
      (await importing.upload(fileOf('a@example.org'), { trainerId: other.id, course: foreign.id })).status,
    ).to.equal(400);
    const admin = await signIn(importing.context, { role: 'super_admin' });
    const { body } = await importing
      .call('post', '', admin.token)
      .attach('file', Buffer.from(people(1)), 'people.csv')
      .field({ plan: 'true', trainerId: importing.trainer.id })
      .expect(202);
    expect(body.import.trainer).to.equal(null);
    const { id } = body.import;
    await importing.settle(id);
    for (const path of ['', '/rows', '/events', '/rejected.csv', '/outcome.csv'])
      expectFailure(await importing.call('get', `/${id}${path}`), 'NOT_FOUND', 'Import not found.');
    for (const path of ['/plan', '/apply', '/resume', '/undo', '/cancel'])
      expectFailure(
        await importing.call('post', `/${id}${path}`).send({ trainerId: importing.trainer.id }),
        'NOT_FOUND',
        'Import not found.',
      );
  });

  it('reads no phones and roles from workbooks and other encodings either', async () => {
    const rows = [
      [
        'Vorname',
        'Nachname',
        'E-Mail',
        'Telefon',
        'Handy',
        'Rolle',
        'Kennwort',
        'Kurs',
        'Klasse',
        'Nachricht an Teilnehmende',
      ],
      ['Zoë', 'Müller', 'zoe@example.org', '+49 30 1', '+49 30 2', 'Trainer', 'geheim-99', 'Compilers', '9b', 'Hallo'],
    ];
    const text = rows.map((row) => row.join(';')).join('\r\n');
    const files = [
      ['people.xlsx', await workbookOf(rows)],
      ['people.csv', Buffer.from(text, 'latin1')],
      ['people.csv', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])],
    ] as const;
    for (const [name, file] of files) {
      const { plan } = await importing.planFile(file, {}, name);
      expect(plan.counts, name).to.include({ created: 1, enrolled: 1 });
      const read = plan.columns.flatMap(({ field }: { field: string | null }) => field ?? []);
      expect(read).to.deep.equal(['firstName', 'lastName', 'email']);
      expect(JSON.stringify(plan)).not.to.include('geheim-99');
    }
  });

  it('begins with a template of the columns that trainers can import', async () => {
    const { text } = await importing.call('get', '/template.csv').expect(200);
    expect(text.split('\n')[0]).to.equal('firstName,lastName,email,language');
    expectFailure(await importing.call('get', '/example.csv'), 'SUPER_ADMIN_REQUIRED');
  });

  it('names its trainer at the terminal, and can be imported again there', async () => {
    const { firstName, lastName } = importing.trainer;
    const { number } = await importing.importPeople(fileOf('a@example.org', 'nobody'));
    for (const command of ['list', 'show'])
      expect(
        (await importing.cli('imports', command, ...(command === 'show' ? [String(number)] : []))).stdout,
      ).to.include(`${firstName} ${lastName}`);
    const { stdout } = await importing.cli('imports', 'rejects', String(number), '--output', 'fix.csv');
    expect(stdout)
      .to.include(`--course ${importing.course.id}`)
      .and.to.include('--invite')
      .and.not.to.include('trainer');
  });

  it('can be cancelled and read after the course is lost, but not continued', async () => {
    const { id } = await importing.planFile(fileOf('a@example.org', 'nobody'));
    const other = await buildUser(importing.context, { role: 'trainer' });
    await importing.course.update({ trainerId: other.id });
    expect((await importing.show(id)).status).to.equal('planned');
    for (const path of ['plan', 'apply'])
      expectFailure(await importing.call('post', `/${id}/${path}`).send({}), 'COURSE_LOST');
    await importing.call('post', `/${id}/cancel`).expect(200);
    // The new trainer gets no access.
    const token = await tokenFor(importing.context, other);
    expectFailure(await importing.call('get', `/${id}`, token), 'NOT_FOUND', 'Import not found.');
  });
});
