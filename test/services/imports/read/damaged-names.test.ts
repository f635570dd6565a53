import { expect } from 'chai';
import { nameWarnings } from '../../../../src/services/imports/read/damaged-names.js';
import { useImporting } from '../support/importing.js';

interface Printed {
  plan: {
    samples: { line: number; outcome: string; code?: string; reason?: string }[];
    warnings: { code: string; message: string; rows: number[]; examples: string[] }[];
  };
}

describe('Names that are damaged', () => {
  const importing = useImporting();
  async function planOf(...people: string[]): Promise<Printed['plan']> {
    const rows = people.map((names, at) => `${names},p${at}@example.org,0151 28${at}`);
    const file = importing.write('people.csv', ['firstName,lastName,email,phone', ...rows, ''].join('\n'));
    const { stdout } = await importing.run(file, '--dry-run', '--json');
    return (JSON.parse(stdout) as Printed).plan;
  }

  it('are rejected where letters are lost, or an error of a spreadsheet stands in their place', async () => {
    const errors = ['Cleo,#N/A', 'Dora,#NAME?', 'Ella,nan', 'Fred,N/A', 'Gina,#BEZUG!', '#¡REF!,Ruiz', 'n/a,Ruiz'];
    for (const lost of [errors, ['J\ufffdrg,Weiss', 'M?ller,J?rgen', '??????,Ivanov', 'José?,Ruiz', '(null),Ruiz']]) {
      const { samples } = await planOf(...lost, 'Nan,Smith', 'Null,Island');
      const rejected = samples.filter(({ outcome }) => outcome === 'rejected');
      expect(rejected.map(({ line, code }) => [line, code])).to.deep.equal(
        lost.map((_, at) => [at + 2, 'NAME_DAMAGED']),
      );
    }
  });

  it('are warned of with what was meant, where UTF-8 was read as Windows-1252 or letters are HTML entities', async () => {
    const { warnings } = await planOf('RenÃ©,MuÃ±oz', 'Paul,O&#39;Hara', 'Zo&euml;,M&uuml;ller', 'Jörg,Müller');
    expect(warnings.map(({ code, rows }) => [code, rows])).to.deep.include.members([
      ['NAME_GARBLED', [2, 4]],
      ['NAME_GARBLED', [2, 3, 4]],
    ]);
    const examples = warnings.flatMap((warning) => warning.examples);
    expect(examples).to.include.members([
      'RenÃ© (probably René)',
      'MuÃ±oz (probably Muñoz)',
      "O&#39;Hara (probably O'Hara)",
      'Zo&euml; (probably Zoë)',
    ]);
    expect(warnings.every(({ message }) => message.endsWith('Export the file again as "CSV UTF-8".'))).to.equal(true);
  });

  it('are rejected where UTF-8 was read as Windows-1252 and a byte is undefined in that: no name has such characters', async () => {
    const { samples } = await planOf('Ã\x81lvaro,LÃ³pez', 'Ann,Å\x81uk');
    const lost = 'has letters that were lost in an earlier conversion. Export it again as "CSV UTF-8".';
    expect(samples.map(({ code, reason }) => `${code}: ${reason}`)).to.deep.equal([
      `NAME_DAMAGED: First name "Ã lvaro" ${lost}`,
      `NAME_DAMAGED: Last name "Å uk" ${lost}`,
    ]);
  });

  it('are warned of where a program has escaped their letters, and not where they are other names', async () => {
    const garbled = { 'â€™t Hooft': '’t Hooft', "O\\'Neal": "O'Neal", "O''Neal": "O'Neal" };
    const { warnings } = await planOf(...Object.keys(garbled).map((name) => `Ann,${name}`));
    expect(warnings.map(({ code, rows }) => [code, rows.length])).to.deep.equal([['NAME_GARBLED', 3]]);
    for (const [name, meant] of Object.entries(garbled))
      expect(nameWarnings({ firstName: name, lastName: 'Xu' })[0]?.example).to.equal(`${name} (probably ${meant})`);
    for (const name of ['Åsa', 'Дмитрий', '张伟', 'Łukasz', "O'Neal", "Ngũgĩ wa'", 'Ângela'])
      expect(nameWarnings({ firstName: name, lastName: 'Xu' }), name).to.deep.equal([]);
  });

  it('are warned of where they are addresses, dates or digits', async () => {
    const { warnings, samples } = await planOf(
      'a@x.org,Lee',
      '2026-05-14,Smith',
      'Gus,123456',
      'Finn,..',
      '12-Mar,Day',
      'Zed,NULL',
    );
    expect(samples.every(({ outcome }) => outcome === 'created')).to.equal(true);
    expect(warnings.map(({ message, rows }) => `${message} ${rows.join()}`)).to.have.members([
      'First name is an email address. 2',
      'First name is a date. 3,6',
      'Last name is what programs write for a missing value. 7',
      'Last name has no letter. 4,5',
    ]);
  });
});
