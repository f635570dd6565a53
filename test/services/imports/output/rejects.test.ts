import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { recordsOf, useImporting } from '../support/importing.js';

const header = 'Team,First name,Last name,E-mail,Phone,Code';
const mixed = [
  header,
  '=red,Ada,King,ada@example.org,+44 1,a',
  '"two\nlines",A,King,nobody,,b',
  'blue,Cyd,King,cyd@example.org,4.41E+11,c',
  'blue,Dee,King,ada@example.org,+44 4,d',
  'blue,Eve,King,eve@example.org,+44 5,e,too much',
  '-,Fay,King,fay@example.org,+44 6,f',
].join('\n');

describe('Rows that an import rejects', () => {
  const importing = useImporting();
  const users = () => importing.models().User;

  it('are skipped, and written to a file with their original columns, line, code and reason', async () => {
    const result = await importing.json(importing.write('people.csv', mixed));
    expect(result).to.include({ exitCode: 3, status: 'completed' });
    expect(result.counts).to.deep.equal({
      rows: 6,
      created: 2,
      updated: 0,
      skipped: 0,
      rejected: 4,
      enrolled: 0,
      waiting: 0,
      leftOut: 0,
      left: 0,
    });
    const emails = (await users().findAll({ order: ['email'] })).map(({ email }) => email);
    expect(emails).to.deep.equal(['ada@example.org', 'fay@example.org']);
    expect(
      (await importing.ledger(result.id)).map(({ line, outcome, code }) => `${line} ${outcome} ${code}`),
    ).to.deep.equal([
      '2 created null',
      '3 rejected NAME_INVALID',
      '5 rejected PHONE_MANGLED',
      '6 rejected DUPLICATE_IN_FILE',
      '7 rejected SURPLUS_CELLS',
      '8 created null',
    ]);
    expect(statSync(result.rejectsFile ?? '').mode & 0o777).to.equal(0o600);
    const text = readFileSync(result.rejectsFile ?? '', 'utf8');
    expect(text.split('\n')[0]).to.equal(`\ufeff${header},line,code,reason`);
    expect(text).to.include("'+44 4");
    const cells = recordsOf(result.rejectsFile).map((row) => Object.values(row));
    expect(cells.map((row) => row.slice(0, -1).join('|'))).to.deep.equal([
      'two\nlines|A|King|nobody||b|3|NAME_INVALID',
      'blue|Cyd|King|cyd@example.org|4.41E+11|c|5|PHONE_MANGLED',
      'blue|Dee|King|ada@example.org|+44 4|d|6|DUPLICATE_IN_FILE',
      'blue|Eve|King|eve@example.org|+44 5|e|7|SURPLUS_CELLS',
    ]);
    expect(cells[0]?.at(-1)).to.equal(
      'First name "A" must be 2 to 50 characters. Email "nobody" must be a valid email address. Phone is required for a new account.',
    );
  });

  it('make the command exit with status 3', async () => {
    const { exitCode, stdout } = await importing.run(importing.write('people.csv', mixed), '--yes');
    expect(exitCode).to.equal(3);
    expect(stdout.split('\n').slice(1)).to.deep.equal([
      '  2 accounts created, 0 rows skipped, 4 rejected:',
      '    1 row NAME_INVALID, EMAIL_INVALID, PHONE_MISSING: First name must be 2 to 50 characters. Email must be a valid email address. Phone is required for a new account. To create accounts without one: --missing-phone allow (line 3)',
      '    1 row PHONE_MANGLED: Phone was turned into a number by a spreadsheet and its digits are lost. Format the column as text and enter the phone again (line 5)',
      '    1 row DUPLICATE_IN_FILE: An earlier line has the same email, phone or account. If it is the same person, delete this line. People who share an email need separate addresses, such as name+child@example.org. People who share a phone need separate phones, or none: --missing-phone allow (line 6)',
      '    1 row SURPLUS_CELLS: The row has more fields than the header. Put fields that contain a comma in quotes (line 7)',
      `  Passwords: ${importing.folder}/people.credentials.csv (hand them out, then delete the file)`,
      `  Rejected rows with reasons: ${importing.folder}/people.rejected.csv (correct them and import that file)`,
      '',
    ]);
  });

  it('come with a command that imports the corrected rows with the same options', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    await buildCourse(importing.context, trainer, { title: "Ada's data", isPublished: true });
    const file = importing.write(
      'people.csv',
      'Funktion,firstName,lastName,email,phone\nDozent,Ann,King,ann@x.org,4.41E+11\n,Bob,King,bob@x.org,4.41E+11\n',
    );
    const given = ['--map', 'Funktion=role', '--course', "Ada's data", '--on-error', 'continue', '--delimiter', ','];
    const next = 'To import the corrected rows with the same options:\n  ';
    const command = (rejects: string) =>
      `coursectl users import ${importing.folder}/${rejects} --course 'Ada'\\''s data' --delimiter , --map Funktion=role`;
    const sorted = (line = '') => line.split(/ (?=--)/).sort();
    const planned = await importing.run(file, ...given, '--dry-run', '--rejects', 'planned.csv');
    expect(sorted(planned.stdout.split(next)[1]?.trimEnd())).to.deep.equal(sorted(command('planned.csv')));
    const { stdout } = await importing.run(file, ...given, '--yes');
    expect(sorted(stdout.split(next)[1]?.trimEnd())).to.deep.equal(sorted(command('people.rejected.csv')));
    const copy = await importing.cli('imports', 'rejects', '1', '--output', 'copy.csv');
    expect(copy.stdout).to.equal(
      `2 rows written to copy.csv.\n${next}${command('copy.csv').replace(/\S+\/copy/, 'copy')}\n`,
    );
    const corrected = importing
      .read('copy.csv')
      .replaceAll('4.41E+11', (_phone, offset: number) => String(1_000_000 + offset));
    importing.write('copy.csv', corrected);
    expect((await importing.json('copy.csv', ...given)).counts).to.include({ created: 2, enrolled: 1 });
    expect(await users().count({ where: { email: 'ann@x.org', role: 'trainer' } })).to.equal(1);
  });

  it('can be corrected in the rejects file and imported from it, repeatedly', async () => {
    const first = await importing.json(importing.write('people.csv', mixed));
    const rejects = first.rejectsFile ?? '';
    const corrected = readFileSync(rejects, 'utf8')
      .replace('4.41E+11', "'+44 3")
      .replace('nobody', 'bea@example.org')
      .replace(',too much', '');
    writeFileSync(rejects, corrected);
    const second = await importing.json(rejects);
    expect(second.exitCode).to.equal(3);
    expect(second.counts).to.include({ rows: 4, created: 2, skipped: 1, rejected: 1 });
    expect(second.rejectsFile).to.equal(`${importing.folder}/people.rejected.rejected.csv`);
    expect(importing.read('people.rejected.rejected.csv').split('\n')[0]).to.equal(`\ufeff${header},line,code,reason`);
    const emails = (await users().findAll({ order: ['email'] })).map(({ email }) => email);
    expect(emails).to.deep.equal(['ada@example.org', 'cyd@example.org', 'eve@example.org', 'fay@example.org']);
    expect((await users().findOne({ where: { email: 'cyd@example.org' } }))?.phone).to.equal('+44 3');

    writeFileSync(
      second.rejectsFile ?? '',
      importing
        .read('people.rejected.rejected.csv')
        .replace(',A,King', ',Bea,King')
        .replace('bea@example.org,', 'bea@example.org,+44 2'),
    );
    const third = await importing.json(second.rejectsFile ?? '');
    expect(third).to.include({ exitCode: 0, rejectsFile: null });
    expect(await users().count()).to.equal(5);
  });

  it('include rows whose email and phone belong to two accounts, and name both accounts', async () => {
    const ada = await buildUser(importing.context, { email: 'ada@example.org', phone: '+44 1' });
    const bob = await buildUser(importing.context, { email: 'bob@example.org', phone: '+44 2' });
    const named = ({ firstName, lastName, email }: typeof ada) => `${firstName} ${lastName} <${email}>`;
    const before = JSON.stringify(await users().findAll({ order: ['id'] }));
    const file = importing.write('people.csv', `${header}\n,Ada,King,ADA@example.org,+44-2,\n`);
    const { id, rejectsFile } = await importing.json(file);
    expect(recordsOf(rejectsFile)[0]).to.include({
      code: 'ACCOUNTS_DIFFER',
      reason: `Email belongs to ${named(ada)}, phone to ${named(bob)}.`,
    });
    expect((await importing.ledger(id))[0]).to.include({ outcome: 'rejected', userId: null });
    expect(JSON.stringify(await users().findAll({ order: ['id'] }))).to.equal(before);
  });
});
