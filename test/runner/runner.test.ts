import { expect } from 'chai';
import { schedule } from '../faults/schedule.js';
import { shortened } from '../support/depth.js';
import { needsDatabase, needsProgram, testFiles } from './files.js';
import { parseOptions } from './options.js';
import { filesToRepeat, flakyNotice, withRepeated } from './repeat.js';
import { closingLine, failureList, sum } from './report.js';
import { type LegResult, legResult } from './result.js';

describe('The runner of the tests', () => {
  it('runs what touches no database once, and the rest on each', () => {
    const once = testFiles().filter((file) => !needsDatabase(file));
    expect(once).to.include.members([
      'test/schemas/keys.test.ts',
      'test/cli/help.test.ts',
      'test/config/config.test.ts',
      'test/http/text-cost.test.ts',
    ]);
    for (const file of ['test/http/login.test.ts', 'test/db/lease.test.ts', 'test/services/imports/undo/undo.test.ts'])
      expect(once).not.to.include(file);
  });

  it('runs the tests of pages once', () => {
    for (const name of ['people', 'words', 'accessibility', 'keyboard', 'layout'])
      expect(needsDatabase(`test/console/${name}.test.ts`, true)).to.equal(false);
  });

  it('runs tests of killed processes on each at full depth, and by default those of imports', () => {
    const retention = 'test/services/maintenance/audit-retention-kill.test.ts';
    expect([needsDatabase(retention, true), needsDatabase(retention, false)]).to.deep.equal([true, false]);
    expect(needsDatabase('test/services/imports/run/kill-loop.test.ts', false)).to.equal(true);
  });

  it('runs slow tests of what stands before the database on each at full depth', () => {
    expect(needsDatabase('test/http/contract.test.ts', true)).to.equal(true);
    expect(needsDatabase('test/http/contract.test.ts', false)).to.equal(false);
  });

  it('runs tests of commands on each at full depth, and by default those that distinguish databases', () => {
    expect(needsDatabase('test/cli/operations.test.ts', true)).to.equal(true);
    expect(needsDatabase('test/cli/operations.test.ts', false)).to.equal(false);
    for (const name of ['backup/server', 'serve/workers', 'setup/setup-server'])
      expect(needsDatabase(`test/cli/commands/${name}.test.ts`, false)).to.equal(true);
  });

  it('shortens long loops on a slow machine, to what they do by default at least', () => {
    expect([1, 2, 100].map((by) => shortened(160, 2000, by))).to.deep.equal([2000, 1000, 160]);
    // Of so many parts one is taken: more parts would be less.
    expect(shortened(4, 1, 2)).to.equal(1);
  });

  it('builds the program for what starts it, and for no other file', () => {
    for (const name of ['cli/subprocess', 'console/people', 'services/imports/run/kill-loop', 'readme'])
      expect(needsProgram(`test/${name}.test.ts`), name).to.equal(true);
    for (const name of ['http/login', 'cli/help', 'services/imports/undo/undo', 'runner/runner'])
      expect(needsProgram(`test/${name}.test.ts`), name).to.equal(false);
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

  it('refuses unknown values', () => {
    expect(() => parseOptions(['--db', 'oracle'])).to.throw('--db takes sqlite or mysql.');
    expect(() => parseOptions(['--jobs', '0'])).to.throw('--jobs takes a whole number of at least 1.');
    expect(() => parseOptions(['--depth'])).to.throw();
  });

  it('closes with the depth and one count for all', () => {
    const counts = sum([
      { passed: 2, failed: 0, skipped: 1, failures: [] },
      { passed: 3, failed: 1, skipped: 0, failures: ['sqlite  a.test.ts  one'] },
    ]);
    expect(closingLine(counts, false)).to.equal('default-depth: 5 passed, 1 failed, 1 skipped');
    expect(closingLine({ ...counts, skipped: 0 }, true, 1)).to.equal('full-depth: 5 passed, 1 failed');
    expect(closingLine(counts, true, 2.1)).to.match(
      /^full-depth shortened by 2.1 on a slow machine: 5 passed, 1 failed, /,
    );
    expect(failureList(counts)).to.equal('FAILED  sqlite  a.test.ts  one');
  });

  it('leaves fault runs that measure load alone, and begins with the longest of the others', () => {
    const { sideBySide, alone } = schedule(['R1', 'R4', 'R6', 'R7', 'R8', 'R9', 'R10']);
    expect(alone).to.deep.equal(['R1', 'R6']);
    expect(sideBySide).to.deep.equal(['R9', 'R8', 'R10', 'R4', 'R7']);
  });

  describe('a second run of failed files', () => {
    const leg = (outcomes: Record<string, Record<string, boolean>>): LegResult =>
      legResult(
        Object.entries(outcomes).map(([file, tests]) => {
          const titles = Object.keys(tests);
          const failed = titles.filter((title) => !tests[title]);
          const run = titles.map((title) => {
            const outcome = tests[title] ? ('passed' as const) : ('failed' as const);
            return { title, outcome, milliseconds: 1 };
          });
          const failures = failed.map((title) => ({ title, test: title, text: 'broken' }));
          const passed = titles.length - failed.length;
          return { kind: 'sqlite', file, passed, skipped: 0, failures, tests: run };
        }),
      );
    const first = leg({ 'a.test.ts': { one: true, two: false }, 'b.test.ts': { three: true } });

    it('takes the files that failed, unless they are many', () => {
      expect(filesToRepeat(first)).to.deep.equal(['a.test.ts']);
      const many = Object.fromEntries([...'abcdef'].map((name) => [name, { test: false }]));
      expect(filesToRepeat(leg(many))).to.deep.equal([]);
    });

    it('counts a test that passes then as passed, and names it', () => {
      const { result, flaky } = withRepeated(first, leg({ 'a.test.ts': { one: true, two: true } }));
      expect([result.passed, result.failed, result.failures]).to.deep.equal([3, 0, []]);
      expect(flaky).to.deep.equal([{ kind: 'sqlite', file: 'a.test.ts', title: 'two' }]);
      expect(flakyNotice(flaky)).to.include('FLAKY: 1').and.to.include('a.test.ts').and.to.include('two');
    });

    it('counts a test whose hook failed as passed when it passes then with its hooks', () => {
      const { files } = leg({ 'a.test.ts': { one: true, two: true } });
      const hook = { title: '"after each" hook for "two"', test: 'two', text: 'broken' };
      const once = legResult(files.map((file) => ({ ...file, failures: [hook] })));
      const { result, flaky } = withRepeated(once, leg({ 'a.test.ts': { one: true, two: true } }));
      expect([result.passed, result.failed, flaky.map(({ title }) => title)]).to.deep.equal([2, 0, [hook.title]]);
      expect(withRepeated(once, leg({ 'a.test.ts': { one: true } })).result.failed).to.equal(1);
      const outside = legResult(files.map((file) => ({ ...file, failures: [{ ...hook, test: undefined }] })));
      expect(withRepeated(outside, leg({ 'a.test.ts': { one: true, two: true } })).result.failed).to.equal(1);
    });

    it('leaves what fails again, or is not run again, as failed', () => {
      for (const second of [
        { 'a.test.ts': { one: true, two: false } },
        { 'a.test.ts': { one: false, two: true } },
        { 'a.test.ts': { one: true } },
        {},
      ]) {
        const { result, flaky } = withRepeated(first, leg(second));
        expect([result.passed, result.failed, flaky.length]).to.deep.equal([2, 1, 0]);
      }
    });
  });
});
