import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { createFile } from '../../../../src/cli/commands/setup/undo.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

describe('the database file that setup creates', () => {
  const home = temporaryFolder();
  after(() => home.remove());
  const folder = path.join(home.path, 'data', 'mine');
  const file = path.join(folder, 'coursectl.sqlite');

  it('is created by only one of several concurrent setups; that one can remove the new folders', async () => {
    const results = await Promise.all([createFile(file), createFile(file), createFile(file)]);
    const [removeFolders, ...others] = results.filter((result) => result !== undefined);
    expect(others).to.deep.equal([]);
    expect(statSync(file).size).to.equal(0);
    await removeFolders?.();
    expect(existsSync(file)).to.equal(true);
    rmSync(file);
    await removeFolders?.();
    expect(readdirSync(home.path)).to.deep.equal([]);
  });

  it('is not created if it exists', async () => {
    const existing = path.join(home.path, 'existing.sqlite');
    writeFileSync(existing, '');
    expect(await createFile(existing)).to.equal(undefined);
  });
});
