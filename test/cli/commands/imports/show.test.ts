import { expect } from 'chai';
import { people, useImporting } from '../../../services/imports/support/importing.js';
import { runCli } from '../../../support/run-cli.js';

describe('coursectl imports show and list', () => {
  const importing = useImporting();
  const cli = (...args: string[]) => runCli(['imports', ...args], { env: importing.env, cwd: importing.folder });

  it('have in their JSON every value of their text', async () => {
    const file = importing.write('people.csv', `${people(2)}A,B,nobody,\n`);
    const { id } = await importing.json(file);
    expect(await cli('undo', id, '--yes')).to.include({ exitCode: 0 });
    const { stdout } = await cli('show', id);
    const values = stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .flatMap((line) => line.replace(/^\S+ +/, '').split(' of '));
    expect(values).to.include(file).and.to.have.length.above(10);
    const json = JSON.stringify(JSON.parse((await cli('show', id, '--json')).stdout));
    for (const value of values) expect(json).to.include(value);
    const listed = JSON.parse((await cli('list', '--json')).stdout) as { imports: object[] };
    expect(listed.imports[0]).to.include({ filePath: file });
  });
});
