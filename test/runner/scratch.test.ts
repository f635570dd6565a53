import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeScratch } from './scratch.js';

describe('The folder of a run of the tests', () => {
  let parent: string;
  beforeEach(() => {
    parent = mkdtempSync(path.join(tmpdir(), 'coursectl-'));
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  it('lies in memory where there is room, and is open to every user', () => {
    const folder = makeScratch(parent);
    expect(path.dirname(folder)).to.equal(parent);
    expect(statSync(folder).mode & 0o7777).to.equal(0o1777);
  });

  it('lies below the temporary folder where there is no file system in memory', () => {
    const folder = makeScratch(path.join(parent, 'missing'));
    try {
      expect(path.dirname(folder)).to.equal(tmpdir());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('removes what killed runs have left, and nothing of a run that goes on', () => {
    // No process has this number: it is above the greatest that systems give.
    const left = path.join(parent, 'coursectl-test-99999999-abcdef');
    const current = path.join(parent, `coursectl-test-${process.ppid}-abcdef`);
    const other = path.join(parent, 'coursectl-other');
    for (const folder of [left, current, other]) mkdirSync(folder);
    makeScratch(parent);
    expect([left, current, other].map((folder) => existsSync(folder))).to.deep.equal([false, true, true]);
  });
});
