import { expect } from 'chai';
import type { Context } from '../../../../src/services/context.js';
import { operator } from '../../../../src/services/core.js';
import { requeueImport, resumeImport, undoImport } from '../../../../src/services/imports/commands.js';
import { startImportWorker } from '../../../../src/services/imports/queue/worker.js';
import { findImport } from '../../../../src/services/imports/store/find-import.js';
import { leaseName, resumesAutomatically } from '../../../../src/services/imports/store/repository.js';
import { failureOf } from '../../../db/support/failure.js';
import { beforeTransactions } from '../../../support/transactions.js';
import { until, whileRunning } from '../../../support/until.js';
import { hashedPeople, useImporting } from '../support/importing.js';
import { applyOptions, importFile, importFirstBatch } from '../support/running.js';
import { client, submitInterrupted } from '../support/submitting.js';

const count = 1200;

describe('An import that is undone', () => {
  // As many rows as a step of an undo: the undo takes two steps.
  const importing = useImporting({ IMPORT_BATCH_ROWS: '500' });
  const models = () => importing.context.database.models;
  const undo = (
    id: string,
    events: { onWait?(): void; onProgress?(): void } = {},
    context: Context = importing.context,
  ) =>
    undoImport(context, operator, id, {
      signal: new AbortController().signal,
      ...events,
    });

  async function expectUndone(id: string): Promise<void> {
    const record = await models().Import.findByPk(id, { rejectOnEmpty: true });
    expect(record).to.include({ status: 'undone' });
    expect(await models().User.count()).to.equal(0);
  }

  it('is not resumed by an earlier request', async () => {
    const { id } = await importFirstBatch(importing.context, importing.write('people.csv', hashedPeople(count)));
    const { code, message } = await failureOf(() =>
      resumeImport(importing.context, operator, id, applyOptions(), async () => void (await undo(id))),
    );
    expect([code, message]).to.deep.equal(['IMPORT_CONFLICT', 'The import 1 is undone: there is nothing to resume.']);
    await expectUndone(id);
  });

  it('is neither queued during the undo nor resumed by the service', async () => {
    const { id } = await submitInterrupted(importing, hashedPeople(count));
    // The process of the import died.
    await models().Import.update({ status: 'running' }, { where: { id } });
    const queueing: Promise<string | undefined>[] = [];
    let looks = 0;
    const { database } = importing.context;
    const read: typeof database.read = (query) => {
      looks += 1;
      return database.read(query);
    };
    const worker = startImportWorker({ ...importing.context, database: { ...database, read } }, { pollMs: 20 });
    try {
      // Awaited after the undo: until then, no result may be an unhandled rejection.
      const queue = () =>
        requeueImport(importing.context, client, id).then(
          () => 'queued',
          ({ code }: { code?: string }) => code,
        );
      await undo(id, { onProgress: () => queueing.push(queue()) });
      // One for each kind of work at a time, and one may have begun before the end of the undo.
      const before = looks;
      await until(() => looks >= before + 20, 'the service looks for imports');
    } finally {
      await worker.close();
    }
    expect(await Promise.all(queueing)).to.deep.equal(['IMPORT_CONFLICT', 'IMPORT_CONFLICT']);
    await expectUndone(id);
  });

  it('is shown as interrupted if no process runs the undo, and can be undone completely', async () => {
    const { id } = await submitInterrupted(importing, hashedPeople(count));
    await models().Import.update({ status: 'undoing' }, { where: { id } });
    const found = await findImport(importing.context, operator, id);
    expect(found).to.include({ status: 'interrupted', errorCode: 'INTERRUPTED' });
    expect(resumesAutomatically(found)).to.equal(false);
    const { code, message } = await failureOf(() => requeueImport(importing.context, client, id));
    expect([code, message]).to.deep.equal([
      'IMPORT_CONFLICT',
      'The import 1 is being undone. Finish its undo: coursectl imports undo 1',
    ]);
    await undo(id);
    await expectUndone(id);
    expect(await findImport(importing.context, operator, id)).to.include({ status: 'undone', errorCode: null });
  });

  it('is not undone if it was queued while the undo waited for the lease', async () => {
    const record = await submitInterrupted(importing, hashedPeople(count));
    const { id } = record;
    const { sequelize } = importing.context.database;
    const replacements = { name: leaseName(record), expiresAt: Date.now() + 60_000 };
    await sequelize.query("INSERT INTO leases (name, owner, expires_at) VALUES (:name, 'another', :expiresAt)", {
      replacements,
    });
    let onWait: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => {
      onWait = resolve;
    });
    const undoing = failureOf(() => undo(id, { onWait: () => onWait() }));
    await whileRunning(undoing, waits);
    await requeueImport(importing.context, client, id);
    await sequelize.query("DELETE FROM leases WHERE owner = 'another'");
    const { code, message } = await undoing;
    expect([code, message]).to.deep.equal([
      'IMPORT_CONFLICT',
      'The import 1 is queued: first cancel it in the web console or with: coursectl imports cancel 1',
    ]);
    expect(await models().User.count()).to.equal(500);
  });

  it('stays partly undone if another process takes its lease', async () => {
    const { id } = await importFile(importing.context, importing.write('people.csv', hashedPeople(count)));
    const { sequelize } = importing.context.database;
    let isDueToBeTaken = false;
    const context = beforeTransactions(importing.context, async () => {
      if (!isDueToBeTaken) return;
      isDueToBeTaken = false;
      await sequelize.query("UPDATE leases SET owner = 'another' WHERE name LIKE 'import:%'");
    });
    // The first step has ended.
    const afterStep = () => {
      isDueToBeTaken = true;
    };
    const { code, message } = await failureOf(() => undo(id, { onProgress: afterStep }, context));
    await sequelize.query("DELETE FROM leases WHERE owner = 'another'");
    expect([code, message]).to.deep.equal(['IMPORT_CONFLICT', 'The import 1 was taken over by another process.']);
    expect(await models().User.count()).to.be.above(0);
    expect(await models().Import.findByPk(id)).to.include({ status: 'undoing' });
  });
});
