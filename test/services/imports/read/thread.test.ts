import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { AppError } from '../../../../src/errors.js';
import { MissingColumns, RepeatedColumn } from '../../../../src/services/imports/read/columns/header-refusals.js';
import { DoubtfulEncoding } from '../../../../src/services/imports/read/doubtful-encoding.js';
import { packFailure, unpackFailure } from '../../../../src/services/imports/read/thread/failures.js';
import { inspectFile, openPeople, previewFile } from '../../../../src/services/imports/read/thread/read-file.js';
import { startTask } from '../../../../src/services/imports/read/thread/thread.js';
import type { TableRequest } from '../../../../src/services/imports/read/thread/worker.js';
import { FileProblem } from '../../../../src/tables/encoding/source-file.js';
import { failureOf } from '../../../db/support/failure.js';
import { scaled } from '../../../support/machine.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { odsSheet } from '../../../tables/workbook/support/workbooks.js';
import { zip } from '../../../tables/workbook/support/zip.js';
import { usualLimits } from '../support/csv-text.js';

const header = 'firstName,lastName,email,phone\n';

describe('A thread that reads a file', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());
  const written = (name: string, content: string | Uint8Array) => {
    const file = path.join(folder.path, name);
    writeFileSync(file, content);
    return file;
  };
  const csv = (file: string) => ({
    file,
    source: { isWorkbook: false, encoding: 'utf-8', delimiter: 'auto' } as const,
    options: {},
    limits: usualLimits,
  });
  const rowsOf = async (file: string) => {
    const table = await openPeople(csv(file));
    const rows: string[][] = [];
    for await (const list of table.rows) rows.push(...list.map(({ cells }) => cells));
    await table.close();
    return { rows, lines: table.lines() };
  };
  /** A workbook with many blank rows, which takes long to read. */
  let slow: TableRequest;
  before(() => {
    const file = written('slow.ods', zip(odsSheet('<table:table-row/>'.repeat(5_000_000))));
    slow = { ...csv(file), source: { isWorkbook: true, encoding: 'utf-8', delimiter: 'auto' } };
  });

  it('yields rows in order, even to a slow receiver', async () => {
    const lines = Array.from({ length: 3000 }, (_, index) => `A,B${index},p${index}@example.org,${index}`);
    const { rows, lines: count } = await rowsOf(written('people.csv', header + lines.join('\n')));
    expect(rows.map((cells) => cells.join())).to.deep.equal(lines);
    expect(count).to.equal(3001);
  });

  it('reports a fault after the rows before it', async () => {
    const file = written('fault.csv', `${header}Ada,King,ada@example.org,1\nEve,"x`);
    const table = await openPeople(csv(file));
    const lines: number[] = [];
    const failure = await failureOf(async () => {
      for await (const list of table.rows) lines.push(...list.map(({ line }) => line));
    });
    expect(failure.message).to.include('has a quote that is never closed');
    expect(lines).to.deep.equal([2]);
    await table.close();
  });

  it("ends when its signal aborts, at any moment, and doesn't block other threads", async () => {
    const stop = new AbortController();
    const reading = failureOf(async () => openPeople(slow, stop.signal));
    await sleep(500);
    expect((await previewFile(csv(written('few.csv', header)))).columns).to.have.length(4);
    stop.abort();
    expect(await reading).to.include({ code: 'INTERRUPTED' });
  }).timeout(scaled(20_000));

  it("doesn't block the event loop", async () => {
    await inspectFile(slow.file);
    const before = performance.eventLoopUtilization();
    await failureOf(() => previewFile(slow));
    const { active, idle } = performance.eventLoopUtilization(before);
    expect(active).to.be.below(idle);
  }).timeout(scaled(20_000));

  it('refuses files that take too much processor time', async () => {
    const options = { signal: undefined, isWorkbook: true, processorMs: 300 };
    const refusals = {
      WORKBOOK_TOO_LARGE: await failureOf(async () => (await startTask('readRows', slow, options)).next()),
      FILE_TOO_LARGE: await failureOf(async () =>
        (await startTask('hasRows', slow, { ...options, isWorkbook: false })).result(),
      ),
    };
    for (const [reason, refusal] of Object.entries(refusals)) {
      expect(refusal).to.be.instanceOf(FileProblem);
      expect(refusal).to.include({ reason });
    }
  }).timeout(scaled(20_000));

  it('keeps the classes of errors', async () => {
    const failures = {
      missing: await failureOf(() => rowsOf(written('missing.csv', 'firstName,email,phone\nx,y,z\n'))),
      repeated: await failureOf(() => rowsOf(written('repeated.csv', 'name,email,email,phone\nx,y,y,z\n'))),
      noFile: await failureOf(() => inspectFile(path.join(folder.path, 'no.csv'))),
    };
    expect(failures.missing).to.be.instanceOf(MissingColumns);
    expect(failures.missing).to.deep.include({ reason: 'COLUMNS_MISSING', missing: ['lastName'] });
    expect(failures.repeated).to.be.instanceOf(RepeatedColumn);
    expect(failures.noFile).to.include({ code: 'IMPORT_FILE_INVALID' });
    expect(failures.noFile.message).to.match(/no\.csv does not exist/);
  });
});

describe('A failure between threads', () => {
  it('keeps its class and its properties', () => {
    const sheets = Object.assign(new FileProblem('SHEET_UNKNOWN', 'No sheet.', 3), {
      sheets: [{ name: 'People', isHidden: false }],
    });
    const details = [{ path: 'file', code: 'INVALID', message: 'Bad.' }] as const;
    for (const failure of [
      new DoubtfulEncoding([{ encoding: 'windows-1250', names: ['Łukasz'] }], 2),
      new RepeatedColumn('email', { heading: 'Mail', index: 3 }),
      sheets,
      new AppError('VALIDATION', 'Bad.', { details, subject: 'File', params: { max: 3 } }),
    ]) {
      const again = unpackFailure(structuredClone(packFailure(failure)));
      expect(again).to.be.instanceOf(failure.constructor);
      expect({ ...again, message: again.message }).to.deep.equal({ ...failure, message: failure.message });
    }
    const other = unpackFailure(structuredClone(packFailure(Object.assign(new Error('No.'), { code: 'EIO' }))));
    expect(other).to.include({ message: 'No.', code: 'EIO' });
  });
});
