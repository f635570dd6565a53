import { existsSync, truncateSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { DatabaseError, type Sequelize, type Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { activeLeases } from '../../../../src/db/lease.js';
import { createLogger } from '../../../../src/logger.js';
import { operator } from '../../../../src/services/core.js';
import { resumeImport, undoImport } from '../../../../src/services/imports/commands.js';
import { type ImportWorker, startImportWorker } from '../../../../src/services/imports/queue/worker.js';
import { leaseName, optionsOf } from '../../../../src/services/imports/store/repository.js';
import { onMysql } from '../../../support/database.js';
import { buildUser } from '../../../support/factories.js';
import { whileSchemaIsNewer } from '../../../support/newer-schema.js';
import { breakAt } from '../support/fault.js';
import { hashedPeople, people, useImporting } from '../support/importing.js';
import { applyOptions, expectWholeLedger } from '../support/running.js';
import { runToEnd, runUntil, submit, submitInterrupted } from '../support/submitting.js';

const count = 120;

/** Makes the next updates of imports fail, as on a disk that is full for a moment. */
function failingUpdates(sequelize: Sequelize, times: number) {
  const query = sequelize.query;
  let left = times;
  const full = Object.assign(new Error('full'), { code: onMysql ? 'ER_DISK_FULL' : 'SQLITE_FULL', sql: '' });
  sequelize.query = ((...args: Parameters<typeof query>) => {
    const [sql] = args;
    if (left > 0 && (typeof sql === 'string' ? sql : sql.query).startsWith('UPDATE `imports`')) {
      left -= 1;
      return Promise.reject(new DatabaseError(full));
    }
    return query.apply(sequelize, args);
    // `Parameters` loses the overloads of query().
  }) as typeof query;
  return {
    left: () => left,
    end: () => {
      sequelize.query = query;
    },
  };
}

describe('The worker of imports', () => {
  const importing = useImporting();
  const models = () => importing.context.database.models;

  it('imports no row of a truncated upload', async () => {
    const { id, filePath } = await submit(importing, hashedPeople(count));
    truncateSync(filePath, hashedPeople(60).length);
    const record = await runToEnd(importing, id);
    expect(record).to.include({
      status: 'failed',
      errorCode: 'FILE_UNUSABLE',
      errorMessage: 'The file people.csv has changed since the import began. Restore it, or import it again.',
    });
    expect(await models().User.count()).to.equal(0);
  });

  it('begins no import after a newer program changed the schema, and logs this a single time for each slot', async () => {
    const { context } = importing;
    const { id } = await submit(importing, hashedPeople(3));
    const { id: planned } = await submit(importing, hashedPeople(3, 'q'), { plan: true });
    const statuses = async () => (await models().Import.findAll()).map((record) => [record.id, record.status]);
    const lines: string[] = [];
    const told = (text: string) => lines.filter((line) => line.includes(text));
    const logger = createLogger('debug', { write: (line: string) => void lines.push(line) });
    let worker: ImportWorker | undefined;
    try {
      await whileSchemaIsNewer(context, async () => {
        worker = startImportWorker({ ...context, logger }, { pollMs: 10 });
        const warned = () => told('import worker waits').filter((line) => line.includes('"level":"warn"'));
        // Both slots, for runs and for plans, have logged a warning and checked the queue again.
        while (warned().length < 2 || told('import worker waits').length < 4) await sleep(5);
        expect(Object.fromEntries(await statuses())).to.deep.equal({ [id]: 'queued', [planned]: 'planning' });
      });
      while (told('import worker works again').length === 0) await sleep(5);
      expect(await runToEnd(importing, id)).to.include({ status: 'completed', createdCount: 3 });
    } finally {
      await worker?.close();
    }
    const [warnings, others] = [true, false].map((isWarning) =>
      told('import worker waits').filter((line) => line.includes('"level":"warn"') === isWarning),
    );
    expect(warnings).to.have.lengthOf(2);
    for (const line of warnings ?? [])
      expect(line).to.include('"code":"SCHEMA_OUTDATED"').and.include('is newer than this');
    for (const line of others ?? []) expect(line).to.include('"level":"debug"');
  });

  it('resumes automatically after a transient fault of the database', async () => {
    const { id } = await submit(importing, hashedPeople(count));
    const faults = failingUpdates(importing.context.database.sequelize, 3);
    try {
      const record = await runToEnd(importing, id);
      expect(record).to.include({ status: 'completed', errorCode: null, rowsDone: count });
      expect(faults.left()).to.equal(0);
    } finally {
      faults.end();
    }
  });

  it('records a failure as soon as the database works again', async () => {
    const { id } = await submit(importing, 'name,mail\nx,y\n');
    const faults = failingUpdates(importing.context.database.sequelize, 2);
    try {
      expect(await runToEnd(importing, id)).to.include({ status: 'failed', errorCode: 'IMPORT_FILE_INVALID' });
    } finally {
      faults.end();
    }
  });

  it('finds an import after many imports whose files are on other machines', async () => {
    const elsewhere = {
      status: 'queued',
      origin: 'http',
      fileName: 'people.csv',
      filePath: '/elsewhere/upload.csv',
    } as const;
    const rest = { fileSha256: 'x', optionsJson: '{}', createdAt: new Date() };
    await models().Import.bulkCreate(
      Array.from({ length: 250 }, (_, index) => ({ id: uuidv7(), number: index + 1, ...elsewhere, ...rest })),
    );
    const { id } = await submit(importing, hashedPeople(3));
    expect(await runToEnd(importing, id)).to.include({ status: 'completed', createdCount: 3 });
    expect(await models().Import.count({ where: { status: 'queued' } })).to.equal(250);
  });

  it('finishes the undo of a refused import with onError abort, and no other undo', async () => {
    const { context } = importing;
    const byHand = await submitInterrupted(importing, hashedPeople(count, 'q'));
    const aborted = await submitInterrupted(importing, hashedPeople(count), { onError: 'abort' });
    const other = await buildUser(context, { email: 'eve@example.org', phone: '+1 112 00110' });
    const repair = await breakAt(context, {
      event: 'DELETE',
      table: 'users',
      when: "OLD.email LIKE '%00001@example.org'",
    });
    try {
      const options = { signal: new AbortController().signal };
      const undone = undoImport(context, operator, byHand.id, options);
      expect(await undone.catch(() => 'broken off')).to.equal('broken off');
      await runUntil(importing, aborted.id, ({ status }) => status === 'undoing');
    } finally {
      await repair();
    }
    expect(await byHand.reload()).to.include({ status: 'undoing' });
    await other.destroy();
    const record = await runToEnd(importing, aborted.id);
    expect(record).to.include({ status: 'undone', errorCode: 'IMPORT_REFUSED' });
    expect(record.errorMessage).to.match(/The first is line 111: .* Nothing was imported\.$/);
    expect(existsSync(aborted.filePath)).to.equal(false);
    const next = await submit(importing, hashedPeople(3, 'r'));
    await runToEnd(importing, next.id);
    expect(await byHand.reload()).to.include({ status: 'undoing' });
    expect((await models().User.findAll()).filter(({ email }) => email.startsWith('p'))).to.deep.equal([]);
    expect(await models().User.count()).to.equal(50 + 3);
  });

  it("doesn't run an import that is resumed at a terminal", async () => {
    const record = await submitInterrupted(importing, hashedPeople(count));
    const { id } = record;
    const looks: Promise<boolean>[] = [];
    const lease = leaseName(record);
    const look = async () => (await activeLeases(importing.context.database, [lease])).has(lease);
    const run = applyOptions({ onProgress: () => looks.push(look()) });
    const { status } = await resumeImport(importing.context, operator, id, run);
    expect(status).to.equal('completed');
    expect(await Promise.all(looks)).to.deep.equal([true, true]);
    await expectWholeLedger(importing, id, count);
  });

  it('keeps the status of an import that was cancelled while failing', async () => {
    const { id } = await submit(importing, 'name,mail\nx,y\n');
    const { context } = importing;
    const { database } = context;
    async function inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
      await models().Import.update({ status: 'cancelled' }, { where: { id, status: 'running' } });
      return database.inTransaction(work);
    }
    const cancelling = { ...importing, context: { ...context, database: { ...database, inTransaction } } };
    expect(await runToEnd(cancelling, id)).to.include({ status: 'cancelled', errorCode: null });
  });

  it('names files without their folders in its messages', async () => {
    const { id, credentialsFile } = await submitInterrupted(importing, people(count));
    truncateSync(credentialsFile ?? '');
    const { status, errorMessage } = await runToEnd(importing, id);
    expect([status, errorMessage]).to.deep.equal([
      'failed',
      'The file upload.credentials.csv was not written by this import. Restore the original file, or move this file away, so that the resumed import writes a new one.',
    ]);
  });

  it('stores mappings of the maximum length', async () => {
    const headings = Array.from({ length: 100 }, (_, index) => `${'ü'.repeat(990)}${index}`);
    const [header, row] = hashedPeople(1).trimEnd().split('\n');
    const map = headings.map((heading) => `${heading}=`);
    const { id } = await submit(importing, `${[header, ...headings].join(',')}\n${row}\n`, { map });
    const record = await runToEnd(importing, id);
    expect(record).to.include({ status: 'completed', createdCount: 1 });
    expect(optionsOf(record).map).to.deep.equal(map);
  });
});
