import { expect } from 'chai';
import { needsDatabase, testFiles } from './files.js';
import { parseOptions } from './options.js';
import { closingLine, sum } from './report.js';

describe('The runner of the tests', () => {
  it('runs what touches no database once, and the rest on each', () => {
    const once = testFiles().filter((file) => !needsDatabase(file));
    expect(once).to.include.members(['test/schemas/keys.test.ts', 'test/cli/help.test.ts', 'test/config.test.ts']);
    for (const file of ['test/http/login.test.ts', 'test/db/lease.test.ts', 'test/imports/undo.test.ts'])
      expect(once).not.to.include(file);
  });

  it('starts the slowest files first, and leaves none out', () => {
    const files = testFiles();
    expect(files[0]).to.equal('test/http/programme-model.test.ts');
    expect(files).to.include('test/runner/runner.test.ts');
    expect(new Set(files).size).to.equal(files.length);
  });

  it('takes files, a database and a title', () => {
    const options = parseOptions(['--db', 'mysql', '--grep', 'locked', '--jobs', '3', 'test/http/login.test.ts']);
    expect(options).to.include({ grep: 'locked', jobs: 3, durations: false });
    expect([options.databases, options.files]).to.deep.equal([['mysql'], ['test/http/login.test.ts']]);
    expect(parseOptions([]).databases).to.deep.equal(['sqlite', 'mysql']);
  });

  it('refuses what it does not know', () => {
    expect(() => parseOptions(['--db', 'oracle'])).to.throw('--db takes sqlite or mysql.');
    expect(() => parseOptions(['--jobs', '0'])).to.throw('--jobs takes a whole number of at least 1.');
    expect(() => parseOptions(['--depth'])).to.throw();
  });

  it('closes with the depth and one count for all', () => {
    const counts = sum([
      { passed: 2, failed: 0, skipped: 1 },
      { passed: 3, failed: 1, skipped: 0 },
    ]);
    expect(closingLine(counts)).to.match(/^(default|full)-depth: 5 passed, 1 failed, 1 skipped$/);
    expect(closingLine({ ...counts, skipped: 0 })).to.match(/: 5 passed, 1 failed$/);
  });
});
