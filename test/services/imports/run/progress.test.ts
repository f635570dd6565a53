import { expect } from 'chai';
import { people, useImporting } from '../support/importing.js';
import { importFile } from '../support/running.js';

describe('The progress of an import', () => {
  const importing = useImporting({ IMPORT_BATCH_ROWS: '2000' });

  async function progressOf(content: string): Promise<number[]> {
    const shown: number[] = [];
    const onProgress = (rows: number) => void shown.push(rows);
    await importFile(importing.context, importing.write('people.csv', content), { onProgress });
    return shown;
  }

  it('is to be seen after 100 rows, and whenever as many as before are done', async () => {
    expect(await progressOf(people(1000))).to.deep.equal([100, 300, 700, 1000]);
  });

  it('is to be seen after 8 rows with passwords, which take long to hash', async () => {
    const rows = Array.from({ length: 30 }, (_, row) => `Ada,King,ada${row}@example.org,1${row},secret-word-${row}\n`);
    expect(await progressOf(`firstName,lastName,email,phone,password\n${rows.join('')}`)).to.deep.equal([8, 24, 30]);
  });
});
