import { expect } from 'chai';
import { useImporting } from '../support/importing.js';

interface Printed {
  plan: {
    samples: { line: number; outcome: string; code?: string }[];
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
    const lost = ['J\ufffdrg,Weiss', 'Cleo,#N/A', 'Dora,#NAME?', 'Ella,nan', 'Fred,N/A', 'Gina,#BEZUG!'];
    const { samples } = await planOf(...lost, 'Nan,Smith', 'Null,Island');
    const rejected = samples.filter(({ outcome }) => outcome === 'rejected');
    expect(rejected.map(({ line, code }) => [line, code])).to.deep.equal(lost.map((_, at) => [at + 2, 'NAME_DAMAGED']));
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

  it('are warned of where they are addresses, dates or digits', async () => {
    const { warnings, samples } = await planOf('a@x.org,Lee', '2026-05-14,Smith', 'Gus,123456', 'Finn,..');
    expect(samples.every(({ outcome }) => outcome === 'created')).to.equal(true);
    expect(warnings.map(({ message, rows }) => `${message} ${rows.join()}`)).to.have.members([
      'First name is an email address. 2',
      'First name is a date. 3',
      'Last name has no letter. 4,5',
    ]);
  });
});
