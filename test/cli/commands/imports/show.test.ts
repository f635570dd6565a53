import { expect } from 'chai';
import { people, useImporting } from '../../../services/imports/support/importing.js';
import { runToEnd, submit } from '../../../services/imports/support/submitting.js';

describe('coursectl imports show and list', () => {
  const importing = useImporting();
  const cli = (...args: string[]) => importing.cli('imports', ...args);

  it('print every value of the text also as JSON', async () => {
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

  it('list the options that differ from the defaults', async () => {
    const file = importing.write('people.csv', people(1));
    await importing.json(file, '--on-existing', 'update', '--reset-passwords', '--role', 'trainer');
    const { stdout } = await cli('show', '1');
    const shown = /^options +(.*(?:\n +.*)*)$/m.exec(stdout)?.[1]?.split(/\n +/);
    expect(shown, stdout).to.have.members(['role: trainer', 'on existing: update', 'reset passwords: yes']);
    await importing.json(importing.write('others.csv', people(1, 'other')));
    expect((await cli('show', '2')).stdout).not.to.match(/^options/m);
  });

  it('show the original name of an upload, and no removed files', async () => {
    const { id } = await submit(importing, people(2));
    const shown = async () => (await cli('show', '1')).stdout;
    expect(await shown())
      .to.match(/^file +people\.csv$/m)
      .and.to.match(/^kept as +\/\S+\/upload\.csv$/m);
    await runToEnd(importing, id);
    expect(await shown())
      .to.match(/^passwords +\/\S+\/upload\.credentials\.csv$/m)
      .and.not.to.match(/upload\.csv/);
    const credentialsFetchedAt = '2026-02-03T12:00:00.000Z';
    const fetched = { credentialsFetchedAt: new Date(credentialsFetchedAt) };
    await importing.context.database.models.Import.update(fetched, { where: { id } });
    expect(await shown())
      .to.match(/^passwords +fetched 2026-02-03T12:00:00\.000Z$/m)
      .and.not.to.match(/upload\./);
    const { import: json } = JSON.parse((await cli('show', '1', '--json')).stdout);
    expect(json).to.include({ file: 'people.csv', filePath: null, credentialsFile: null, credentialsFetchedAt });
  });
});
