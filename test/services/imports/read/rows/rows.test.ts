import { expect } from 'chai';
import { type FileRow, isRejected } from '../../../../../src/services/imports/read/rows/rows.js';
import type { CsvOptions } from '../../../../../src/tables/csv/csv-source.js';
import { failureOf } from '../../../../db/support/failure.js';
import { chunks, openPeople, usualFormat } from '../../support/csv-text.js';

const header = 'firstName,lastName,email,phone,role,isActive,password';

const open = (text: string, format: CsvOptions = usualFormat) => openPeople(chunks(Buffer.from(text)), { format });

/** Checks the rows of a file with default options. */
async function rowsOf(rows: readonly string[], columns = header) {
  const file = await open([columns, ...rows].join('\n'));
  const read: FileRow[] = [];
  for await (const batch of file.batches) read.push(...batch);
  return read;
}

async function personOf(row: string, columns = header) {
  const [read] = await rowsOf([row], columns);
  if (!read || isRejected(read)) throw new Error(`rejected: ${read?.reason}`);
  return read.person;
}

/** Reason for rejecting each row; null for an accepted row. */
async function reasonsOf(rows: readonly string[], columns = header) {
  return (await rowsOf(rows, columns)).map((row) => {
    if (isRejected(row)) return `${row.code}: ${row.reason}`;
    // No account has this phone here.
    return row.phoneProblem === undefined ? null : `${row.phoneProblem.code}: ${row.phoneProblem.reason}`;
  });
}

const reasonOf = async (row: string, columns = header) => (await reasonsOf([row], columns))[0];

describe('A row of an import file', () => {
  it('becomes a person, normalized as in the API', async () => {
    expect(await personOf(' Ada ,Lovelace, ADA@Example.org ,+44 (20) 7946-0001,Trainer,no, secret \n')).to.deep.equal({
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.org',
      phone: '+44 (20) 7946-0001',
      role: 'trainer',
      isActive: false,
      password: 'secret',
    });
  });

  it('is read in the order of the header, even if cells are missing at its end', async () => {
    const person = { firstName: 'Ada', lastName: 'King', email: 'ada@example.org', phone: '1' };
    expect(await personOf('x,1,King,ada@example.org,Ada', 'id,phone,lastName,email,firstName,role')).to.deep.equal(
      person,
    );
    expect(await reasonOf('Ada,King', 'firstName,lastName,email,phone')).to.equal(
      'EMAIL_MISSING: Email is required. Phone is required for a new account.',
    );
  });

  it('names all its problems together, without quoting its contents', async () => {
    expect(await reasonOf(`A,${'x'.repeat(51)},nobody,,king,maybe,abc`)).to.equal(
      'NAME_INVALID: First name must be 2 to 50 characters. Last name must be 2 to 50 characters. ' +
        'Email must be a valid email address. Role must be trainee or trainer, or a usual word for them. To ignore the column: --map "role=". ' +
        'isActive must be yes or no, or active or inactive. To ignore the column: --map "isActive=". Password must be at least 6 characters. Phone is required for a new account.',
    );
    expect(await reasonOf(',,,')).to.equal(undefined);
  });

  it('gets its role from the command line unless it has one, and is never a super admin', async () => {
    const role = async (cell: string) => (await personOf(`Ada,King,ada@example.org,1,${cell}`)).role;
    expect(await role(' ')).to.equal(undefined);
    expect(await role(' TRAINER ')).to.equal('trainer');
    for (const superAdmin of ['super_admin', ' SUPER_ADMIN '])
      expect(await reasonOf(`Ada,King,ada@example.org,1,${superAdmin}`)).to.equal(
        `ROLE_UNKNOWN: Role must be trainee or trainer, or a usual word for them. To ignore the column: --map "role=".`,
      );
  });

  it("is active, unless it has a spreadsheet's word for no", async () => {
    const isActive = async (cell: string) => (await personOf(`Ada,King,ada@example.org,1,,${cell}`)).isActive;
    for (const blank of ['', ' ']) expect(await isActive(blank)).to.equal(undefined);
    for (const word of ['TRUE', 'y', '1', 'active', ' true ', 'WAHR', 'Sí', 'نعم'])
      expect(await isActive(word), word).to.equal(true);
    for (const word of ['FALSE', 'n', '0', 'Inactive', ' no', 'FALSCH', 'NÃO', 'لا'])
      expect(await isActive(word), word).to.equal(false);
    for (const word of ['maybe', '2', 'null'])
      expect(await reasonOf(`Ada,King,ada@example.org,1,,${word}`)).to.equal(
        'IS_ACTIVE_UNKNOWN: isActive must be yes or no, or active or inactive. To ignore the column: --map "isActive=".',
      );
  });

  it('is rejected if a spreadsheet changed its phone or password', async () => {
    const again = 'Format the column as text and enter the phone again.';
    const lost = `Phone was turned into a number by a spreadsheet and its digits are lost. ${again}`;
    for (const [reason, phones] of [
      [
        lost,
        [
          '4.41E+11',
          '4.4e11',
          '"4,41E+11"',
          ' 4E+11 ',
          '441.2E+09',
          '4.4E 11',
          '+4.41E+11',
          '٤٫٤١E+١١',
          '1234567890123450',
        ],
      ],
      [`Phone is a formula of a spreadsheet. ${again}`, ['=49301234', '=+49301234', "'=1", ' =A1']],
      [`Phone was turned into a decimal number by a spreadsheet. ${again}`, ['441234567.0', '"441234567,0"', ' 1.0 ']],
    ] as const)
      for (const phone of phones)
        expect(await reasonOf(`Ada,King,ada@example.org,${phone}`), phone).to.equal(`PHONE_MANGLED: ${reason}`);
    for (const phone of [
      '4411',
      '+4.41',
      '4E',
      'E+11',
      '1234567890123456',
      '+1234567890123450',
      '030.123',
      '1.5',
      '+44.0',
    ])
      expect((await personOf(`Ada,King,ada@example.org,${phone}`)).phone).to.equal(phone);
    for (const phone of ["'0123", '="0123"', '"=""0123"""'])
      expect((await personOf(`Ada,King,ada@example.org,${phone}`)).phone).to.equal('0123');

    const password = (cell: string) => `Ada,King,ada@example.org,1,,,${cell}`;
    expect(await reasonOf(password('1.23457E+15'))).to.match(/^PASSWORD_INVALID: Password was turned into a number/);
    // Everybody could guess these passwords.
    for (const error of ['#NAME?', '#¿NOMBRE?', '#VALUE!', '#DIV/0!'])
      expect(await reasonOf(password(error))).to.match(/^PASSWORD_INVALID: Password is a spreadsheet error/);
    expect((await personOf(password('#ABC123'))).password).to.equal('#ABC123');
  });

  it("may use other programs' words for active and inactive", async () => {
    for (const [heading, yes, no] of [
      ['Status [READ ONLY]', 'Active', 'Suspended'],
      ['New Status [UPLOAD ONLY]', 'Active', 'ToBeDeleted'],
      ['enabledUser', 'TRUE', 'FALSE'],
      ['accountEnabled', 'True', 'False'],
      ['Attendee Status', 'Attending', 'Not Attending'],
      ['Block sign in (Yes/No) [accountEnabled] Required', 'No', 'Yes'],
      ['Employee Status', 'active', 'Withdrawn'],
      ['Mitarbeiterstatus', 'aktiv', 'ausgeschieden'],
      ['Statut du compte', 'Actif', 'Suspendu'],
      ['suspended', '0', '1'],
      ['suspended', '', 'ja'],
      ['suspended', 'active', 'Suspended'],
    ] as const) {
      const rows = [yes, no].map((word, at) => `Ann,Lee,a${at}@x.org,1${at},${word}`);
      const read = await rowsOf(rows, `firstName,lastName,email,phone,${heading}`);
      const active = read.map((row) => !isRejected(row) && row.person.isActive !== false);
      expect(active, `${heading} ${no}`).to.deep.equal([true, false]);
    }
    expect(await reasonOf('Ada,King,a@x.org,1,maybe', 'firstName,lastName,email,phone,suspended')).to.equal(
      'IS_ACTIVE_UNKNOWN: suspended "maybe" must be yes or no, or active or inactive. To ignore the column: --map "suspended=".',
    );
  });

  it('explains how to enter a person with one name', async () => {
    const advice = 'A person with one name needs it in both columns.';
    expect(await reasonOf('Sukarno,,s@example.org,1')).to.equal(`NAME_MISSING: Last name is required. ${advice}`);
    expect(await reasonOf(',Teller,t@example.org,1')).to.equal(`NAME_MISSING: First name is required. ${advice}`);
  });

  it('may have a hash instead of a password', async () => {
    const columns = 'firstName,lastName,email,phone,password,passwordHash';
    const row = (password: string, hash: string) => `Ada,King,ada@example.org,1,${password},${hash}`;
    const hash = `$2b$12$${'./Az09'.repeat(9).slice(0, 53)}`;
    expect(await personOf(row('', ` ${hash} `), columns)).to.include({ passwordHash: hash });
    expect(await personOf(row(' ', hash.replace('2b', '2y')), columns)).not.to.have.property('password');
    expect(await personOf(row('secret', ' '), columns)).not.to.have.property('passwordHash');
    const mustBe = 'PASSWORD_HASH_INVALID: Password hash must be a bcrypt hash with a cost from 4 to 15.';
    for (const bad of [`${hash}x`, hash.replace('12', '32'), hash.replace('12', '03'), 'secret'])
      expect(await reasonOf(row('', bad), columns)).to.equal(mustBe);
    expect(await reasonOf(row('secret', hash), columns)).to.equal(
      'PASSWORD_AND_HASH: Give a password or a password hash, not both.',
    );
  });

  it('may have a course, the status of the enrollment, and a reply', async () => {
    const columns = 'firstName,lastName,email,phone,course,enrollmentStatus,reply';
    const row = (course: string, status: string, notes: string) =>
      `Ada,King,ada@example.org,1,${course},${status},${notes}`;
    expect(await personOf(row(' Course 1 ', ' Pending ', '" two\r\nlines\t"'), columns)).to.include({
      course: 'Course 1',
      enrollmentStatus: 'pending',
      reply: 'two\r\nlines',
    });
    const none = await personOf(row(' ', '', ' '), columns);
    for (const field of ['course', 'enrollmentStatus', 'reply']) expect(none).not.to.have.property(field);
    expect(await reasonOf(row('x'.repeat(201), 'completed', 'x'.repeat(2001)), columns)).to.equal(
      `COURSE_INVALID: Course "${'x'.repeat(60)}…" must be at most 200 characters. ` +
        'Enrollment status "completed" must be active or pending. To ignore the column: --map "enrollmentStatus=". ' +
        `Reply "${'x'.repeat(60)}…" must be at most 2000 characters.`,
    );
    expect(await reasonOf(row('a\tb', '', 'a\u0007'), columns)).to.equal(
      'COURSE_INVALID: Course "a b" must not contain control characters. Reply "a" must not contain control characters.',
    );
  });

  it('has a code for each of its faults', async () => {
    const columns = 'firstName,lastName,email,phone,role,isActive,password,passwordHash,course,enrollmentStatus,reply';
    const [read] = await rowsOf(['A,,nobody,none,x,maybe,z,w,"a\tb",v,a\u0007'], columns);
    expect(read && isRejected(read) && read.problems?.map(({ field, code }) => `${field} ${code}`)).to.deep.equal([
      'firstName NAME_INVALID',
      'lastName NAME_MISSING',
      'email EMAIL_INVALID',
      'role ROLE_UNKNOWN',
      'isActive IS_ACTIVE_UNKNOWN',
      'password PASSWORD_INVALID',
      'passwordHash PASSWORD_HASH_INVALID',
      'course COURSE_INVALID',
      'enrollmentStatus ENROLLMENT_STATUS_UNKNOWN',
      'reply TEXT_INVALID',
      'null PASSWORD_AND_HASH',
      'phone PHONE_INVALID',
    ]);
  });

  it('is quoted in messages, except for hashes and in files with passwords', async () => {
    const columns = 'firstName,lastName,email,phone,role';
    expect(await reasonOf('Ada,King,"no\nbody",1,boss', columns)).to.equal(
      'EMAIL_INVALID: Email "no body" must be a valid email address. Role "boss" must be trainee or trainer, or a usual word for them. To ignore the column: --map "role=".',
    );
    expect(await reasonOf('Ada,King,d41d8cd98f00b204e9800998ecf8427e,1', columns)).to.equal(
      'EMAIL_INVALID: Email must be a valid email address.',
    );
    for (const secret of ['password', 'Kennwort', 'old password'])
      expect(await reasonOf('Ada,King,nobody,none,boss,hunter22', `${columns},${secret}`)).to.equal(
        'EMAIL_INVALID: Email must be a valid email address. Role must be trainee or trainer, or a usual word for them. To ignore the column: --map "role=". Phone has no digit.',
      );
  });

  it('has either a password within the limits of the API or no password', async () => {
    const row = (password: string) => `Ada,King,ada@example.org,1,,,${password}`;
    expect((await personOf(row('é'.repeat(36)))).password).to.equal('é'.repeat(36));
    for (const blank of ['', ' '.repeat(10)]) expect(await personOf(row(blank))).not.to.have.property('password');
    expect(await reasonOf(row('short'))).to.equal('PASSWORD_INVALID: Password must be at least 6 characters.');
    expect(await reasonOf(row('é'.repeat(1001)))).to.equal(
      'PASSWORD_INVALID: Password must be at most 1000 characters.',
    );
  });

  it('is rejected if it has more fields than the header, whatever the delimiter', async () => {
    for (const [sign, name] of [
      [';', 'semicolon'],
      ['\t', 'tab'],
      ['|', 'pipe'],
    ] as const) {
      const text = `firstName,lastName,email,phone\nAda,King,ada@example.org,1,x`.replaceAll(',', sign);
      const file = await open(text, { encoding: 'utf-8', delimiter: 'auto' });
      for await (const batch of file.batches)
        expect(batch).to.have.nested.property(
          '[0].reason',
          `The row has 5 fields, the header 4. Put fields that contain a ${name} in quotes.`,
        );
    }
  });
});

describe('Rows of an import file that repeat another', () => {
  const columns = 'firstName,lastName,email,phone';

  it('name the first line with the same normalized email or phone', async () => {
    const email = 'DUPLICATE_IN_FILE: Email is already on line 2.';
    const phone = 'DUPLICATE_IN_FILE: Phone is already on line 2.';
    for (const [first, row, reason] of [
      ['ada@example.org,1', 'ADA@example.org ,2', email],
      ['ada@example.org,1', 'Ada@Example.org,1', `${email} Phone is already on line 2.`],
      ['straße@example.org,1', 'ｓｔｒａße@EXAMPLE.org,3', email],
      ['straße@example.org,1', 'STRASSE@example.org,2', null],
      ['a@example.org,+44 20 7946-0001', 'b@example.org,+44 (20) 7946.0001', phone],
      ['a@example.org,+44 20 7946-0001', 'c@example.org,020 79460001', null],
    ] as const)
      expect(await reasonsOf([`Ada,King,${first}`, `Bob,King,${row}`], columns), row).to.deep.equal([null, reason]);
  });

  it('may repeat an invalid row, because it creates no account', async () => {
    for (const invalid of ['A,King,ada@example.org,1', 'Ada,King,ada@example.org,n/a'])
      expect((await reasonsOf([invalid, 'Ada,King,ada@example.org,1'], columns))[1], invalid).to.equal(null);
  });

  it('are found across batches', async () => {
    const rows = Array.from({ length: 1200 }, (_, index) => `Ada,King,ada${index}@example.org,${index}`);
    const reasons = await reasonsOf([...rows, 'Bob,King,ada7@example.org,1100'], columns);
    expect(reasons.slice(0, 1200).every((reason) => reason === null)).to.equal(true);
    expect(reasons[1200]).to.equal('DUPLICATE_IN_FILE: Email is already on line 9. Phone is already on line 1102.');
  });
});

describe('An import file', () => {
  it('is refused before any row if it has no header', async () => {
    for (const [text, problem] of [
      ['', 'The file is empty.'],
      ['\n , \n', 'The file is empty.'],
      ['Ada,King,ada@example.org,1\n', 'The file has no header.'],
      ['firstName,lastName\nA,B', 'The header lacks email, phone.'],
    ] as const) {
      const failure = await failureOf(() => open(text));
      expect(failure.code).to.equal('IMPORT_FILE_INVALID');
      expect(failure.message).to.match(new RegExp(`^${problem}`));
    }
  });

  it('is refused with the line that looks like its header if other lines precede it', async () => {
    const header = 'Vorname;Nachname;E-Mail;Telefon';
    for (const [text, line] of [
      [`Liste 2026;;;\n;;;\n${header}\nAda;King;a@x.org;1\n`, 3],
      [`Name;;Kontakt;\n${header}\nAda;King;a@x.org;1\n`, 2],
      [`${'Titel;;;\n'.repeat(30)}${header}\n`, undefined],
      [`Liste\n${header}\nAda;King;a@x.org;1\n`, 2],
      [`Liste\nStand\n\n${header}\nAda;King;a@x.org;"1, 2"\nBob;King;b@x.org;3\n`, 4],
      [`Liste\n${header.replaceAll(/[^;]+/g, '"$&"')}\nAda;King;a@x.org;1\n`, 2],
      [`Liste, 2026\n${header}\nAda;King;a@x.org;1\nBob;"King, B"\nCyd;King\n`, 2],
      [`Liste; 2026\n${header}\nAda;King, Jr.;a@x.org;1\nBob;King;b@x.org;1\nCyd;King;c@x.org;1\n`, 2],
      [`Liste;;;\nAda;King;a@x.org;1\n`, undefined],
      [`Liste;;;\nAda;"King\n`, undefined],
      ['Liste;;;\n', undefined],
    ] as const) {
      const format = { ...usualFormat, delimiter: 'auto' as const };
      const { message } = await failureOf(() => open(text, format));
      const hint = line === undefined ? '' : `. Line ${line} looks like the header: delete the lines above it.`;
      expect(message, text).to.match(/^The (file has no header|header lacks)/);
      expect(/\. Line .*/.exec(message)?.[0] ?? '', text).to.equal(hint);
    }
  });

  it('is refused with the line of a header even if only some headings are known or mapped', async () => {
    const titles = 'Liste 2026;;;\nStand: 1.1.2026;;;\n';
    const row = 'Ada;King;a@x.org;1\n';
    for (const [text, map, problem, line] of [
      [`${titles}Rufzeichen;Familie;Dienstmail;Nr\n${row}`, ['Rufzeichen=firstName', 'Nr=phone'], 'no column', 3],
      [`Rufzeichen 1;;;\nRufzeichen;Familie\n${row}`, ['Rufzeichen=firstName'], '"Rufzeichen 1"?', 2],
      [`${titles}Vorname;Nachname;E-Mail;Handy-Nr\n${row}`, [], 'no header', 3],
      [`${titles}Vorname;Nachname;E-Mail;Handy-Nr\n${row}`, ['Handy-Nr=phone'], 'no column', 3],
      [`${titles}Vorname;Familie;Dienstmail;Handy-Nr\n${row}`, [], 'no header', undefined],
      [`Vorname;Name\nAda;Mobil\nRolle;Kurs\n${row}`, [], 'lacks email', undefined],
      [`${titles}${row}Ada;King;;1\n`, ['#1=firstName', '#2=lastName', '#3=email', '#9=phone'], '', undefined],
      [`Vorname;Nr;E-Mail\nAda;1;\n`, ['Kurs=course'], 'no column', undefined],
    ] as const) {
      const options = { map: [...map] };
      const format = { ...usualFormat, delimiter: ';' as const };
      const { message } = await failureOf(() => openPeople(chunks(Buffer.from(text)), { options, format }));
      expect(message, text).to.include(problem);
      const hint = line === undefined ? '' : ` Line ${line} looks like the header: delete the lines above it.`;
      expect(/(?<=[.?]) Line .*/.exec(message)?.[0] ?? '', text).to.equal(hint);
    }
  });

  it('is closed if its header is refused, or no row was read', async () => {
    const released: string[] = [];
    async function* source(text: string) {
      try {
        yield Buffer.from(text);
        for (;;) yield Buffer.from('x\n'.repeat(100));
      } finally {
        released.push(text);
      }
    }
    await failureOf(() => openPeople(source('name\n')));
    expect(released).to.deep.equal(['name\n']);
    const file = await openPeople(source(`${header}\n`));
    await file.close();
    expect(released).to.deep.equal(['name\n', `${header}\n`]);
  });
});
