import { expect } from 'chai';
import { mailSettings } from '../../../support/environment.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../../../support/factories.js';
import { useMailServer } from '../../../support/mailbox.js';
import { breakAt } from '../support/fault.js';
import { people, useImporting } from '../support/importing.js';
import { importFile, importFirstBatch } from '../support/running.js';
import { runToEnd, runToPlan, submit } from '../support/submitting.js';

const header = 'firstName,lastName,email,phone,isActive,password,course,enrollmentStatus\n';

for (const batchRows of [1, 50])
  describe(`An import that mails people about their enrollments, ${batchRows} rows a batch`, () => {
    const importing = useImporting({ ...mailSettings, IMPORT_BATCH_ROWS: String(batchRows) });
    const mailbox = useMailServer(importing);
    const { models } = importing;
    const write = (...rows: string[]) => importing.write('people.csv', `${header}${rows.join('\n')}\n`);
    beforeEach(async () => {
      const { context } = importing;
      const trainer = await buildUser(context, { role: 'trainer' });
      for (const title of ['Knots', 'Ropes']) await buildCourse(context, trainer, { title, isPublished: true });
      await buildCourse(context, trainer, { title: 'Draft' });
    });
    const courseNamed = (title: string) => models().Course.findOne({ where: { title }, rejectOnEmpty: true });
    /** Mails of the outbox in the order of the addresses. */
    async function mails() {
      const users = new Map((await models().User.findAll()).map(({ id, email }) => [id, email]));
      const courses = new Map((await models().Course.findAll()).map(({ id, title }) => [id, title]));
      const shown = (await models().Mail.findAll()).map(({ kind, userId, courseId, state, importId }) => ({
        text: [users.get(userId ?? ''), kind, courses.get(courseId ?? '')].filter(Boolean).join(' '),
        state,
        importId,
      }));
      return shown.sort((one, other) => one.text.localeCompare(other.text));
    }
    const told = async () => (await mails()).map(({ text }) => text);
    /** Checks the number of mails in the plan, imports, and checks that as many mails are queued. */
    async function planned(file: string, ...options: string[]): Promise<number> {
      const { news } = JSON.parse((await importing.run(file, ...options, '--dry-run', '--json')).stdout).plan;
      const about = { where: { kind: ['enrolled', 'accepted'] } };
      const before = await models().Mail.count(about);
      const imported = await importing.json(file, ...options);
      expect(await models().Mail.count(about)).to.equal(before + news);
      expect(imported).to.include({ news });
      return news;
    }

    it('sends new and existing people one mail for each published course, but only with the option', async () => {
      const { context } = importing;
      const knots = await courseNamed('Knots');
      const existing = (name: string) => buildUser(context, { email: `${name}@x.org` });
      const [ben, cyn, dan, gus, off] = [
        await existing('ben'),
        await existing('cyn'),
        await existing('dan'),
        await existing('gus'),
        await existing('off'),
      ];
      await buildEnrollment(context, ben, knots, { status: 'active' });
      await buildEnrollment(context, cyn, knots, { status: 'cancelled' });
      await buildEnrollment(context, gus, knots, { status: 'waiting' });
      await off.update({ mailOff: 'enrolled' }, { silent: true });
      const file = write(
        'Ada,King,ada@x.org,+1 1,,,Knots,',
        'Ada,King,ada@x.org,+1 1,,,Ropes,',
        ...[ben, cyn, gus, off].map(({ email, phone }) => `Test,Person,${email},${phone},,,Knots,`),
        `Test,Person,${dan.email},${dan.phone},,,Draft,`,
        'Eve,May,eve@x.org,+1 5,,,Ropes,pending',
      );
      expect(await planned(file, '--notify')).to.equal(4);
      expect(await told()).to.deep.equal([
        'ada@x.org enrolled Knots',
        'ada@x.org enrolled Ropes',
        'cyn@x.org enrolled Knots',
        'gus@x.org accepted Knots',
      ]);
      await importing.json(write('Fay,Low,fay@x.org,+1 6,,,Knots,'));
      expect(await told()).to.have.length(4);
    });

    it("doesn't mail people whom it invites on any line, but mails people with passwords in the file", async () => {
      const waiting = await buildUser(importing.context, { email: 'gil@x.org', isActive: false });
      await waiting.update({ hasPassword: false, inviteState: 'queued' }, { silent: true });
      const again = `Test,Person,gil@x.org,${waiting.phone},true,,Knots,`;
      const file = write(
        'Ada,King,ada@x.org,+1 1,,,Knots,',
        'Ada,King,ada@x.org,+1 1,,,Ropes,',
        'Ben,Low,ben@x.org,+1 2,,own-password-2,Knots,',
        'Ben,Low,ben@x.org,+1 2,,own-password-2,Ropes,',
        again,
      );
      expect(await planned(file, '--notify', '--invite', '--on-existing', 'update')).to.equal(2);
      expect(await told()).to.deep.equal([
        'ada@x.org invitation',
        'ben@x.org enrolled Knots',
        'ben@x.org enrolled Ropes',
        'gil@x.org invitation',
      ]);
    });

    it('is undone together with the mails that were not sent yet', async () => {
      const { context } = importing;
      const { email, phone } = await buildUser(context, { email: 'ben@x.org' });
      const file = write('Ada,King,ada@x.org,+1 1,,,Knots,', `Test,Person,${email},${phone},,,Knots,`);
      const { id } = await importing.json(file, '--notify');
      await importing.cli('imports', 'undo', id, '--yes');
      expect(await mails()).to.deep.equal([{ text: 'ben@x.org enrolled Knots', state: 'withdrawn', importId: id }]);
      expect(await mailbox.deliver()).to.deep.equal([]);
    });

    it('shows the number of mails in the plan over HTTP, and sends them', async () => {
      const { token } = await signIn(importing.context, { role: 'super_admin', email: 'boss@x.org' });
      const csv = `${header}Ada,King,ada@x.org,+1 1,,,Knots,\n`;
      const { id } = await submit(importing, csv, { notify: true, plan: true });
      await runToPlan(importing, id);
      const { plan } = (await importing.api('get', `/api/imports/${id}`, token)).body.import;
      expect(plan).to.include({ news: 1, invitations: 0 });
      await importing.api('post', `/api/imports/${id}/apply`, token).send({}).expect(202);
      await runToEnd(importing, id);
      const [mail, ...others] = await mailbox.deliver();
      expect(mail?.to).to.deep.equal(['ada@x.org']);
      expect(mail?.text).to.include('Knots');
      expect(others).to.deep.equal([]);
    });

    it('explains which mails are queued, and how they are sent', async () => {
      const file = write('Ada,King,ada@x.org,+1 1,,,Knots,', 'Ben,Low,ben@x.org,+1 2,,own-password-2,Knots,');
      const options = ['--notify', '--invite'];
      const dryRun = (await importing.run(file, ...options, '--dry-run')).stdout;
      expect(dryRun).to.include('\n  1 mail to send about enrollments\n');
      const { stdout } = await importing.run(file, ...options, '--yes');
      const how = 'No service runs that sends mails. Start or restart it, or send them with: coursectl mail send';
      expect(stdout).to.include(`\n  Invitations: 1 queued. Mails about enrollments: 1 queued. ${how}\n`);
    });
  });

describe('An interrupted import that mails people about their enrollments', () => {
  const importing = useImporting(mailSettings);
  const models = () => importing.context.database.models;
  let file: string;
  beforeEach(async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    for (const title of ['Knots', 'Ropes']) await buildCourse(importing.context, trainer, { title, isPublished: true });
    const [first, ...rows] = people(60).trim().split('\n');
    const lines = ['Knots', 'Ropes'].flatMap((course) => rows.map((row) => `${row},${course}`));
    file = importing.write('people.csv', [`${first},course`, ...lines].join('\n'));
  });
  const trainees = () => models().User.count({ where: { role: 'trainee' } });

  it('queues each mail a single time, in the transaction of its enrollment', async () => {
    const { context } = importing;
    await importFirstBatch(context, file, {}, { notify: true });
    expect(await models().Mail.count()).to.equal(await trainees());
    // This is the last statement of a batch: if it fails, enrollments and mails are rolled back.
    const repair = await breakAt(context, { event: 'UPDATE', table: 'imports', when: 'NEW.rows_done > 60' });
    const failed = await importFile(context, file, {}, { notify: true }).catch(() => undefined);
    await repair();
    expect(failed).to.equal(undefined);
    expect(await models().Mail.count()).to.equal(await models().Enrollment.count());
    expect(await importFile(context, file, {}, { notify: true })).to.include({ news: 120 });
    const told = (await models().Mail.findAll()).map(({ userId, courseId }) => `${userId} ${courseId}`);
    expect(new Set(told)).to.have.property('size', 120);
  });

  it("doesn't count people whom it has invited before", async () => {
    const options = { notify: true, invite: true };
    await importFirstBatch(importing.context, file, {}, options);
    expect(await importing.plan(file, options)).to.include({ news: 0 });
    expect(await importFile(importing.context, file, {}, options)).to.include({ news: 0, invitations: 60 });
  });
});
