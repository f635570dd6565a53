import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { ImportPlan } from '../../../../src/services/imports/plan/plan.js';
import { mapColumns } from '../../../../src/services/imports/read/columns.js';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { recordsOf, useImporting } from '../support/importing.js';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/csv/${name}.csv`, import.meta.url));

describe('Columns of a file that mean the same, or nearly', () => {
  const importing = useImporting();
  const plan = async (file: string, ...args: string[]) =>
    (JSON.parse((await importing.run(file, ...args, '--dry-run', '--json')).stdout) as { plan: ImportPlan }).plan;
  const accounts = async () =>
    (await importing.context.database.models.User.findAll({ where: { role: 'trainee' }, order: ['email'] })).map(
      ({ email, phone, isActive }) => [email.slice(0, 2), phone, isActive],
    );
  const enrolled = async () => {
    const { Enrollment, User, Course } = importing.context.database.models;
    const users = new Map((await User.findAll()).map(({ id, email }) => [id, email.slice(0, 2)]));
    const courses = new Map((await Course.findAll()).map(({ id, title }) => [id, title]));
    const found = await Enrollment.findAll();
    return found.map(({ userId, courseId }) => `${users.get(userId)} ${courses.get(courseId)}`).sort();
  };
  const withCourses = async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    for (const title of ['First Aid', 'Fire Safety', 'Ladders, Ropes; Knots'])
      await buildCourse(importing.context, trainer, { title });
  };

  it('give the first phone that is not blank, which the plan shows', async () => {
    const file = importing.write('people.csv', fixture('several-phones'));
    const { stdout } = await importing.run(file, '--dry-run');
    expect(stdout).to.include('Mobile Phone, else Home Phone = phone');
    expect((await importing.json(file)).counts).to.include({ created: 3, rejected: 0 });
    expect((await accounts()).map(([, phone]) => phone)).to.deep.equal(['0151 1601', '030 1602', '0151 1603']);
  });

  it('are phones in the order mobile, recovery, work, home, in any order of the file', () => {
    const header = ['Home Phone', 'Work Phone', 'Recovery Phone', 'Mobile', 'First name', 'Last name', 'Email'];
    expect(mapColumns(header).columns.get('phone')).to.deep.equal([3, 2, 1, 0]);
    const byHand = mapColumns(header, ['Home Phone=phone', 'Mobile=phone']);
    expect(byHand.columns.get('phone')).to.deep.equal([0, 3]);
  });

  it('of Google Workspace give its phones and states', async () => {
    expect((await importing.json(importing.write('users.csv', fixture('google-full')))).counts).to.include({
      created: 3,
      rejected: 0,
    });
    expect(await accounts()).to.deep.equal([
      ['an', '+447700900261', true],
      ['bo', '+447700900263', false],
      ['cy', '+442070000264', true],
    ]);
  });

  it('enroll in all courses, of several columns and of lists in a cell', async () => {
    await withCourses();
    const moodle = importing.write('moodle.csv', fixture('moodle-two-courses'));
    expect((await importing.json(moodle)).counts).to.include({ created: 2, enrolled: 3 });
    const lists = [
      'First name,Last name,Email,Phone,Course',
      'Cy,Fox,cy@x.org,1,"First Aid\r\nFire Safety\n"',
      'Di,Roe,di@x.org,2,"First Aid, Fire Safety"',
      'Ed,Poe,ed@x.org,3,"ladders, ropes; knots"',
      'Fe,Fay,fe@x.org,4,First Aid;First Aid;',
      'Gy,Guy,gy@x.org,5,First Aid; Fire Safty',
    ];
    const { counts, rejectsFile } = await importing.json(importing.write('lists.csv', `${lists.join('\n')}\n`));
    expect(counts).to.include({ created: 4, rejected: 1, enrolled: 6 });
    expect(recordsOf(rejectsFile)[0]?.reason).to.equal(
      'Course "Fire Safty": there is none with this id or title. Did you mean "Fire Safety"?',
    );
    expect(await enrolled()).to.deep.equal([
      'an Fire Safety',
      'an First Aid',
      'bo Fire Safety',
      'cy Fire Safety',
      'cy First Aid',
      'di Fire Safety',
      'di First Aid',
      'ed Ladders, Ropes; Knots',
      'fe First Aid',
    ]);
  });

  it("take the learner's address beside a parent's, and show that the choice is doubtful", async () => {
    const header = 'Name,Email,Student Email,Guardian Email,Phone';
    const file = importing.write('school.csv', `${header}\nAnn Lee,dad@x.org,ann@x.org,mum@x.org,1\n`);
    const { columns, warnings } = await plan(file);
    expect(columns.email).to.equal('Student Email');
    expect(warnings.map(({ code, field }) => [code, field])).to.deep.equal([['COLUMN_DOUBTFUL', 'email']]);
    expect(warnings[0]?.message).to.equal(
      'The email is read from "Student Email", not from "Email", "Guardian Email": check that it is the address of the person. For the other: --map "Email=email"',
    );
    const chosen = await plan(file, '--map', 'Email=email');
    expect([chosen.columns.email, chosen.warnings]).to.deep.equal(['Email', []]);
    const parents = importing.write('parents.csv', 'Name,Email,Parent email,Phone\nAnn Lee,a@x.org,b@x.org,1\n');
    expect((await plan(parents)).warnings.map(({ code }) => code)).to.deep.equal(['COLUMN_DOUBTFUL']);
  });
});

describe('Columns for the state of an account', () => {
  const importing = useImporting();
  const states = async (heading: string, ...words: string[]) => {
    const rows = words.map((word, index) => `Ann,Lee,a${index}@x.org,1${index},${word}`);
    const file = importing.write('states.csv', `First name,Last name,Email,Phone,${heading}\n${rows.join('\n')}\n`);
    const { stdout } = await importing.run(file, '--dry-run', '--json');
    const { plan } = JSON.parse(stdout) as { plan: ImportPlan };
    const { rejectsFile } = await importing.json(file);
    const users = await importing.context.database.models.User.findAll({ order: ['email'] });
    return {
      active: users.map(({ isActive }) => isActive),
      plan,
      reasons: recordsOf(rejectsFile).map((row) => row.reason),
    };
  };

  it('are understood with the words of other programs', async () => {
    for (const [heading, yes, no] of [
      ['Status [READ ONLY]', 'Active', 'Suspended'],
      ['New Status [UPLOAD ONLY]', 'Active', 'ToBeDeleted'],
      ['enabledUser', 'TRUE', 'FALSE'],
      ['accountEnabled', 'True', 'False'],
      ['Attendee Status', 'Attending', 'Not Attending'],
      ['suspended', '0', '1'],
      ['Block sign in (Yes/No) [accountEnabled] Required', 'No', 'Yes'],
      ['Employee Status', 'active', 'Withdrawn'],
      ['Mitarbeiterstatus', 'aktiv', 'ausgeschieden'],
      ['Statut du compte', 'Actif', 'Suspendu'],
      ['Estado', 'Activo', 'Baja'],
    ] as const) {
      const { active } = await states(heading, yes, no);
      expect(active, heading).to.deep.equal([true, false]);
      await importing.context.database.models.User.destroy({ where: {} });
    }
  });

  it('are ticked: a blank cell is a no, of which the plan warns', async () => {
    const file = importing.write('ticks.csv', fixture('active-ticked'));
    const { rejectsFile } = await importing.json(file);
    expect(recordsOf(rejectsFile).map(({ Email, reason }) => `${Email} ${reason}`)).to.deep.equal([
      'di36@corp.example Active "Pending" must be yes or no, or active or inactive. To ignore the column: --map "Active=".',
    ]);
    const users = await importing.context.database.models.User.findAll({ order: ['email'] });
    expect(users.map(({ isActive }) => isActive)).to.deep.equal([true, false, false, false]);
    const { plan } = await states('Gesperrt', 'x', '');
    expect(plan.warnings.map(({ code, rows }) => [code, rows])).to.deep.equal([['NOT_TICKED', [2]]]);
  });

  it('say which people will be inactive, with the words of the file', async () => {
    const inactive = async (heading: string, yes: string, no: string) =>
      (await states(heading, yes, no)).plan.warnings.map(({ code, rows, examples }) => [code, rows, examples]);
    expect(await inactive('Status', 'Active', 'Suspended')).to.deep.equal([['STATE_INACTIVE', [3], ['Suspended']]]);
    expect(await inactive('Block sign in', 'no', 'yes')).to.deep.equal([['STATE_INACTIVE', [3], ['yes']]]);
    expect(await inactive('isActive', 'true', 'false')).to.deep.equal([]);
  });

  it('are named in the words of the file, with the option that ignores them', async () => {
    const { plan, reasons, active } = await states('Status', 'Paid', 'Cancelled', 'Paid');
    expect(active).to.deep.equal([]);
    const paid = 'Status "Paid" must be yes or no, or active or inactive. To ignore the column: --map "Status=".';
    expect(reasons).to.deep.equal([paid, paid.replace('Paid', 'Cancelled'), paid]);
    expect(plan.reasons.map(({ message, count }) => [message, count])).to.deep.equal([
      [paid, 2],
      [paid.replace('Paid', 'Cancelled'), 1],
    ]);
  });

  it('are a warning where they are not understood', async () => {
    const { plan, active } = await states('Membership status', 'Gold', 'Suspended');
    expect(active).to.deep.equal([true, true]);
    expect(plan.warnings).to.deep.equal([
      {
        code: 'STATE_NOT_IMPORTED',
        field: 'isActive',
        message:
          'The column "Membership status" may say who is active, but isn\'t imported. To import it: --map "Membership status=isActive"; to ignore it: --map "Membership status="',
        count: 1,
        rows: [],
        examples: [],
      },
    ]);
    expect(
      mapColumns(['firstName', 'lastName', 'email', 'phone', 'State'], [], [['A', 'B', 'c', 'd', 'CA']]).warnings,
    ).to.deep.equal([]);
  });
});
