import iconv from 'iconv-lite';
import type { ImportOptions } from '../../../../src/schemas/import.js';

/** Expected plan of a file. */
export type Expected =
  | {
      /** Encoding and delimiter, if the test is about these. */
      format?: readonly [string, string];
      created: number;
      skipped?: number;
      /** Codes and reasons of rejected rows, by line. */
      rejected?: Readonly<Record<number, string>>;
      ignored?: readonly string[];
      people?: readonly string[];
      /** Line of the first person. */
      firstLine?: number;
      /** Warnings of the plan: code, lines, and the values that it shows. */
      warnings?: readonly string[];
    }
  /** Message of a refused file. With a `...` at the end, only its beginning. */
  | { refused: string };

export interface Case {
  name: string;
  bytes: Buffer;
  options?: Partial<ImportOptions>;
  expected: Expected;
}

const header = 'firstName,lastName,email,phone';
const ada = 'Ada,Lovelace,ada@example.org,+44 20 1';
const bob = 'Bob,Byron,bob@example.org,+44 20 2';
const basic = `${header}\n${ada}\n${bob}\n`;
const basicPeople = ['Ada Lovelace <ada@example.org>', 'Bob Byron <bob@example.org>'];
const columns =
  'firstName,lastName,email,phone,role,isActive,language,password,passwordHash,course,enrollmentStatus,reply,group';
const western = `${header}\r\nJosé,Müller,jose@example.org,1\r\nZoë,Çelik-Łuk,zoe@example.org,2\r\n`.replace('Ł', 'L');
const arabic = 'الاسم الأول,اسم العائلة,البريد الإلكتروني,رقم الجوال\r\nليلى,حسن,layla@example.org,+966 1\r\n';

const encoded = (text: string, encoding: string) => iconv.encode(text, encoding, { addBOM: false });
const bytes = (...parts: (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

const cases: Case[] = [];
/** Adds a file; text is UTF-8. */
function add(name: string, content: string | Buffer, expected: Expected, options?: Case['options']): void {
  cases.push({ name, bytes: Buffer.from(content), expected, ...(options && { options }) });
}
const rows = (name: string, lines: readonly string[], expected: Expected, options?: Case['options']) =>
  add(name, [...lines, ''].join('\n'), expected, options);

const westernPeople = ['José Müller <jose@example.org>', 'Zoë Çelik-Luk <zoe@example.org>'];
add('utf-8', basic, { format: ['utf-8', ','], created: 2, people: basicPeople, ignored: [], firstLine: 2 });
add('utf-16le-mark', encoded(`\ufeff${western.replaceAll(',', '\t')}`, 'utf-16le'), {
  format: ['utf-16le', '\t'],
  created: 2,
  people: westernPeople,
});
add('utf-16be', encoded(arabic, 'utf-16be'), {
  format: ['utf-16be', ','],
  created: 1,
  people: ['ليلى حسن <layla@example.org>'],
});
add('windows-1252', encoded(western.replaceAll(',', ';'), 'windows-1252'), {
  format: ['windows-1252', ';'],
  created: 2,
  people: westernPeople,
});
/** Returns a file as a spreadsheet in a country saves it. @param names first name, a space, last name */
const inCodePage = (names: readonly string[], encoding: string) =>
  encoded(
    ['First name;Last name;Email;Phone', ...names.map((name, at) => `${name.replace(' ', ';')};p${at}@x.org;+1 ${at}`)]
      .map((line) => `${line}\r\n`)
      .join(''),
    encoding,
  );
const hungarian = [
  ...['Bálint Kertész', 'Gellért Mező', 'Fruzsina Erdélyi', 'Dezső Bátori', 'Lőrinc Szőnyi', 'Piroska Hűvös'],
  ...['Ottó Vadász', 'Emőke Rácz', 'Sára Nyerő', 'Tünde Csáki', 'Vencel Dobó', 'Ilona Kis'],
];
add('code-page-hungarian', inCodePage(hungarian, 'windows-1250'), {
  format: ['windows-1250', ';'],
  created: 12,
  people: ['Bálint Kertész <p0@x.org>', 'Gellért Mező <p1@x.org>', 'Fruzsina Erdélyi <p2@x.org>'],
});
const turkish = [
  ...['Ayşegül Kılıç', 'Tuğba Işın', 'Oğuz Şen', 'Barış Yıldırım', 'Can Aksoy', 'Nazlı Güneş', 'Çağrı Uysal'],
];
add('code-page-turkish', inCodePage(turkish, 'windows-1254'), {
  format: ['windows-1254', ';'],
  created: 7,
  people: ['Ayşegül Kılıç <p0@x.org>', 'Tuğba Işın <p1@x.org>', 'Oğuz Şen <p2@x.org>'],
});
const lithuanian = ['Vytautas Petrauskas', 'Aistė Žilienė', 'Šarūnas Kubilius', 'Milda Rimkė', 'Tomas Jonaitis'];
add('code-page-lithuanian', inCodePage(lithuanian, 'windows-1257'), {
  refused:
    'The file is not UTF-8, and its encoding is not certain. Save it as "CSV UTF-8", or name the encoding in which the names are right:\n  --encoding windows-1257: Aistė Žilienė, Šarūnas Kubilius, Milda Rimkė\n  --encoding ...',
});
add(
  'code-page-lithuanian-by-name',
  inCodePage(lithuanian, 'windows-1257'),
  { format: ['windows-1257', ';'], created: 5 },
  { encoding: 'windows-1257' },
);
add(
  'utf-8-and-1252-overruled',
  bytes(`${header}\nJosé,King,a@example.org,1\nJos`, [0xe9], ',King,b@example.org,2\n'),
  { format: ['windows-1252', ','], created: 2, people: ['JosÃ© King <a@example.org>', 'José King <b@example.org>'] },
  { encoding: 'windows-1252' },
);
add('delimiter-tab-commas', `${`${header},reply\n${ada}`.replaceAll(',', '\t')}\tone, two, three, four, five\n`, {
  format: ['utf-8', '\t'],
  created: 1,
});
add(
  'delimiter-overruled',
  'firstName;lastName;email;phone\nAda;King;ada@example.org;1\n',
  { refused: 'The file has no header. ...' },
  { delimiter: ',' },
);
add('sep-semicolon', `sep=;\r\n${basic.replaceAll(',', ';')}`, {
  format: ['utf-8', ';'],
  created: 2,
  people: basicPeople,
  firstLine: 3,
});
add('sep-utf-16', encoded(`\ufeffsep=;\r\n${basic.replaceAll(',', ';')}`, 'utf-16le'), {
  format: ['utf-16le', ';'],
  created: 2,
  firstLine: 3,
});
add('lines-blank', `\n\r\n${header}\n\n,,,\n${ada}\n \n\n${bob},\n\n`, {
  created: 2,
  firstLine: 6,
});
add('lines-in-quotes', `${header},reply\n${ada},"one\r\ntwo\nthree\r\n"\nX,Y,nobody,\n`, {
  created: 1,
  rejected: {
    6: 'NAME_INVALID: First name "X" must be 2 to 50 characters. Last name "Y" must be 2 to 50 characters. Email "nobody" must be a valid email address. Phone is required for a new account.',
  },
});
add('quotes-feet-and-inches', `${header},reply\n${ada},5'9" tall\n"Bo" Kim,Kim,bo@example.org,2,\n${bob},\n`, {
  created: 1,
  rejected: {
    2: 'QUOTES_INVALID: The row has a quote in the middle of a field. Double it ("") and put the whole field in quotes.',
    3: 'QUOTES_INVALID: The row has text after a closing quote. Double the quotes inside the field ("").',
  },
});
add(
  'lines-wrapped',
  '"Vorname,Nachname,""E-Mail"",Mobil"\r\n"Ada,Lovelace,""ada@example.org"",1"\r\n"Bob,""Byron, Lord"",bob@example.org,2";;\r\n',
  { created: 2, people: ['Ada Lovelace <ada@example.org>', 'Bob Byron, Lord <bob@example.org>'], firstLine: 2 },
);
add('end-marks', `${header}\r\n${ada}\r\n${bob}${'\x1a'.repeat(40)}`, { created: 2, people: basicPeople });
add(
  'version-line',
  `version:v1.0,,,\nFirst name [givenName] Required,Last name [surname],Email,Mobile\n${ada}\n${bob}\n`,
  { created: 2, people: basicPeople, firstLine: 3 },
  { map: ['First name [givenName] Required=firstName', 'Last name [surname]=lastName'] },
);
add('header-moodle', `username,firstname,lastname,email,phone1,phone2,course1\nada,${ada},2,Course 1\n`, {
  created: 1,
  ignored: ['username'],
});
add('header-only-blank-rows', `${header}\n,,,\n\n`, {
  refused: 'The file header-only-blank-rows.csv has a header and no rows below it.',
});
add('empty-mark-utf-16', bytes([0xff, 0xfe]), { refused: 'The file is empty.' });
add('empty-sep', 'sep=;\n', { refused: 'The file is empty.' });
rows(
  'full-name',
  [
    'Full name,email,phone',
    'Ada King Lovelace,ada@example.org,1',
    'Bob,bob@example.org,2',
    '"Byron, Cyd",cyd@example.org,3',
    ',dan@example.org,4',
  ],
  {
    created: 2,
    people: ['Ada King Lovelace <ada@example.org>', 'Cyd Byron <cyd@example.org>'],
    rejected: {
      3: 'NAME_INVALID: Full name "Bob" must be first and last name: "Ada King" or "King, Ada". A person with one name needs it twice.',
      5: 'NAME_MISSING: First name is required. Last name is required.',
    },
  },
);
const lost = (phone: string) =>
  `PHONE_MANGLED: Phone "${phone}" was turned into a number by a spreadsheet and its digits are lost. Format the column as text and enter the phone again.`;
const decimal = (phone: string) =>
  `PHONE_MANGLED: Phone "${phone}" was turned into a decimal number by a spreadsheet. Format the column as text and enter the phone again.`;
const noPhone = 'PHONE_MISSING: Phone is required for a new account.';
rows(
  'phones-missing',
  ['First Name,Last Name,Email,Phone', 'Ann,Lee,ann58@corp.example,', 'Bo,Kim,bo58@corp.example,'],
  {
    created: 0,
    rejected: { 2: noPhone, 3: noPhone },
  },
);
rows(
  'phones-no-column',
  ['First Name,Last Name,Email', 'Ann,Lee,ann@corp.example', 'Bo,Kim,bo@corp.example'],
  { created: 2, people: ['Ann Lee <ann@corp.example>', 'Bo Kim <bo@corp.example>'] },
  { missingPhone: 'allow' },
);
rows(
  'phones-family',
  [
    'First name,Last name,Email,Phone',
    'Mia,Stone,stone.family@corp.example,0171 8001',
    'Noah,Stone,stone.family@corp.example,0171 8001',
    'Zoe,Stone,zoe@corp.example,0171 8001',
    'Leo,Park,leo@corp.example,0171 8002',
  ],
  {
    created: 2,
    rejected: {
      3: 'DUPLICATE_IN_FILE: Email is already on line 2. Phone is already on line 2.',
      4: 'DUPLICATE_IN_FILE: Phone is already on line 2.',
    },
  },
);
rows(
  'phones-doubtful',
  [
    'First Name,Last Name,Email,Phone',
    'Aa,Sci,p1@corp.example,4.91761E+11',
    'Bb,Scicomma,p2@corp.example,"4,91761E+11"',
    'Cc,Zeroeaten,p3@corp.example,15123456789',
    'Dd,Float,p4@corp.example,15123456789.0',
    'Ee,Hash,p5@corp.example,#######',
    'Ff,Formula,p6@corp.example,"=""0151234"""',
    'Gg,Na,p7@corp.example,n/a',
    'Hh,Dash,p8@corp.example,-',
    'Ii,Two,p9@corp.example,0151 111 / 0171 222',
    'Jj,Ext,p10@corp.example,+1 555 201 0001 ext. 12',
    'Kk,Tel,p11@corp.example,tel:+4915112345',
    'Ll,Fullwidth,p12@corp.example,０９０－１２３４－５６７８',
    'Mm,Arabic,p13@corp.example,٠٥٠١٢٣٤٥٦٧',
    'Nn,Plus0,p14@corp.example,+49 (0)151 234567',
    'Oo,DoubleZero,p15@corp.example,0049151234567',
    'Pp,NbspEmail,p16@corp.example\u00a0,0151\u00a0234\u00a0568',
    'Qq,Zero,p17@corp.example,0',
    'Rr,Same0,p18@corp.example,0000000000',
    'Ss,Same0b,p19@corp.example,0000000000',
    'Tt,Null,p20@corp.example,NULL',
    'Uu,Date,p21@corp.example,12.05.1998',
    'Vv,Email in phone,p22@corp.example,vv@corp.example',
    'Ww,Letters,p23@corp.example,1-800-FLOWERS',
    'Xx,Text,p24@corp.example,call mum 0151 2345',
  ],
  {
    created: 15,
    rejected: {
      2: lost('4.91761E+11'),
      3: lost('4,91761E+11'),
      5: decimal('15123456789.0'),
      6: 'PHONE_INVALID: Phone "#######" has no digit.',
      8: 'PHONE_INVALID: Phone "n/a" has no digit.',
      9: 'PHONE_INVALID: Phone "-" has no digit.',
      20: 'DUPLICATE_IN_FILE: Phone is already on line 19.',
      21: 'PHONE_INVALID: Phone "NULL" has no digit.',
      23: 'PHONE_INVALID: Phone "vv@corp.example" looks like an email address.',
    },
  },
);
rows('passwords', [`${header},password`, 'Ada,King,a@example.org,1, secret 12 ', 'Bob,King,b@example.org,2,1234'], {
  created: 1,
  rejected: { 3: 'PASSWORD_INVALID: Password must be at least 6 characters.' },
});
// Files of other programs, as people use them.
rows(
  'no-phone-column',
  ['first_name,last_name,email,sis_id', 'Ann,Lee,ann14@corp.example,100014', 'Bo,Kim,bo14@corp.example,100015'],
  {
    refused: `The file has no phone column: add one, or name the column that has it with --map "HEADING=phone", or import people without phones with --missing-phone allow. Not understood: sis_id. The columns are: ${columns}`,
  },
);
rows(
  'several-phones',
  [
    'First Name,Last Name,Email,Mobile Phone,Home Phone',
    'Ann,Lee,ann16@corp.example,0151 1601,',
    'Bo,Kim,bo16@corp.example,,030 1602',
    'Cy,Fox,cy16@corp.example,0151 1603,030 1603',
  ],
  { created: 3, ignored: [] },
);
rows(
  'status-paid',
  [
    'First Name,Last Name,Email,Phone,Status',
    'Ann,Lee,ann18@corp.example,0151 1801,Paid',
    'Bo,Kim,bo18@corp.example,0151 1802,Cancelled',
    'Cy,Fox,cy18@corp.example,0151 1803,Confirmed',
  ],
  {
    created: 0,
    rejected: Object.fromEntries(
      ['Paid', 'Cancelled', 'Confirmed'].map((word, index) => [
        index + 2,
        `IS_ACTIVE_UNKNOWN: Status "${word}" must be yes or no, or active or inactive. To ignore the column: --map "Status=".`,
      ]),
    ),
  },
);
rows(
  'azure',
  [
    'Name [displayName] Required,User name [userPrincipalName] Required,Initial password [passwordProfile] Required,Block sign in (Yes/No) [accountEnabled] Required,First name [givenName],Last name [surname],Mobile phone [mobile]',
    'Ann Lee,ann23@corp.example,Init1al-pw1,No,Ann,Lee,+44 7700 900231',
    'Bo Kim,bo23@corp.example,Init1al-pw2,Yes,Bo,Kim,+44 7700 900232',
  ],
  {
    refused: 'The header lacks email. Did you mean --map "User name [userPrincipalName] Required=email"? ...',
  },
);
rows(
  'moodle-two-courses',
  [
    'username,password,firstname,lastname,email,phone1,course1,role1,course2,role2,cohort1',
    'ann25,changeme,Ann,Lee,ann25@corp.example,0151 2501,First Aid,student,Fire Safety,student,C1',
    'bo25,changeme,Bo,Kim,bo25@corp.example,0151 2502,,,Fire Safety,student,C1',
  ],
  {
    created: 2,
  },
);
rows(
  'row-per-course',
  [
    'First Name,Last Name,Email,Phone,Course',
    'Ann,Lee,ann32@corp.example,0151 3201,First Aid',
    'Ann,Lee,ann32@corp.example,0151 3201,Fire Safety',
    'Bo,Kim,bo32@corp.example,0151 3202,Fire Safety',
  ],
  {
    created: 2,
    skipped: 1,
  },
);
rows(
  'google-full',
  [
    'First Name [Required],Last Name [Required],Email Address [Required],Password [Required],Password Hash Function [UPLOAD ONLY],Org Unit Path [Required],New Primary Email [UPLOAD ONLY],Status [READ ONLY],Last Sign In [READ ONLY],Recovery Email,Home Secondary Email,Work Secondary Email,Recovery Phone [MUST BE IN THE E.164 FORMAT],Work Phone,Home Phone,Mobile Phone,Work Address,Home Address,Employee ID,Employee Type,Employee Title,Manager Email,Department,Cost Center,2sv Enrolled [READ ONLY],2sv Enforced [READ ONLY],Building ID,Floor Name,Floor Section,Email Usage [READ ONLY],Change Password at Next Sign-In,New Status [UPLOAD ONLY]',
    'Ann,Lee,ann26@corp.example,****,,/Students,,Active,2026/03/01 10:00:00,,,,+447700900261,,,,,,,,,,,,,,,,,,,',
    'Bo,Kim,bo26@corp.example,****,,/Students,,Suspended,2026/03/01 10:00:00,,,,+447700900262,,,+447700900263,,,,,,,,,,,,,,,,',
    'Cy,Fox,cy26@corp.example,****,,/Students,,Active,2026/03/01 10:00:00,,,,,+442070000264,,,,,,,,,,,,,,,,,,',
  ],
  { created: 3 },
);
rows(
  'google-forms',
  [
    'Timestamp,Email Address,What is your first name?,Last name (as on ID),Phone number (with country code),Which session?',
    '2026/03/14 9:00:00 am GMT+1,ann34@corp.example,Ann,Lee,+49 151 3401,Morning',
    '2026/03/14 9:00:00 am GMT+1,bo34@corp.example,Bo,Kim,+49 151 3402,Evening',
  ],
  {
    refused:
      'The header lacks firstName, lastName, phone. Did you mean --map "What is your first name?=firstName" --map "Last name (as on ID)=lastName" --map "Phone number (with country code)=phone"? ...',
  },
);
rows(
  'active-ticked',
  [
    'First Name,Last Name,Email,Phone,Active',
    'Ann,Lee,ann36@corp.example,0151 3601,x',
    'Bo,Kim,bo36@corp.example,0151 3602,',
    'Cy,Fox,cy36@corp.example,0151 3603,-',
    'Di,Roe,di36@corp.example,0151 3604,Pending',
    'Ed,Poe,ed36@corp.example,0151 3605,Left',
  ],
  {
    created: 4,
    rejected: {
      5: 'IS_ACTIVE_UNKNOWN: Active "Pending" must be yes or no, or active or inactive. To ignore the column: --map "Active=".',
    },
  },
);

// Damaged names.
const named = (...names: readonly string[]) => [
  'First name,Last name,Email,Phone',
  ...names.map((name, at) => `${name},p${at}@corp.example,0151 590${at}`),
];
rows('names-doubly-encoded', named('BjÃ¸rn,NÃ¸rgaard', 'ZoÃ«,Brown'), {
  created: 2,
  people: ['BjÃ¸rn NÃ¸rgaard <p0@corp.example>', 'ZoÃ« Brown <p1@corp.example>'],
  warnings: [
    'NAME_GARBLED 2,3: BjÃ¸rn (probably Bjørn), ZoÃ« (probably Zoë)',
    'NAME_GARBLED 2: NÃ¸rgaard (probably Nørgaard)',
  ],
});
const isError = 'is a spreadsheet error or a placeholder for a missing value. Enter the name.';
rows(
  'names-errors',
  named('Ann,nan', 'Bo,N/A', 'Cy,#N/A', 'Di,#NAME?', 'Ed,..', 'Flo,123456', '2026-05-14,Smith', 'gus@corp.example,Lee'),
  {
    created: 4,
    rejected: {
      2: `NAME_DAMAGED: Last name "nan" ${isError}`,
      3: `NAME_DAMAGED: Last name "N/A" ${isError}`,
      4: `NAME_DAMAGED: Last name "#N/A" ${isError}`,
      5: `NAME_DAMAGED: Last name "#NAME?" ${isError}`,
    },
    warnings: ['NAME_ODD 6,7: .., 123456', 'NAME_ODD 8: 2026-05-14', 'NAME_ODD 9: gus@corp.example'],
  },
);
rows(
  'names-escaped',
  named(
    'Pat,O&#39;Brien',
    'Eva &amp; Tom,Lee',
    'Ren&eacute;,Pe&ntilde;a',
    "Pat,O\\'Brien",
    "Pat,O''Brien",
    'Pat,"O""Brien"',
  ),
  {
    created: 6,
    warnings: [
      "NAME_GARBLED 2,4,5,6: O&#39;Brien (probably O'Brien), Pe&ntilde;a (probably Peña), O\\'Brien (probably O'Brien), O''Brien (probably O'Brien)",
      'NAME_GARBLED 3,4: Eva &amp; Tom (probably Eva & Tom), Ren&eacute; (probably René)',
    ],
  },
);

/** Files that once caused faults, or that represent a kind of file. */
export const corpus: readonly Case[] = cases;

export function corpusFile(name: string): Buffer {
  const found = corpus.find((one) => one.name === name);
  if (!found) throw new Error(`The corpus has no ${name}.`);
  return found.bytes;
}
