import { expect } from 'chai';
import iconv from 'iconv-lite';
import { recordsOf, textOf, useImporting } from '../support/importing.js';

const utf16 = (text: string) => iconv.encode(text, 'utf-16le', { addBOM: true });

describe('A file as a spreadsheet in another country saves it', () => {
  const importing = useImporting();
  const emails = async () =>
    (await importing.context.database.models.User.findAll({ order: ['email'] })).map(
      ({ firstName, lastName, email, phone }) => `${firstName} ${lastName} <${email}> ${phone}`,
    );
  const text = 'sep=;\r\nVorname;Name;E-Mail;Handy\r\nZoë;Müller;zoe@example.org;="0151"\r\nJosé;"Q;R";jose@;2\r\n';

  it('is planned and imported as it was read, and its rejects are read back', async () => {
    const file = importing.write('people.csv', utf16(text));
    const { stdout } = await importing.run(file, '--dry-run');
    expect(stdout.split('\n')[0]).to.equal(`${file}: 2 rows (CSV, semicolon, UTF-16 LE)`);
    const id = /--plan ([0-9a-f]{16})$/m.exec(stdout)?.[1] ?? '';
    const first = await importing.run(file, '--plan', id, '--json');
    expect(first).to.include({ exitCode: 3, stderr: '' });
    const { rejectsFile } = (JSON.parse(first.stdout) as { import: { rejectsFile: string } }).import;
    expect(await emails()).to.deep.equal(['Zoë Müller <zoe@example.org> 0151']);
    expect(recordsOf(rejectsFile)).to.deep.equal([
      {
        Vorname: 'José',
        Name: 'Q;R',
        'E-Mail': 'jose@',
        Handy: '2',
        line: '4',
        code: 'EMAIL_INVALID',
        reason: 'Email "jose@" must be a valid email address.',
      },
    ]);
    const corrected = importing.write(
      'corrected.csv',
      utf16(textOf(rejectsFile).replace('\ufeff', '').replace('jose@', 'jose@example.org')),
    );
    expect(await importing.json(corrected)).to.deep.include({ exitCode: 0 });
    expect(await emails()).to.deep.equal(['José Q;R <jose@example.org> 2', 'Zoë Müller <zoe@example.org> 0151']);
  });

  it('is imported with the encoding and delimiter of the options', async () => {
    const file = importing.write(
      'people.csv',
      iconv.encode('Wer|E-Mail|Nr|X\nZoë Müller|zoe@example.org|1|y\n', 'win1252'),
    );
    const args = ['--encoding', 'Windows-1252', '--delimiter', '|', '--map', 'Wer=fullName', '--map', 'Nr=phone'];
    expect(await importing.json(file, ...args)).to.deep.include({ exitCode: 0 });
    expect(await emails()).to.deep.equal(['Zoë Müller <zoe@example.org> 1']);
  });

  it('has the same plan id only with the same options for reading', async () => {
    const file = importing.write('people.csv', 'Full name,Email,Phone,Mobile\nAda King,ada@example.org,1,2\n');
    const planOf = async (...args: string[]) => {
      const { stdout } = await importing.run(file, '--dry-run', '--json', ...args);
      return (JSON.parse(stdout) as { plan: { id: string; options: object } }).plan;
    };
    const plain = await planOf();
    const same = await planOf('--encoding', 'auto', '--delimiter', 'auto');
    expect({ ...same, seconds: 0 }).to.deep.equal({ ...plain, seconds: 0 });
    const mapped = await planOf('--map', 'Mobile=phone');
    expect(mapped.options).to.deep.include({ role: 'trainee', map: ['Mobile=phone'] });
    expect(mapped.id).not.to.equal(plain.id);
  });

  it('is refused for invalid options', async () => {
    const file = importing.write('people.csv', text);
    for (const [args, message] of [
      [
        ['--encoding', 'latin1'],
        'Encoding must be one of auto, utf-8, utf-16le, utf-16be, windows-1252, windows-1250, windows-1251, windows-1253, windows-1254, windows-1255, windows-1256, windows-1257, windows-874, macintosh, shift_jis, gb18030, big5, euc-kr. Of ISO-8859, parts 1, 8, 9, 11 and 13 are read; the nearest of 2 and 16 is windows-1250, of 4 windows-1257, of 5 windows-1251, of 6 windows-1256, of 7 windows-1253, of 15 windows-1252: check the names in the plan.',
      ],
      [['--delimiter', ':'], "Delimiter must be auto, ',', ';', tab or '|'."],
      [['--delimiter', ''], "Delimiter must be auto, ',', ';', tab or '|'."],
      [
        ['--map', 'Mobile'],
        'A mapping is heading=field, such as "Mobile=phone", or heading= for a column to be ignored.',
      ],
      [['--map', 'Mobile=phone'], 'The file has no column "Mobile".'],
    ] as const) {
      const { exitCode, stderr } = await importing.run(file, ...args, '--yes');
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 2, stderr: `error: ${message}\n` });
    }
  });
});
