import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { ImportStatus } from '../../../src/schemas/import.js';
import type { Context } from '../../../src/services/context.js';
import { operator } from '../../../src/services/core.js';
import {
  cancelImport,
  previewUndo,
  requeueImport,
  resumeImport,
  undoImport,
} from '../../../src/services/imports/commands.js';
import { queuePlannedImport, replanImport } from '../../../src/services/imports/queue/plan-commands.js';
import { withImportLease } from '../../../src/services/imports/run/import-lock.js';
import { sweepPlans } from '../../../src/services/imports/store/plan-store.js';
import { listImportRows } from '../../../src/services/imports/store/row-listing.js';
import { removeOrphanedUploads } from '../../../src/services/imports/store/spool.js';
import { countOldLedgers, pruneLedgers } from '../../../src/services/maintenance/ledger-retention.js';
import { failureOf } from '../../db/support/failure.js';
import { buildUser, signIn } from '../../support/factories.js';
import { whileRunning } from '../../support/until.js';
import { hashedPeople, useImporting } from '../imports/support/importing.js';
import { applyOptions, batchRows, importFile, importFirstBatch } from '../imports/support/running.js';
import { client, runToEnd, runToPlan, submit } from '../imports/support/submitting.js';

const day = 86_400_000;
const unaborted = new AbortController().signal;
/** More rows than a page. */
const count = 220;

describe('The retention of import ledgers', () => {
  const importing = useImporting();
  const models = () => importing.context.database.models;
  /** Returns a context with the folder of the test, and with a clock that is ahead by a number of days. */
  const later = (days: number): Context => ({
    ...importing.context,
    config: { ...importing.context.config, dataDir: importing.folder },
    now: () => new Date(Date.now() + days * day),
  });
  const prune = (days = 31) => pruneLedgers(later(days), 30, unaborted);
  const rows = () => models().ImportRow.count();
  const linesOf = (file: string) =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
  const importPeople = async () =>
    (await importFile(importing.context, importing.write('people.csv', hashedPeople(count)))).id;
  const undo = (id: string) => undoImport(importing.context, operator, id, { signal: unaborted });

  async function expectRowsDeleted(work: () => Promise<unknown>, words = /./): Promise<void> {
    const { code, message } = await failureOf(work);
    expect(code).to.equal('IMPORT_ROWS_DELETED');
    expect(message).to.match(words);
  }

  it('exports and deletes the rows of an import that ended long ago, and keeps the import with its counts', async () => {
    const id = await importPeople();
    const pruned = await prune();
    expect(pruned).to.include({ imports: 1, exported: count });
    expect(await rows()).to.equal(0);
    const record = await models().Import.findByPk(id, { rejectOnEmpty: true });
    expect(record.counts).to.include({ rows: count, created: count });
    expect(record.ledgerClosedAt).to.be.an.instanceOf(Date);
    const [file = '', ...others] = pruned.files;
    expect(others).to.deep.equal([]);
    expect(path.dirname(file)).to.equal(path.join(importing.folder, 'retention'));
    const lines = linesOf(file);
    expect(lines[0]).to.deep.include({ type: 'import', id, number: 1, status: 'completed', file: 'people.csv' });
    expect(lines).to.have.length(1 + count);
    expect(lines[1]).to.deep.include({ type: 'importRow', importId: id, line: 2, outcome: 'created' });
    expect(await prune()).to.deep.equal({ imports: 0, exported: 0, files: [] });
  });

  it('keeps the rows of an import that ended or was undone within the retention', async () => {
    const id = await importPeople();
    expect(await prune(29)).to.include({ imports: 0 });
    expect(await rows()).to.equal(count);
    expect((await undo(id)).removed).to.equal(count);
    await models().Import.update({ undoneAt: new Date(Date.now() + 20 * day) }, { where: { id } });
    expect(await prune()).to.include({ imports: 0 });
    expect(await prune(51)).to.include({ imports: 1 });
  });

  it('keeps the rows of an import while a process has its lease, because the process may undo the import', async () => {
    const id = await importPeople();
    const record = await models().Import.findByPk(id, { rejectOnEmpty: true });
    const pruned = await withImportLease(importing.context, record, applyOptions(), () => prune());
    expect(pruned).to.include({ imports: 0 });
    expect(await rows()).to.equal(count);
  });

  describe('of imports that ended before their first row', () => {
    /** Context whose uploads are in the test's folder. */
    const service = () => ({ ...importing, context: later(0) });
    const stored = (id: string) => models().Import.findByPk(id, { rejectOnEmpty: true });
    const unreadable = async () => {
      const { id } = await submit(service(), 'name,mail\nx,y\n');
      expect(await runToEnd(service(), id)).to.include({ status: 'failed', errorCode: 'IMPORT_FILE_INVALID' });
      return id;
    };
    const cancelled = async () => {
      const { id } = await submit(service(), hashedPeople(3));
      await cancelImport(importing.context, operator, id);
      return id;
    };
    const fromStdin = async () => {
      mkdirSync(path.join(importing.folder, 'imports', 'stdin-abcdef'), { recursive: true });
      const file = importing.write('imports/stdin-abcdef/stdin.csv', hashedPeople(3));
      const { id, status } = await importFile(importing.context, file, { signal: AbortSignal.abort() });
      expect(status).to.equal('interrupted');
      expect(await prune(9999)).to.include({ imports: 0 });
      await cancelImport(importing.context, operator, id);
      return id;
    };
    it('removes the file of invalid and cancelled imports', async () => {
      for (const end of [unreadable, cancelled, fromStdin]) {
        const id = await end();
        const { filePath } = await stored(id);
        const cleanUp = () => removeOrphanedUploads(later(31), path.basename(path.dirname(filePath)), later(31).now());
        expect(await prune(29)).to.include({ imports: 0 });
        expect(await cleanUp()).to.equal(false);
        expect(await countOldLedgers(later(31), 30)).to.deep.equal({ imports: 1, exported: 0 });
        expect(await prune()).to.deep.equal({ imports: 1, exported: 0, files: [] });
        expect(await cleanUp()).to.equal(true);
        expect(existsSync(path.dirname(filePath))).to.equal(false);
        expect(await prune()).to.include({ imports: 0 });
        const resuming = () => resumeImport(importing.context, operator, id, applyOptions());
        await expectRowsDeleted(resuming, / has no rows, .*: it can't be resumed; import the file again\.$/);
        expect((await listImportRows(importing.context, operator, id, {})).items).to.deep.equal([]);
      }
    });

    it('removes the plan of imports that were cancelled after their start, and refuses to plan them again', async () => {
      const { id } = await submit(service(), hashedPeople(3), { plan: true });
      await runToPlan(service(), id);
      await queuePlannedImport(importing.context, client, id, {});
      await cancelImport(importing.context, operator, id);
      const plans = async () => [await models().ImportPlan.count(), await models().ImportPlanRow.count()];
      expect(await sweepPlans(later(31))).to.include({ removed: 0 });
      expect(await plans()).to.deep.equal([1, 3]);
      expect(await prune()).to.include({ imports: 1 });
      expect(await sweepPlans(later(31))).to.include({ removed: 1 });
      expect(await plans()).to.deep.equal([0, 0]);
      const replanning = () => replanImport(importing.context, client, id, {});
      await expectRowsDeleted(replanning, /: it can't be planned again; upload the file again\.$/);
      await expectRowsDeleted(() => requeueImport(importing.context, client, id));
    });
  });

  it('keeps the rows of an import of any age that has not ended', async () => {
    await importPeople();
    const underWay: ImportStatus[] = ['planning', 'planned', 'queued', 'running', 'interrupted', 'undoing'];
    for (const status of underWay) {
      await models().Import.update({ status }, { where: {} });
      expect(await prune(9999), status).to.include({ imports: 0 });
      expect(await rows()).to.equal(count);
    }
  });

  it('exports no passwords and no hashes of passwords', async () => {
    const people = hashedPeople(1);
    const [, person = ''] = people.split('\n');
    const email = /[^,]+@[^,]+/.exec(person)?.[0] ?? '';
    const { passwordHash } = await buildUser(importing.context, { email });
    const options = { onExisting: 'update', match: 'email', resetPasswords: true };
    await importFile(importing.context, importing.write('people.csv', people), {}, options);
    const noted = await models().ImportRow.findOne({ rejectOnEmpty: true });
    expect(noted.undoJson).to.include(passwordHash);
    const { files } = await prune();
    const text = readFileSync(files[0] ?? '', 'utf8');
    expect(text).to.include('"outcome":"updated"').and.to.include('"updatedAt"');
    expect(text).not.to.match(/\$2[aby]\$|passwordHash/);
  });

  it('exports the remaining rows of a ledger after a killed run, even if the retention is longer now', async () => {
    await importPeople();
    await models().Import.update({ ledgerClosedAt: new Date() }, { where: {} });
    await models().ImportRow.destroy({ where: { line: [2, 3, 4] } });
    expect(await prune(29)).to.include({ imports: 1, exported: count - 3 });
    expect(await rows()).to.equal(0);
  });

  it('refuses to resume an import if its ledger is closed while the resumption waits', async () => {
    const { id } = await importFirstBatch(importing.context, importing.write('people.csv', hashedPeople(count)));
    await models().Import.update({ status: 'cancelled', finishedAt: new Date() }, { where: {} });
    const record = await models().Import.findByPk(id, { rejectOnEmpty: true });
    const whileHeld = async () => {
      let onWait: () => void = () => undefined;
      const waits = new Promise<void>((resolve) => {
        onWait = resolve;
      });
      const options = applyOptions({ onWait: () => onWait() });
      const resuming = failureOf(() => resumeImport(importing.context, operator, id, options));
      await whileRunning(resuming, waits);
      await models().Import.update({ ledgerClosedAt: new Date() }, { where: { id } });
      return { resuming };
    };
    const waited = await withImportLease(importing.context, record, applyOptions(), whileHeld);
    expect((await waited.resuming).message).to.match(/it can't be resumed/);
    expect(await models().Import.findByPk(id)).to.include({ status: 'cancelled' });
    expect(await models().User.count()).to.equal(batchRows);
  });

  it('makes undoing and resuming the import impossible', async () => {
    const id = await importPeople();
    await prune();
    for (const attempt of [undo, () => previewUndo(importing.context, operator, id)])
      await expectRowsDeleted(
        () => attempt(id),
        /^The rows of the import \d+ were exported .* deleted on .*: it can't be undone\.$/,
      );
    expect(await models().User.count()).to.equal(count);
    const { token } = await signIn(importing.context, { role: 'super_admin' });
    const { body } = await importing.api('get', `/api/imports/${id}`, token).expect(200);
    expect(body.import).to.deep.include({ status: 'completed' });
    expect(body.import.ledgerClosedAt).to.match(/^\d{4}-\d\d-\d\dT/);
    for (const what of ['rows', 'outcome.csv']) {
      const refused = await importing.api('get', `/api/imports/${id}/${what}`, token).expect(400);
      expect(refused.body.error).to.match(/they are in the folder "retention" of DATA_DIR\.$/);
    }
    await importing.api('post', `/api/imports/${id}/undo`, token).expect(400);
  });
});
