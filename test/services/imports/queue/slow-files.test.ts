import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Import } from '../../../../src/db/models/import.js';
import { cancelImport } from '../../../../src/services/imports/commands.js';
import { makePlan } from '../../../../src/services/imports/queue/plan-worker.js';
import { submitImport } from '../../../../src/services/imports/queue/submit.js';
import { previewFile } from '../../../../src/services/imports/read/thread/read-file.js';
import { withImportLease } from '../../../../src/services/imports/run/import-lock.js';
import { failureOf } from '../../../db/support/failure.js';
import { scaled } from '../../../support/machine.js';
import { odsSheet } from '../../../tables/workbook/support/workbooks.js';
import { zip } from '../../../tables/workbook/support/zip.js';
import { useImporting } from '../support/importing.js';
import { client, runToEnd, runToPlan } from '../support/submitting.js';

describe('An import of a file that takes long before its first row', () => {
  const importing = useImporting();
  let slow: Buffer;
  before(() => {
    slow = zip(odsSheet('<table:table-row/>'.repeat(5_000_000)));
  });

  const submitted = (options: object) =>
    submitImport(
      importing.context,
      client,
      { path: importing.write('upload', slow), name: 'people.ods' },
      options,
      // Opening the file would take long, too.
      async () => undefined,
    );
  const planned = (record: Import, signal: AbortSignal) =>
    withImportLease(importing.context, record, {}, (lease) => makePlan(importing.context, record, lease, signal));
  /** Reads a copy of the file to its end, because a cancellation removes the file. */
  const whole = () =>
    failureOf(() =>
      previewFile({
        file: importing.write('copy', slow),
        source: { isWorkbook: true, encoding: 'utf-8', delimiter: 'auto' },
        options: {},
        limits: importing.context.config.imports,
      }),
    ).then(() => 'whole');
  /** Whether the work ends before the file can be read. */
  const endsFirst = async (work: () => Promise<unknown>) => {
    const reading = whole();
    const first = await Promise.race([reading, work().then(() => 'ended')]);
    await reading;
    return first;
  };

  it('stops planning if it is cancelled', async () => {
    const record = await submitted({ plan: true });
    const ended = await endsFirst(async () => {
      const planning = failureOf(() => planned(record, new AbortController().signal));
      await sleep(scaled(500));
      expect(await cancelImport(importing.context, client, record.id)).to.include({ status: 'discarded' });
      expect(await planning).to.include({ code: 'IMPORT_CONFLICT' });
    });
    expect(ended).to.equal('ended');
  }).timeout(scaled(30_000));

  it('is planned by the next process if the first process stops', async () => {
    const record = await submitted({ plan: true });
    const stop = new AbortController();
    const ended = await endsFirst(async () => {
      const planning = failureOf(() => planned(record, stop.signal));
      await sleep(scaled(500));
      stop.abort();
      expect(await planning).to.include({ code: 'INTERRUPTED' });
    });
    expect(ended).to.equal('ended');
    expect(await record.reload()).to.include({ status: 'planning' });
    await runToPlan(importing, record.id);
    const plan = await importing.models().ImportPlan.findByPk(record.id, { rejectOnEmpty: true });
    expect(plan.content?.problem).to.include({ reason: 'WORKBOOK_TOO_LARGE' });
  }).timeout(scaled(40_000));

  it('can be cancelled while its run is planned', async () => {
    const record = await submitted({});
    const ended = await endsFirst(async () => {
      const running = runToEnd(importing, record.id);
      while ((await record.reload()).status !== 'running') await sleep(20);
      await cancelImport(importing.context, client, record.id);
      expect(await running).to.include({ status: 'cancelled', cancelRequested: true });
    });
    expect(ended).to.equal('ended');
  }).timeout(scaled(30_000));
});
