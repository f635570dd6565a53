import { expect } from 'chai';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { runCli } from '../../../support/run-cli.js';
import { corpusFile } from '../support/corpus.js';
import { useImporting } from '../support/importing.js';

const header = 'firstName,lastName,email,phone,course,enrollmentStatus,reply';
const text = (...rows: string[]) => `${[header, ...rows].join('\n')}\n`;

describe('The warnings of a plan', () => {
  const importing = useImporting();
  const warningsOf = async (content: string | Buffer, options: object = {}) =>
    (await importing.plan(importing.write('people.csv', content), options)).warnings;
  const ofPhones = (...phones: string[]) =>
    warningsOf(text(...phones.map((phone, n) => `Ada,King,ada${n}@example.org,${phone},,,`)));

  it('count rows with a reply or status but no course, and name their lines', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    await buildCourse(importing.context, trainer, { title: 'Knots' });
    const rows = text(
      'Ada,King,ada@example.org,+44 1,,active,',
      'Bob,Baker,bob@example.org,+44 2,,,likes mornings',
      'Cid,Cook,cid@example.org,+44 3,Knots,active,likes evenings',
      'Dan,Dyer,dan@example.org,+44 4,,pending,likes nights',
      'Eve,Eaton,not-an-address,+44 5,,,rejected',
    );
    expect((await warningsOf(rows)).map(({ code, field, count, rows }) => [code, field, count, rows])).to.deep.equal([
      ['STATUS_WITHOUT_COURSE', 'enrollmentStatus', 2, [2, 5]],
      ['REPLY_WITHOUT_COURSE', 'reply', 2, [3, 5]],
    ]);
    expect(await warningsOf(rows, { course: 'Knots' })).to.deep.equal([]);
    const { stdout } = await importing.run('people.csv', '--dry-run');
    expect(stdout).to.include(
      [
        '  Warnings:',
        '    2 rows: An enrollment status without a course has no effect (lines 2, 5)',
        '    2 rows: A reply belongs to an enrollment: without a course it is not imported (lines 3, 5)',
      ].join('\n'),
    );
  });

  it('appear with --yes, too, but not again after a confirmed plan', async () => {
    const warning = '    1 row: First name is a date (line 2: 2026-05-14)';
    const file = importing.write('people.csv', text('2026-05-14,King,a@example.org,1,,,'));
    const { id } = await importing.plan(file);
    expect((await importing.run(file, '--plan', id)).stderr).not.to.include(warning);
    expect((await importing.run(file, '--yes', '--on-existing', 'update')).stderr).to.include(
      `  Warnings:\n${warning}`,
    );
    expect((await importing.run(file, '--yes', '--quiet')).stderr).not.to.include(warning);
  });

  it('show the results of splitting full names, but not in a file with passwords', async () => {
    const rows = [
      'Ada King,a@example.org,1',
      'Jean-Luc de la Fontaine,j@example.org,2',
      '"Berg, Pieter van der",p@example.org,3',
    ];
    expect((await warningsOf(`Name,Email,Phone\n${rows.join('\n')}\n`))[0]).to.deep.include({
      code: 'NAME_SPLIT',
      count: 2,
      rows: [3, 4],
      examples: ['Jean-Luc | de la Fontaine', 'Pieter | van der Berg'],
    });
    const secret = `Name,Email,Phone,Password\n${rows.map((row) => `${row},`).join('\n')}\n`;
    expect((await warningsOf(secret))[0]).to.deep.include({ count: 2, examples: [] });
    const { samples } = await importing.plan(
      importing.write('noms.csv', 'Nom et prénom,Courriel,Téléphone\nDupont Jean,j@example.org,1\n'),
    );
    expect(samples[0]?.person).to.equal('Jean Dupont <j@example.org>');
  });

  it('name removed quotes and skipped lines above the rows', async () => {
    const table = ['version:v1.0,,,', 'firstName,lastName,email,phone', 'Ada,King,ada@example.org,1'];
    expect((await warningsOf(table.join('\n')))[0]).to.include({
      code: 'VERSION_LINE',
      message: 'Line 1, "version:v1.0", is not imported: the header follows it.',
    });
    const wrapped = table.slice(1).map((line) => `"${line}"`);
    expect((await warningsOf(wrapped.join('\r\n')))[0]).to.include({ code: 'LINES_QUOTED', count: 1 });
  });

  it('report phones that are dates, zeros, several numbers or words, but not usual spellings', async () => {
    const phones = await warningsOf(corpusFile('phones-doubtful'));
    expect(phones.map(({ code, rows, examples }) => [code, rows, examples])).to.have.deep.members([
      ['PHONE_DATE', [22], ['12.05.1998']],
      ['PHONE_ZEROS', [18, 19], ['0', '0000000000']],
      ['PHONE_SEVERAL', [10], ['0151 111 / 0171 222']],
      ['PHONE_WORDS', [24, 25], ['1-800-FLOWERS', 'call mum 0151 2345']],
    ]);
    const dates = ['2026-03-01', '2026-03-01 00:00:00', '01.03.2026 00:00', '03-Apr', 'Mar-99', '12. Mrz'];
    const [warning, ...others] = await ofPhones(...dates);
    expect(others).to.deep.equal([]);
    expect(warning).to.deep.include({ code: 'PHONE_DATE', rows: [2, 3, 4, 5, 6, 7], examples: dates.slice(0, 5) });
    const usual = ['+49 151/234567', '030/1234567', '(0)151 - 234567', '01.23.45.67.89', '0151 234 567-89', '555-0199'];
    expect(await ofPhones(...usual, '+44 20 7946 0001 x3', '1')).to.deep.equal([]);
  });

  it('report that a spreadsheet has dropped leading zeros of a column', async () => {
    const [lost, ...others] = await ofPhones("'0151234567", '151234568', '151234569', '151234560', '30123456');
    expect(others).to.deep.equal([]);
    expect(lost).to.deep.include({
      code: 'PHONE_ZERO_LOST',
      message: 'Phones have probably lost their first zero in a spreadsheet: others in the column begin with a zero.',
      rows: [3, 4, 5],
    });
    expect(await ofPhones("'0151234567", '151234568', '030123456', '+49151234569')).to.deep.equal([]);
    expect(await ofPhones('151234567', '151234568')).to.deep.equal([]);
  });

  it('name only the first lines of many rows', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => `Ada,King,ada${n}@example.org,+44 1 ${n},,,likes mornings`);
    const [warning] = await warningsOf(text(...rows));
    expect(warning).to.deep.include({ count: 30, rows: Array.from({ length: 20 }, (_, n) => n + 2) });
  });

  describe('about people who must not get mail', () => {
    const file = 'test/fixtures/meaning/deceased.csv';
    const mail = { SMTP_URL: 'smtp://127.0.0.1:9', PUBLIC_URL: 'https://c.example.org', MAIL_FROM: 'c@example.org' };

    it('name their rows and columns', async () => {
      const { warnings } = await importing.plan(file);
      expect(warnings.map(({ code, rows, examples }) => [code, rows, examples])).to.deep.equal([
        ['STATE_NOT_IMPORTED', [2], ['Is Deleted: Yes']],
        ['STATE_NOT_IMPORTED', [3], ['Deceased: Yes']],
        ['STATE_NOT_IMPORTED', [4], ['Do Not Email: Yes']],
        ['STATE_NOT_IMPORTED', [4], ['Unsubscribed: yes']],
      ]);
      expect(warnings[1]?.message).to.equal(
        'The column "Deceased" isn\'t imported: these people get accounts like all others. To leave them out, delete their rows; to import them as inactive: --map "Deceased=suspended"; to ignore the column: --map "Deceased="',
      );
      const ignored = await importing.plan(file, { map: ['Deceased=suspended', 'Do Not Email=', 'Unsubscribed='] });
      expect(ignored.warnings.map(({ code, rows }) => [code, rows])).to.deep.equal([
        ['STATE_NOT_IMPORTED', [2]],
        ['STATE_INACTIVE', [3]],
      ]);
    });

    it('are printed in red with --invite', async () => {
      const env = { ...importing.env, ...mail };
      const run = async (...args: string[]) =>
        runCli(['users', 'import', `${process.cwd()}/${file}`, '--dry-run', ...args], {
          env,
          cwd: importing.folder,
          screen: { columns: 120, rows: 40 },
        });
      const red = (text: string) =>
        text
          .split('\n')
          .filter((line) => line.includes('\u001b[31m'))
          .join(' ');
      expect(red((await run('--invite')).stdout))
        .to.include('Deceased')
        .and.include('Unsubscribed');
      expect(red((await run()).stdout)).to.equal('');
    });

    const headings = [
      ...[
        'Is Deceased',
        'npsp__Deceased__c',
        'Date of death',
        'Do not contact',
        'DoNotCall',
        'Do Not Allow Bulk Emails',
      ],
      ...[
        'do_not_email',
        "Don't email",
        'No Email',
        'HasOptedOutOfEmail',
        'Opt-out',
        'is_opt_out',
        'UNSUB_TIME',
        'Bounced',
      ],
      ...[
        'Unsubscribed from all email',
        'Verstorben',
        'Todesdatum',
        'Keine E-Mails',
        'Nicht kontaktieren',
        'Kontaktsperre',
      ],
      ...[
        'Newsletter abgemeldet',
        'Décédé(e)',
        'Ne pas contacter',
        'Désabonné',
        'Désinscrit',
        "Pas d'e-mail",
        'Fallecido',
      ],
      ...[
        'No contactar',
        'No enviar correo',
        'Dado de baja',
        'Falecido',
        'Não contatar',
        'Descadastrado',
        'متوفى',
        'لا ترسل بريد',
      ],
      ...['HASOPTEDOUTOFEMAIL', 'DONOTCALL', 'ISDELETED', 'Gelöscht', 'Supprimé', 'Eliminado', 'Excluído', 'محذوف'],
    ];
    for (const heading of headings)
      it(`are found under ${heading}`, async () => {
        const lines = [
          `firstName,lastName,email,phone,${heading}`,
          'Ada,King,a@example.org,1,0',
          'Bo,Kim,b@example.org,2,x',
        ];
        expect((await warningsOf(lines.join('\n'))).map(({ code, rows }) => [code, rows])).to.deep.equal([
          ['STATE_NOT_IMPORTED', [3]],
        ]);
      });

    it('are found by words in cells under other headings, but not in notes', async () => {
      const cells = ['', 'VIP', 'Opted out', 'Keine E-Mails', 'asked on Monday: do not call before six in the evening'];
      const rows = cells.map((cell, at) => `Ada,King,a${at}@example.org,${at + 1},${cell}`);
      const found = await warningsOf(['firstName,lastName,email,phone,Tags', ...rows].join('\n'));
      expect(found.map(({ rows, examples }) => [rows, examples])).to.deep.equal([
        [
          [4, 5, 6],
          ['Tags: Opted out', 'Tags: Keine E-Mails', `Tags: ${cells[4]}`],
        ],
      ]);
      expect(
        await warningsOf(['firstName,lastName,email,phone,Tags', ...rows.slice(0, 2), ...rows.slice(4)].join('\n')),
      ).to.deep.equal([]);
    });

    it('are not given for a cell that means no, or for other columns', async () => {
      const cells = ['No', 'FALSE', '0', '-', '', 'nein', 'N/A', 'Allow', '0000-00-00'];
      const rows = cells.map((cell, at) => `Ada,King,a${at}@example.org,${at + 1},${cell},x`);
      for (const heading of ['Age', 'Notice', 'Optional', 'Outcome', 'Email 3', 'Contact', 'Sperrmüll'])
        expect(
          await warningsOf([`firstName,lastName,email,phone,Deceased,${heading}`, ...rows].join('\n')),
          heading,
        ).to.deep.equal([]);
    });
  });
});
