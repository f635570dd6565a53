import { expect } from 'chai';
import iconv from 'iconv-lite';
import { importEncodings } from '../../../../src/schemas/file-format.js';
import { recordsOf, textOf, useImporting } from '../support/importing.js';

const utf16 = (text: string) => iconv.encode(text, 'utf-16le', { addBOM: true });

describe('A file that a spreadsheet in another country saved', () => {
  const importing = useImporting();
  const emails = async () =>
    (await importing.context.database.models.User.findAll({ order: ['email'] })).map(
      ({ firstName, lastName, email, phone }) => `${firstName} ${lastName} <${email}> ${phone}`,
    );
  const text = 'sep=;\r\nVorname;Name;E-Mail;Handy\r\nZoë;Müller;zoe@example.org;="0151"\r\nJosé;"Q;R";jose@;2\r\n';

  it('is planned and imported in the same encoding, and its rejects file can be imported', async () => {
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

  it('is imported with the encoding, delimiter and columns of the options, which affect the plan id', async () => {
    const file = importing.write(
      'people.csv',
      iconv.encode('Wer|E-Mail|Nr|Mobile\nZoë Müller|zoe@example.org|1|2\n', 'win1252'),
    );
    const args = ['--encoding', 'Windows-1252', '--delimiter', '|', '--map', 'Wer=fullName'];
    const plain = await importing.plan(file, { map: ['Wer=fullName'] });
    const same = await importing.plan(file, { map: ['Wer=fullName'], encoding: 'auto', delimiter: 'auto' });
    const mapped = await importing.plan(file, { map: ['Wer=fullName', 'Nr=phone'] });
    expect(same.id).to.equal(plain.id).and.not.to.equal(mapped.id);
    expect(await importing.json(file, ...args, '--map', 'Nr=phone')).to.deep.include({ exitCode: 0 });
    expect(await emails()).to.deep.equal(['Zoë Müller <zoe@example.org> 1']);
  });

  it('is refused for invalid options', async () => {
    const file = importing.write('people.csv', text);
    for (const [args, message] of [
      [
        ['--encoding', 'latin1'],
        `Encoding must be one of auto, ${importEncodings.join(', ')}. ISO-8859 parts 1, 8, 9, 11 and 13 are supported. For another part, use the nearest encoding and check the names in the plan: windows-1250 for parts 2 and 16, windows-1257 for 4, windows-1251 for 5, windows-1256 for 6, windows-1253 for 7, windows-1252 for 15.`,
      ],
      [['--delimiter', ':'], "Delimiter must be auto, ',', ';', tab or '|'."],
      [['--map', 'Mobile=phone'], 'The file has no column "Mobile".'],
    ] as const) {
      const { exitCode, stderr } = await importing.run(file, ...args, '--yes');
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 2, stderr: `error: ${message}\n` });
    }
  });
});
