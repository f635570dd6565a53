import { execFile } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { emptyPng } from '../support/images.js';
import { temporaryFolder } from '../support/temporary-folder.js';

describe('Images in a separate program', () => {
  it('are prepared, and do not keep the program running', async () => {
    const folder = temporaryFolder();
    const [source, target] = [path.join(folder.path, 'source'), path.join(folder.path, 'target')];
    writeFileSync(source, emptyPng(40, 30));
    const script = `
      import { createImagePreparer } from ${JSON.stringify(new URL('../../src/storage/images.ts', import.meta.url).href)};
      const limits = { maxPixels: 2000, width: 40, height: 30 };
      await createImagePreparer().prepare(${JSON.stringify(source)}, ${JSON.stringify(target)}, limits, { account: 'one' });`;
    await promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script]);
    expect(statSync(target).size).to.be.greaterThan(50);
    folder.remove();
  });
});
