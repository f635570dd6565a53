import { expect } from 'chai';
import { people, useImporting } from '../../../services/imports/support/importing.js';

describe('An import at the command line', () => {
  const importing = useImporting();
  const { cli } = importing;
  /** Returns the id of the import that commands find by this text. */
  const named = async (text: string) => {
    const { stdout, stderr } = await cli('imports', 'show', text, '--json');
    return stdout === '' ? stderr : (JSON.parse(stdout) as { import?: { id: string } }).import?.id;
  };
  const begin = (tag: string) => importing.json(importing.write(`${tag}.csv`, people(1, tag)));

  it('is found by number, id and the end of the id', async () => {
    const first = await begin('a');
    const second = await begin('b');
    expect([first.number, second.number]).to.deep.equal([1, 2]);
    for (const { id, number } of [first, second])
      for (const text of [String(number), ` ${number} `, id, id.slice(-8)])
        expect(await named(text), text).to.equal(id);
    for (const text of ['0', '3', '02', '-1', '99999999999']) {
      const { exitCode, stderr } = await cli('imports', 'show', '--', text);
      expect([exitCode, stderr], text).to.deep.equal([
        1,
        `error: Import not found: ${text}. To list them: coursectl imports list\n`,
      ]);
    }
  });

  it('shows its number first in lists, details and messages', async () => {
    importing.write('people.csv', people(1));
    expect((await importing.run('people.csv', '--yes')).stdout).to.match(/^Done: 1 row in \d+\.\d s\. Import 1$/m);
    expect((await cli('imports', 'list')).stdout).to.match(/^NUMBER +FILE .*\n +1 +people\.csv /);
    expect((await cli('imports', 'show', '1')).stdout).to.match(/^FIELD +VALUE\nnumber +1\nid +/);
    expect((await cli('imports', 'undo', '1', '--yes')).stdout).to.match(/^Undone: 1 account removed/m);
  });
});
