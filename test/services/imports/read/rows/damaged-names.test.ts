import { expect } from 'chai';
import { nameWarnings } from '../../../../../src/services/imports/read/rows/damaged-names.js';
import { useImporting } from '../../support/importing.js';

describe('Damaged names', () => {
  const importing = useImporting();
  const planOf = (...people: string[]) => {
    const rows = people.map((names, at) => `${names},p${at}@example.org,0151 28${at}`);
    return importing.plan(importing.write('people.csv', ['firstName,lastName,email,phone', ...rows, ''].join('\n')));
  };

  it('are rejected if letters are lost, or if they are spreadsheet errors', async () => {
    const errors = ['Ella,nan', 'Gina,#BEZUG!', '#¡REF!,Ruiz', 'n/a,Ruiz'];
    const lost = [...errors, 'J\ufffdrg,Weiss', 'M?ller,J?rgen', '??????,Ivanov', 'José?,Ruiz', '(null),Ruiz'];
    const { samples } = await planOf(...lost, 'Nan,Smith', 'Null,Island');
    const rejected = samples.filter(({ outcome }) => outcome === 'rejected');
    expect(rejected.map(({ line, code }) => [line, code])).to.deep.equal(lost.map((_, at) => [at + 2, 'NAME_DAMAGED']));
  });

  it('are rejected if they are misread UTF-8 with control characters, which no name contains', async () => {
    const { samples } = await planOf('Ã\x81lvaro,LÃ³pez');
    expect(samples.map(({ code, reason }) => `${code}: ${reason}`)).to.deep.equal([
      'NAME_DAMAGED: First name "Ã lvaro" has letters that were lost in an earlier conversion. Export it again as "CSV UTF-8".',
    ]);
  });

  it('cause a warning with the probable name, unless they are other names', () => {
    for (const [name, meant] of Object.entries({
      'RenÃ©': 'René',
      'â€™t Hooft': '’t Hooft',
      'M&uuml;ller': 'Müller',
      "O\\'Neal": "O'Neal",
      "O''Neal": "O'Neal",
    }))
      expect(nameWarnings({ firstName: name, lastName: 'Xu' })[0]?.example).to.equal(`${name} (probably ${meant})`);
    for (const name of ['Åsa', 'Дмитрий', '张伟', 'Łukasz', "O'Neal", "Ngũgĩ wa'", 'Ângela'])
      expect(nameWarnings({ firstName: name, lastName: 'Xu' }), name).to.deep.equal([]);
  });

  it('cause a warning if they are addresses, dates or digits', async () => {
    const { warnings, counts } = await planOf(
      'a@x.org,Lee',
      '2026-05-14,Smith',
      'Gus,123456',
      'Finn,..',
      '12-Mar,Day',
      'Zed,NULL',
    );
    expect(counts).to.include({ created: 6 });
    expect(warnings.map(({ message, rows }) => `${message} ${rows.join()}`)).to.have.members([
      'First name is an email address. 2',
      'First name is a date. 3,6',
      'Last name is a placeholder for a missing value. 7',
      'Last name has no letter. 4,5',
    ]);
  });
});
