import { expect } from 'chai';
import { importColumns } from '../../../../../src/schemas/import.js';
import { type ColumnMapping, mapColumns } from '../../../../../src/services/imports/read/columns/columns.js';
import { importFieldRules } from '../../../../../src/services/imports/read/fields/import-fields.js';
import { readFields } from '../../../../../src/services/imports/read/rows/row-fields.js';
import { shownText } from '../../../../../src/tables/table/text.js';
import { failureOf } from '../../../../db/support/failure.js';

const firstOf = ({ columns }: ColumnMapping) =>
  Object.fromEntries([...columns].map(([field, [index]]) => [field, index]));
const ignoredOf = ({ fileColumns, columns }: ColumnMapping) => {
  const used = new Set([...columns.values()].flat());
  return fileColumns.flatMap(({ heading, index }) =>
    used.has(index) || heading.trim() === '' ? [] : [shownText(heading)],
  );
};
const found = (header: readonly string[], maps?: readonly string[]) => firstOf(mapColumns(header, maps));
const problemOf = async (header: readonly string[], maps?: readonly string[]) => {
  const { code, message } = await failureOf(() => mapColumns(header, maps));
  return `${code} ${message}`;
};
const basic = { firstName: 0, lastName: 1, email: 2, phone: 3 };

describe('Headings of spreadsheets', () => {
  it('are known in several languages, and from several programs', () => {
    for (const header of [
      'First Name,Last Name,E-mail Address,Mobile Number',
      'Given name;Surname;Email;Tel.',
      'FORENAME,family_name,MAIL,Cell',
      'Vorname;Nachname;E-Mail;Telefon',
      'Vorname;Name;E-Mail-Adresse;Handynummer',
      'Rufname;Familienname;Mail;Mobil',
      'Prénom;Nom;Courriel;Téléphone',
      'PRENOM;NOM DE FAMILLE;Adresse e-mail;N° de téléphone',
      'Prénom(s);Nom;Mél;Portable',
      'Nombre;Apellidos;Correo electrónico;Teléfono',
      'Nombres;Apellido;Correo;Celular',
      'nombre;primer apellido;e-mail;móvil',
      'Nome;Sobrenome;E-mail;Telefone',
      'Primeiro nome;Apelido;Correio eletrônico;Telemóvel',
      'الاسم الأول;اسم العائلة;البريد الإلكتروني;رقم الهاتف',
      'الاسم الاول;اللقب;الايميل;الجوال',
      'الإسم الأوّل;العائلة;البريـد الالكتروني;موبايل',
      // Moodle, Canvas, Google Contacts and Google Workspace.
      'firstname,lastname,email,phone1',
      'first_name,last_name,login_id,phone',
      'Given Name,Family Name,E-mail 1 - Value,Phone 1 - Value',
      'First Name [Required],Last Name [Required],Email Address [Required],Recovery Phone [MUST BE IN THE E.164 FORMAT]',
    ])
      expect(found(header.split(/[,;]/)), header).to.deep.equal(basic);
  });

  it('are known in full exports, and unknown headings are listed', () => {
    for (const [header, fields, ignored] of [
      [
        'username,firstname,lastname,email,phone1,phone2,password,course1,role1,institution',
        { firstName: 1, lastName: 2, email: 3, phone: 4, password: 6, course: 7 },
        ['username', 'role1', 'institution'],
      ],
      [
        'user_id,login_id,first_name,last_name,full_name,email,status,Phone',
        { firstName: 2, lastName: 3, email: 5, isActive: 6, phone: 7 },
        ['user_id', 'login_id', 'full_name'],
      ],
      [
        'Name,Given Name,Family Name,E-mail 1 - Type,E-mail 1 - Value,Phone 1 - Value,Phone 2 - Value,Notes, ',
        { firstName: 1, lastName: 2, email: 4, phone: 5 },
        ['Name', 'E-mail 1 - Type', 'Notes'],
      ],
    ] as const) {
      const mapping = mapColumns(header.split(','));
      expect(firstOf(mapping)).to.deep.equal(fields);
      expect(ignoredOf(mapping)).to.deep.equal(ignored);
    }
  });

  it('have one meaning each', () => {
    const key = (name: string) =>
      name
        .normalize('NFKD')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]|\u0640/gu, '');
    const seen = new Map<string, string>();
    for (const [field, { headings: aliases }] of Object.entries(importFieldRules))
      for (const name of new Set([field, ...aliases].map(key))) {
        expect(seen.get(name) ?? field, name).to.equal(field);
        seen.set(name, field);
      }
  });

  it("are chosen by likelihood, starting with the field's name", () => {
    for (const [header, phone, further] of [
      ['Mobile,phone', 5, [4]],
      ['phone2,phone1', 5, [4]],
      ['Home phone,Mobile,Telephone', 5, [6, 4]],
      ['Home Phone,Work Phone,Recovery Phone,Mobile', 7, [6, 5, 4]],
    ] as const) {
      const mapping = mapColumns(['x', 'firstName', 'lastName', 'email', ...header.split(',')]);
      expect(mapping.columns.get('phone'), header).to.deep.equal([phone, ...further]);
    }
  });

  it('are refused if two columns have the same heading', async () => {
    const rest = ['firstName', 'lastName', 'email'];
    const twice =
      'IMPORT_FILE_INVALID The header has the column phone twice. Remove one of them, or ignore one: --map "#5=".';
    for (const pair of [
      ['phone', 'Phone'],
      ['Mobile', 'mobile'],
      ['Mobile', 'MOBILE ', 'Telephone'],
    ])
      expect(await problemOf([...rest, ...pair])).to.equal(twice);
    expect(found([...rest, 'phone', 'Phone'], ['#5='])).to.deep.equal(basic);
    expect(found([...rest, 'Mobile', 'Mobile', 'Phone'])).to.deep.equal({ ...basic, phone: 5 });
  });

  it('that are missing are searched for among unknown headings', async () => {
    expect(await problemOf(['Frist name', 'Last name', 'Emial', 'Phnoe', 'Shoe size'])).to.equal(
      'IMPORT_FILE_INVALID The header lacks firstName, email, phone. ' +
        'Did you mean --map "Frist name=firstName" --map "Emial=email" --map "Phnoe=phone"? ' +
        `Not understood: Frist name, Emial, Phnoe, Shoe size. The columns are: ${importColumns.join()}`,
    );
    expect(await problemOf(['firstName', 'lastName', 'email'])).to.equal(
      'IMPORT_FILE_INVALID The file has no phone column: add one, or name the column that has it with --map "HEADING=phone", or import people without phones with --missing-phone allow. ' +
        `The columns are: ${importColumns.join()}`,
    );
  });

  it('that are all unknown count as a header, unless one looks like a number', async () => {
    const header = ['Rufzeichen', 'Familie', 'Dienstmail', 'Handy-Nr'];
    expect(await problemOf(header)).to.equal(
      'IMPORT_FILE_INVALID The header lacks firstName, lastName, email, phone. ' +
        'Did you mean --map "Dienstmail=email" --map "Handy-Nr=phone"? ' +
        'Not understood: Rufzeichen, Familie, Dienstmail, Handy-Nr. ' +
        'Say which column is firstName, lastName, such as --map "HEADING=firstName". ' +
        `The columns are: ${importColumns.join()}`,
    );
    for (const row of [['Ada', 'King', '', '0151 8193'], ['Ada', 'King', '+٤٩ ١٥١', ''], ['Liste']])
      expect(await problemOf(row), row.join()).to.match(/^IMPORT_FILE_INVALID The file has no header\./);
    // A header contains no email address.
    for (const row of [
      ['Ada', 'Name', 'ada@example.org', '1'],
      ['firstName', 'lastName', 'email', 'phone', ' a@b.org '],
    ])
      expect(await problemOf(row)).to.match(/^IMPORT_FILE_INVALID The file has no header\. Its first line must name/);
  });

  it('are shortened to one line', async () => {
    const message = await problemOf([
      '\u001b[2J\r\nClan',
      'x'.repeat(100),
      ...new Array(20).fill('y'),
      'email',
      'phone',
    ]);
    expect(message).to.include(`Not understood: [2J Clan, ${'x'.repeat(60)}…, ${'y, '.repeat(7)}y and 12 more. `);
    expect(ignoredOf(mapColumns(['firstName', 'lastName', 'email', 'phone', '\u0007two\nlines']))).to.deep.equal([
      'two lines',
    ]);
  });
});

describe('A column for the full name', () => {
  const input = (name: string) => readFields([name, 'a@b.org'], mapColumns(['Full name', 'email', 'phone']));

  it('gives first and last name, and is ignored beside columns for both', () => {
    for (const name of ['Full name', 'Name', 'Vollständiger Name', 'Nom complet', 'Nombre completo', 'الاسم الكامل'])
      expect(found([name, 'email', 'phone']), name).to.deep.equal({ fullName: 0, email: 1, phone: 2 });
    const beside = mapColumns(['First name', 'Full name', 'email', 'phone']);
    expect([beside.columns.get('fullName'), ignoredOf(beside)]).to.deep.equal([[1], ['First name']]);
    const unneeded = mapColumns(['Full name', 'First name', 'Last name', 'email', 'phone']);
    expect(unneeded.columns.has('fullName')).to.equal(false);
    expect(ignoredOf(unneeded)).to.deep.equal(['Full name']);
  });

  it('may be one half of the name, if it is called a name and another column has the other half', async () => {
    const reversed = { firstName: 1, lastName: 0, email: 2, phone: 3 };
    expect(found(['Name', 'Vorname', 'email', 'phone'])).to.deep.equal(reversed);
    expect(found(['Name', 'Surname', 'email', 'phone'])).to.deep.equal(basic);
    expect(await problemOf(['First name', 'Name', 'email', 'phone'])).to.match(
      /lacks lastName\. Did you mean --map "Name=lastName"\? Not understood: Name\. /,
    );
  });

  it("stays unchanged if it can't be split", () => {
    expect(input('Ada King')).to.deep.equal({ email: 'a@b.org', phone: '', firstName: 'Ada', lastName: 'King' });
    expect(input('Ada')).to.deep.equal({ email: 'a@b.org', phone: '', fullName: 'Ada' });
    expect(input(' ')).to.include({ firstName: '', lastName: '' });
  });
});

describe('Columns that --map maps', () => {
  const header = ['Given', 'Clan', 'Contact', 'Mobile', 'Phone', 'Reply'];
  const maps = ['Given=firstName', 'Clan=lastName', 'Contact=email'];

  it('have the mapped field, whatever their name', () => {
    expect(found(header, maps)).to.deep.equal({ firstName: 0, lastName: 1, email: 2, phone: 4, reply: 5 });
    const mapping = mapColumns(header, [...maps, ' mobile = PHONE ', 'Reply=']);
    expect(firstOf(mapping)).to.deep.equal({ ...basic });
    expect(ignoredOf(mapping)).to.deep.equal(['Phone', 'Reply']);
    expect(found(['a=b', 'Email', 'Phone'], ['a=b=fullName'])).to.deep.equal({ fullName: 0, email: 1, phone: 2 });
    expect(found(['phone', 'email', 'Name'], ['phone=email', 'email=phone'])).to.deep.equal({
      email: 0,
      phone: 1,
      fullName: 2,
    });
  });

  it('are named by their number if headings are blank or repeated; numbers take precedence over headings', async () => {
    const header = ['A', 'Surname', 'A', '', '#1'];
    const mapping = mapColumns(header, ['#1=firstName', '#3=email', '#4=phone', '#5=reply']);
    expect(firstOf(mapping)).to.deep.equal({
      firstName: 0,
      lastName: 1,
      email: 2,
      phone: 3,
      reply: 4,
    });
    // Also at the end, where spreadsheets pad lines.
    const padded = mapColumns(['Vorname', 'Nachname', 'E-Mail', '', ' ', ''], ['#5=phone']);
    expect(firstOf(padded)).to.deep.equal({ ...basic, phone: 4 });
    expect(padded.width).to.equal(5);
    const unnamed = (value: string) =>
      failureOf(() => mapColumns(['Vorname', 'Nachname', 'E-Mail', ''], [], [['Ada', 'King', 'a@b.org', value]]));
    expect((await unnamed('+49 151 1601')).message).to.include('Did you mean --map "#4=phone"? ');
    expect((await unnamed('M')).message).to.include(
      'Column 4 has no heading: map it by its number, --map "#4=FIELD". ',
    );
    expect((await unnamed('')).message).not.to.include('Column 4');
  });

  it('may be the full name, whatever other columns exist', () => {
    for (const beside of [['Vorname'], ['Surname'], ['First name'], ['First name', 'Last name']]) {
      const mapping = mapColumns(['Name', 'email', 'phone', ...beside], ['Name=fullName']);
      expect(mapping.columns.get('fullName')).to.deep.equal([0]);
      expect(ignoredOf(mapping)).to.deep.equal(beside);
    }
  });

  it('must exist, name a field, and be mapped a single time', async () => {
    for (const [map, problem] of [
      ['Givn=firstName', 'The file has no column "Givn". Did you mean "Given"?'],
      ['zzz=firstName', 'The file has no column "zzz".'],
      ['#9=phone', 'The file has no column "#9".'],
      [
        'Given=fristname',
        '"fristname" is no field. Did you mean firstName? The fields are: firstName, lastName, email, phone, role, isActive, language, password, passwordHash, course, enrollmentStatus, reply, group, fullName, suspended',
      ],
      ['Clan=first_name', 'Two columns are mapped to firstName. Leave one of them out.'],
      ['Given=lastName', 'The column "Given" is mapped twice.'],
      ['Given', 'A mapping is heading=field, such as "Mobile=phone", or heading= for a column to be ignored.'],
      ['=phone', 'A mapping is heading=field, such as "Mobile=phone", or heading= for a column to be ignored.'],
    ] as const) {
      const maps = problem.includes('mapped') ? ['Given=firstName', map] : [map];
      expect(await problemOf(header, maps)).to.equal(`USAGE ${problem}`);
    }
  });
});

describe('The columns that a rejects file adds', () => {
  const required = ['firstName', 'lastName', 'email', 'phone'];

  it('are dropped on import and not listed, even among columns that were added later', () => {
    const mapping = mapColumns([...required, 'line', 'code', 'reason']);
    expect(ignoredOf(mapping)).to.deep.equal([]);
    expect(mapping.fileColumns).to.deep.equal(required.map((heading, index) => ({ heading, index })));
    const moved = mapColumns(['firstName', 'line', 'code', 'reason', 'lastName', 'email', 'phone', 'Seen by']);
    expect(ignoredOf(moved)).to.deep.equal(['Seen by']);
    expect(moved.fileColumns.map(({ index }) => index)).to.deep.equal([0, 4, 5, 6, 7]);
  });

  it("are not mistaken for the file's own columns of these names", () => {
    const own = [...required, 'code', 'Reason'];
    const mapping = mapColumns(own);
    expect(ignoredOf(mapping)).to.deep.equal(['code', 'Reason']);
    const again = mapColumns([...own, 'line', 'code', 'reason']);
    for (const { fileColumns: found } of [mapping, again])
      expect(found.map(({ heading }) => heading)).to.deep.equal(own);
  });
});

describe('A phone that is marked as text', () => {
  it('loses the apostrophe', () => {
    const mapping = mapColumns(['firstName', 'lastName', 'email', 'phone']);
    const phone = (cell: string) => readFields(['', '', '', cell], mapping).phone;
    expect(["'0123", " '+44", "'(0)1", "o'1"].map(phone)).to.deep.equal(['0123', '+44', '(0)1', "o'1"]);
    expect(readFields(["'Ada", "'t Hooft"], mapping)).to.include({ firstName: "'Ada", lastName: "'t Hooft" });
  });
});
