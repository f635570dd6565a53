import { execFile } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { useBuiltProgram } from '../support/built-program.js';
import { emptyPng } from '../support/pictures.js';
import { temporaryFolder } from '../support/temporary-folder.js';

describe('Pictures in the built program', () => {
  const built = useBuiltProgram();

  it('are prepared, and leave nothing that keeps the program running', async () => {
    const folder = temporaryFolder();
    const [source, target] = [path.join(folder.path, 'source'), path.join(folder.path, 'target')];
    writeFileSync(source, emptyPng(40, 30));
    const script = `
      import { createImagePreparer } from ${JSON.stringify(path.join(built.path, 'dist', 'storage', 'images.js'))};
      const limits = { maxPixels: 2000, width: 40, height: 30 };
      await createImagePreparer().prepare(${JSON.stringify(source)}, ${JSON.stringify(target)}, limits, { account: 'one' });`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    expect(statSync(target).size).to.be.greaterThan(50);
    folder.remove();
  });
});
