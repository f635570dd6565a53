import { expect } from 'chai';
import { mapColumns } from '../../../../src/services/imports/read/columns/columns.js';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { corpusFile } from '../support/corpus.js';
import { recordsOf, useImporting } from '../support/importing.js';

describe('Columns of a file with the same or a similar meaning', () => {
  const importing = useImporting();
  const { models } = importing;
  const accounts = async () =>
    (await models().User.findAll({ where: { role: 'trainee' }, order: ['email'] })).map(
      ({ email, phone, isActive }) => [email.slice(0, 2), phone, isActive] as const,
    );

  it('give the phone of the first filled cell, which the plan shows', async () => {
    const file = importing.write('people.csv', corpusFile('several-phones'));
    const { stdout } = await importing.run(file, '--dry-run');
    expect(stdout).to.match(/ Mobile Phone = phone +sign-in; 2 people: 0151 1601\n/);
    expect(stdout).to.match(/ Home Phone = phone +sign-in, if "Mobile Phone" is blank; 1 person: 030 1602\n/);
    expect((await importing.json(file)).counts).to.include({ created: 3, rejected: 0 });
    expect((await accounts()).map(([, phone]) => phone)).to.deep.equal(['0151 1601', '030 1602', '0151 1603']);
    const byHand = mapColumns(
      ['Home Phone', 'Mobile', 'First name', 'Last name', 'Email'],
      ['Home Phone=phone', 'Mobile=phone'],
    );
    expect(byHand.columns.get('phone')).to.deep.equal([0, 1]);
  });

  it('from Google Workspace give phones and states', async () => {
    const { counts } = await importing.json(importing.write('users.csv', corpusFile('google-full')));
    expect(counts).to.include({ created: 3, rejected: 0 });
    expect(await accounts()).to.deep.equal([
      ['an', '+447700900261', true],
      ['bo', '+447700900263', false],
      ['cy', '+442070000264', true],
    ]);
  });

  it('enroll in all courses of several columns, and of lists in a cell', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    for (const title of ['First Aid', 'Fire Safety', 'Ladders, Ropes; Knots'])
      await buildCourse(importing.context, trainer, { title });
    const moodle = importing.write('moodle.csv', corpusFile('moodle-two-courses'));
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
    const users = new Map((await models().User.findAll()).map(({ id, email }) => [id, email.slice(0, 2)]));
    const courses = new Map((await models().Course.findAll()).map(({ id, title }) => [id, title]));
    const enrolled = await models().Enrollment.findAll();
    expect(enrolled.map(({ userId, courseId }) => `${users.get(userId)} ${courses.get(courseId)}`)).to.have.members([
      ...['an Fire Safety', 'an First Aid', 'bo Fire Safety', 'cy Fire Safety', 'cy First Aid'],
      ...['di Fire Safety', 'di First Aid', 'ed Ladders, Ropes; Knots', 'fe First Aid'],
    ]);
  });

  it("give the learner's address instead of a parent's, with a warning", async () => {
    const header = 'Name,Email,Student Email,Guardian Email,Phone';
    const file = importing.write('school.csv', `${header}\nAnn Lee,dad@x.org,ann@x.org,mum@x.org,1\n`);
    const plan = await importing.plan(file);
    const { warnings } = plan;
    const emailOf = ({ columns }: typeof plan) => columns.find(({ field }) => field === 'email')?.heading;
    expect(emailOf(plan)).to.equal('Student Email');
    expect(warnings.map(({ code, field }) => [code, field])).to.deep.equal([['COLUMN_DOUBTFUL', 'email']]);
    expect(warnings[0]?.message).to.equal(
      'The email is read from "Student Email", not from "Email", "Guardian Email": check that it is the address of the person. For the other: --map "Email=email"',
    );
    const chosen = await importing.plan(file, { map: ['Email=email'] });
    expect([emailOf(chosen), chosen.warnings]).to.deep.equal(['Email', []]);
  });
});

describe('Columns for active or inactive accounts', () => {
  const importing = useImporting();
  const plan = (heading: string, ...words: string[]) => {
    const rows = words.map((word, index) => `Ann,Lee,a${index}@x.org,1${index},${word}`);
    const header = `First name,Last name,Email,Phone,${heading}`;
    return importing.plan(importing.write('states.csv', `${header}\n${rows.join('\n')}\n`));
  };

  it('may be ticked: a blank cell then means no, with a warning in the plan', async () => {
    const file = importing.write('ticks.csv', corpusFile('active-ticked'));
    expect((await importing.json(file)).counts).to.include({ created: 4, rejected: 1 });
    const users = await importing.models().User.findAll({ order: ['email'] });
    expect(users.map(({ isActive }) => isActive)).to.deep.equal([true, false, false, false]);
    const { warnings } = await plan('Gesperrt', 'x', '');
    expect(warnings.map(({ code, rows }) => [code, rows])).to.deep.equal([['NOT_TICKED', [2]]]);
  });

  it('cause warnings about inactive people, with the words of the file', async () => {
    for (const [heading, yes, no, warned] of [
      ['Status', 'Active', 'Suspended', [['STATE_INACTIVE', [3], ['Suspended']]]],
      ['Block sign in', 'no', 'yes', [['STATE_INACTIVE', [3], ['yes']]]],
      ['isActive', 'true', 'false', []],
    ] as const) {
      const { warnings } = await plan(heading, yes, no);
      expect(warnings.map(({ code, rows, examples }) => [code, rows, examples])).to.deep.equal(warned);
    }
  });

  it('are named by their heading, with the option that ignores them', async () => {
    const { reasons } = await plan('Status', 'Paid', 'Cancelled', 'Paid');
    const paid = 'Status "Paid" must be yes or no, or active or inactive. To ignore the column: --map "Status=".';
    expect(reasons.map(({ message, count }) => [message, count])).to.deep.equal([
      [paid, 2],
      [paid.replace('Paid', 'Cancelled'), 1],
    ]);
  });

  it('cause a warning if they are ignored', async () => {
    const { warnings, counts } = await plan('Membership status', 'Gold', 'Suspended');
    expect(counts).to.include({ created: 2 });
    expect(warnings.map(({ code, message }) => [code, message])).to.deep.equal([
      [
        'STATE_NOT_IMPORTED',
        'The column "Membership status" may say who is active, but isn\'t imported. To import it: --map "Membership status=isActive"; to ignore it: --map "Membership status="',
      ],
    ]);
    // No heading of the table, although all its values are states.
    const spanish = await plan('Estado', 'Activo', 'Baja');
    expect(spanish.warnings.map(({ code }) => code)).to.deep.equal(['STATE_NOT_IMPORTED']);
    expect(spanish.columns.at(-1)).to.include({ heading: 'Estado', field: null, suggestion: 'isActive' });
    expect((await plan('State', 'CA')).warnings).to.deep.equal([]);
    const opposite = await plan('Ausgeschieden', 'ja', 'nein');
    expect(opposite.warnings[0]?.message).to.include('To import it: --map "Ausgeschieden=suspended";');
    expect(opposite.columns.at(-1)?.suggestion).to.equal('suspended');
  });
});
