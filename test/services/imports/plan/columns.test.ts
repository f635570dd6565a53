import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { ImportPlan } from '../../../../src/services/imports/plan/plan.js';
import { PlannedColumns } from '../../../../src/services/imports/plan/planned-columns.js';
import { mapColumns } from '../../../../src/services/imports/read/columns/columns.js';
import { mailSettings } from '../../../support/environment.js';
import { buildCourse, buildEnrollment, buildUser } from '../../../support/factories.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { people, useImporting } from '../support/importing.js';

const fixtures = path.join(import.meta.dirname, '../../../fixtures/meaning');
const lines = (...rows: string[]) => `${rows.join('\n')}\n`;
const header = 'First name,Last name,Email,Phone';

/** Each column with its field, the counts of people and mails, and its example. */
const shown = ({ columns }: Pick<ImportPlan, 'columns'>) =>
  columns.map(({ heading, field, people, mailed, example }) => [heading, field, people, mailed, example]);
const ofField = ({ columns }: Pick<ImportPlan, 'columns'>, field: string) =>
  columns.find((column) => column.field === field);

describe('The columns of a plan', () => {
  const importing = useImporting(mailSettings);
  const commandLine = useCommandLine(() => importing.env);
  const { models } = importing;
  const fixture = (name: string) => {
    const file = path.join(importing.folder, name);
    copyFileSync(path.join(fixtures, name), file);
    return file;
  };
  const publish = async (...titles: string[]) => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    for (const title of titles) await buildCourse(importing.context, trainer, { title, isPublished: true });
  };
  const replies = async () => (await models().Enrollment.findAll()).map(({ reply }) => reply);

  describe('with notes', () => {
    const course = ['--course', 'Notes course', '--notify'];
    beforeEach(() => publish('Notes course'));

    it('from staff are ignored, and listed in a plan, with --yes and in JSON', async () => {
      const file = fixture('notes.csv');
      const ignored = '  Columns ignored: Notes (to import one: --map "Notes=FIELD")\n';
      expect((await importing.run(file, ...course, '--dry-run')).stdout).to.include(ignored);
      const { stderr } = await importing.runWhole(file, ...course, '--yes');
      expect(stderr)
        .to.include(ignored)
        .and.to.match(/ E-mail Address = email +account, sign-in, mails; 2 people: ada@n/);
      expect(await replies()).to.deep.equal([null, null]);
      const { columns } = await importing.json(file, ...course);
      expect(columns.at(-1)).to.deep.include({ heading: 'Notes', field: null, effect: null, people: 0 });
      expect((await importing.runWhole(file, '--yes', '--quiet')).stderr).to.equal('');
    });

    it('from an Outlook contact are ignored', async () => {
      const plan = await importing.plan(fixture('x-outlook-contacts.csv'), { course: 'Notes course' });
      expect(plan.counts).to.include({ created: 1, enrolled: 1 });
      const headings = plan.columns.flatMap(({ heading, field }) => (field === null ? [heading] : []));
      expect(headings).to.deep.equal(['Middle Name', 'Title', 'Suffix', 'E-mail 2 Address', 'Notes', 'Sensitivity']);
    });

    it('are shown and mailed if --map maps them, and the plan says so', async () => {
      const map = ['--map', 'Notes=reply'];
      const { stdout } = await importing.run(fixture('notes.csv'), ...course, ...map, '--dry-run');
      expect(stdout).to.match(
        / Notes = reply +shown to the trainee and mailed; 2 people: Difficult customer, paid late twice/,
      );
      await importing.json(fixture('notes.csv'), ...course, ...map);
      expect((await replies()).every((reply) => reply !== null)).to.equal(true);
      const { stderr } = await importing.run(fixture('notes.csv'), '--map', 'Notes=notes', '--yes');
      expect(stderr).to.include('"notes" is no field. Did you mean reply?');
    });

    it('are a reply only under an explicit heading, in any language', () => {
      const fieldOf = (heading: string) =>
        [...mapColumns([...header.split(','), heading]).columns].find(([, [index]]) => index === 4)?.[0];
      for (const heading of ['Notes', 'notes', 'Comments', 'Remarks', 'Message', 'Bemerkungen', 'Notizen', 'Kommentar'])
        expect(fieldOf(heading), heading).to.equal(undefined);
      for (const heading of ['Remarques', 'Observaciones', 'Comentários', 'ملاحظات', 'Antwort', 'Internal notes'])
        expect(fieldOf(heading), heading).to.equal(undefined);
      for (const heading of [
        'reply',
        'Message to the trainee',
        'Nachricht an die Teilnehmerin',
        'Message au stagiaire',
      ])
        expect(fieldOf(heading), heading).to.equal('reply');
      for (const heading of ['Mensaje al alumno', 'Mensagem ao aluno', 'رسالة إلى المتدرب', 'MESSAGE TO TRAINEES'])
        expect(fieldOf(heading), heading).to.equal('reply');
    });
  });

  describe('of an export of enrollments', () => {
    it('import the status of the enrollment and the reply, but not the notes of the trainee', async () => {
      await publish('Third course');
      const plan = await importing.plan(fixture('own-enrollments-2.csv'), { onExisting: 'update' });
      const used = plan.columns.flatMap(({ heading, field }) => (field === null ? [] : [`${heading} ${field}`]));
      expect(used).to.deep.equal([
        ...['firstName firstName', 'lastName lastName', 'email email', 'phone phone', 'course course'],
        ...['status enrollmentStatus', 'reply reply'],
      ]);
      expect(plan.counts).to.include({ created: 1, enrolled: 1, rejected: 2 });
      expect(plan.reasons.map(({ message }) => message)).to.deep.equal([
        'status "cancelled" must be active or pending. To ignore the column: --map "status=".',
        'status "completed" must be active or pending. To ignore the column: --map "status=".',
      ]);
    });

    it('are imported as they were exported, from a CSV file and from a workbook', async () => {
      const { context } = importing;
      const trainer = await buildUser(context, { role: 'trainer' });
      const course = await buildCourse(context, trainer, { title: 'Knots', isPublished: true });
      const words = { notes: 'I use a wheelchair', notesAt: new Date(), reply: 'Ground floor', replyAt: new Date() };
      const trainee = await buildUser(context, { email: 'ada@x.org', phone: '0151 1' });
      await buildEnrollment(context, trainee, course, { status: 'pending', ...words });
      for (const name of ['out.csv', 'out.xlsx']) {
        await importing.cli('enrollments', 'export', '--output', name);
        const plan = await importing.plan(path.join(importing.folder, name), { onExisting: 'update' });
        expect(ofField(plan, 'enrollmentStatus')).to.include({ heading: 'status', example: 'pending' });
        expect(ofField(plan, 'reply')).to.include({ heading: 'reply', example: 'Ground floor' });
        expect(plan.counts).to.include({ rejected: 0, skipped: 1 });
        expect(plan.columns.find(({ heading }) => heading === 'notes')).to.include({ field: null });
      }
    });
  });

  it('count the affected people, with an example of an accepted row', async () => {
    await publish('Knots', 'Ropes');
    await buildUser(importing.context, { email: 'old@x.org', firstName: 'Ann', lastName: 'Lee', phone: '0151 9' });
    const file = importing.write(
      'people.csv',
      lines(
        'First name,Surname,E-mail,Mobile,Home phone,Role,Active,Password,Course,Reply,Team',
        'Bad,Row,nobody,0151 0,,,,secret-99,,,red',
        'Ada,King,ada@x.org,,030 1,Student,yes,secret-98,Knots,Welcome,',
        'Ada,King,ada@x.org,,030 1,Student,yes,secret-98,Ropes,Welcome,blue',
        'Bob,Baker,bob@x.org,0151 2,030 2,,,,,,',
        'Ann,Low,old@x.org,0151 9,,,,,,,',
      ),
    );
    const plan = await importing.plan(file, { onExisting: 'update', notify: true });
    expect(plan.counts).to.include({ created: 2, updated: 1, skipped: 1, rejected: 1, enrolled: 2 });
    expect(shown(plan)).to.deep.equal([
      ['First name', 'firstName', 2, 0, 'Ada'],
      ['Surname', 'lastName', 3, 0, 'King'],
      ['E-mail', 'email', 3, 0, 'ada@x.org'],
      ['Mobile', 'phone', 1, 0, '0151 2'],
      ['Home phone', 'phone', 1, 0, '030 1'],
      ['Role', 'role', 1, 0, 'Student'],
      ['Active', 'isActive', 1, 0, 'yes'],
      ['Password', 'password', 1, 0, '••••••'],
      ['Course', 'course', 1, 2, 'Knots'],
      ['Reply', 'reply', 1, 2, 'Welcome'],
      ['Team', null, 0, 0, 'blue'],
    ]);
    expect(ofField(plan, 'reply')?.effect).to.equal('shown to the trainee and mailed');
    expect(plan.columns[4]?.effect).to.equal('sign-in, if "Mobile" is blank');
    expect(JSON.stringify(plan.columns)).not.to.include('secret');
  });

  it('with ticks have an effect if a cell is blank, but not for skipped people', async () => {
    const ticks = lines(`${header},Active`, 'Ada,King,ada@x.org,1,x', 'Bob,Roe,bob@x.org,2,');
    const plan = await importing.plan(importing.write('ticks.csv', ticks));
    expect(ofField(plan, 'isActive')).to.include({ people: 2, effect: 'active or inactive', example: 'x' });
    const file = importing.write('people.csv', `${people(2)}`);
    await importing.json(file);
    const { stdout } = await importing.run(file, '--dry-run');
    expect(stdout).to.match(/ {2}Columns:\n {4}email {2}account, sign-in, mails; 2 people: p00001@example\.org\n/);
    expect(stdout).to.include('  Columns without effect: firstName, lastName, phone\n');
  });

  it('that are hidden in a workbook are marked', async () => {
    const mapping = mapColumns(['firstName', 'lastName', 'email', 'phone', 'Role', 'Team']);
    const fileColumns = mapping.fileColumns.map((column) =>
      column.index > 3 ? { ...column, hidden: true as const } : column,
    );
    const columns = new PlannedColumns({ invite: false, notify: false }, { ...mapping, fileColumns }).list();
    expect(columns.map(({ hidden }) => hidden)).to.deep.equal([false, false, false, false, true, true]);
    const { columnsText } = await import('../../../../src/cli/commands/imports/columns-text.js');
    const used = columns.map((column) => ({ ...column, people: column.field === null ? 0 : 1 }));
    const text = columnsText({ columns: used }, 80);
    expect(text).to.include('    Role (hidden)  role of the account; 1 person');
    expect(text.at(-1)).to.match(/^ {2}Columns ignored: Team \(hidden\) /);
  });

  it('that are ignored have a suggestion, even without a heading', async () => {
    const rows = [`${header},Emial,,Kurs am`, 'Ada,King,ada@x.org,1,b@x.org,red,Monday'];
    const file = importing.write('people.csv', lines(...rows));
    const { stdout } = await importing.run(file, '--dry-run');
    expect(stdout).to.include('  Columns ignored: Emial, column 6, Kurs am (to import one: --map "Emial=FIELD")\n');
    const contact = importing.write('contact.csv', lines('Name,Email,Rufzeichen', 'Ada King,a@x.org,0151 1601234'));
    const { stdout: asked } = await importing.run(contact, '--dry-run', '--missing-phone', 'allow');
    expect(asked).to.include('  Did you mean --map "Rufzeichen=phone"?\n');
  });

  it('fit a terminal of 80 columns: a list of 15 columns and the question fit 24 rows', async () => {
    await publish('Weaving');
    const headings =
      'First Name,Middle Name,Last Name,E-mail Address,Home Phone,Mobile Phone,Company,Job Title,Birthday,Notes,Role,Language,Course,Message to the trainee,Rufzeichen';
    const row =
      'Ada,Mary,King,ada@o.example,,0311 6001,Acme,Weaver,,paid late,Student,German,Weaving,"Welcome to the course, please bring an apron and your own shuttle",X1';
    const file = importing.write('people.csv', lines(headings, row));
    const { stderr } = await commandLine.atTerminal(['users', 'import', file], [['Import these rows?', 'n\r']], {
      columns: 80,
    });
    const text = stderr.replaceAll('\r', '').slice(stderr.indexOf('people.csv'));
    const printed = text.split('\n').slice(0, text.split('\n').findIndex((line) => line.includes('Import these')) + 1);
    expect(printed.length).to.be.at.most(24);
    for (const line of printed.slice(0, -1)) expect(line.length, line).to.be.at.most(80);
    expect(text).to.match(/ Message to the trainee = reply {2}shown to the trainee; 1 person: Welcome to…/);
    expect(text).to.include('Columns ignored: Middle Name, Company, Job Title, Birthday, Notes, Rufzeichen');
  });
});

describe('Rows of a plan', () => {
  const importing = useImporting();
  const commandLine = useCommandLine(() => importing.env);

  it('of an ILIAS export get their roles; an unknown role is named with its lines and the option that ignores the column', async () => {
    const file = path.join(fixtures, 'x-ilias.csv');
    const { counts, createdByRole } = await importing.plan(file);
    expect([counts.rejected, createdByRole]).to.deep.equal([0, { trainee: 1, trainer: 1 }]);
    const rows = ['Boss', 'Chair', 'Boss'].map((role, at) => `Ada,King,a${at}@x.org,1${at},${role}`);
    const { reasons } = await importing.plan(importing.write('people.csv', lines(`${header},Rolle`, ...rows)));
    const advice = 'must be trainee or trainer, or a usual word for them. To ignore the column: --map "Rolle=".';
    expect(reasons.map(({ code, message, count, rows }) => [code, message, count, rows])).to.deep.equal([
      ['ROLE_UNKNOWN', `Rolle "Boss" ${advice}`, 2, [2, 4]],
      ['ROLE_UNKNOWN', `Rolle "Chair" ${advice}`, 1, [3]],
    ]);
    const secret = lines(`${header},Rolle,Password`, 'Ada,King,a@x.org,1,Boss,secret-99');
    const { reasons: masked } = await importing.plan(importing.write('people.csv', secret));
    expect(masked[0]?.message).to.equal(`Rolle ${advice}`);
  });

  it('get the bare address from copied text', async () => {
    const cells = ['Ada King <a@x.org>', '"""King, Bob"" <B@x.org>"', 'mailto:c@x.org', '<mailto:d@x.org>'];
    const rows = cells.map((cell, at) => `Ada,King,${cell},1${at}`);
    const plan = await importing.plan(importing.write('people.csv', lines(header, ...rows)));
    expect(plan.samples.map(({ person }) => person)).to.deep.equal(
      ['a', 'b', 'c'].map((name) => `Ada King <${name}@x.org>`),
    );
    expect(plan.counts.created).to.equal(4);
    const bad = ['Ada <a@x.org> Bob <b@x.org>', 'Ada <nobody>', 'http://x.org', '<>'];
    const refused = bad.map((cell, at) => `Ada,King,${cell},1${at}`);
    const { counts } = await importing.plan(importing.write('bad.csv', lines(header, ...refused)));
    expect(counts.rejected).to.equal(4);
  });

  it('that are rejected count a single time, with all their faults', async () => {
    const file = importing.write(
      'people.csv',
      lines('Name,Email,Phone,course1,course2', `,nobody,,${'x'.repeat(201)},${'y'.repeat(201)}`),
    );
    const { reasons } = await importing.plan(file);
    expect(
      reasons.map(({ code, otherCodes, field, count, rows }) => [code, otherCodes, field, count, rows]),
    ).to.deep.equal([['NAME_MISSING', ['EMAIL_INVALID', 'COURSE_INVALID', 'PHONE_MISSING'], null, 1, [2]]]);
    const [message] = reasons.map((reason) => reason.message);
    expect(message?.match(/must be at most 200/g)).to.have.length(1);
  });

  it('that change nothing are imported without a question', async () => {
    const file = importing.write('people.csv', people(2));
    await importing.json(file);
    const { exitCode, stdout, stderr } = await commandLine.atTerminal(['users', 'import', file], []);
    expect(exitCode).to.equal(0);
    expect(stderr).to.include('  2 rows to skip (the account exists already)').and.not.to.include('Import these rows?');
    expect(stdout).to.match(/0 accounts created, 2 rows skipped, 0 rejected/);
  });

  it('that undo restores are explained', async () => {
    await buildUser(importing.context, { email: 'p00001@example.org', phone: '0151 9' });
    const { number } = await importing.json(importing.write('people.csv', people(1)), '--on-existing', 'update');
    const { stdout } = await importing.cli('imports', 'undo', String(number), '--dry-run');
    expect(stdout).to.include(
      'Undo would result in: 0 accounts removed, 1 restored, 0 kept\nRestored: these accounts and their enrollments are as before the import.\n',
    );
  });
});
