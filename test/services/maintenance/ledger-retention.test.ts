import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Context } from '../../../src/context.js';
import type { ImportStatus } from '../../../src/schemas/import.js';
import { operator } from '../../../src/services/core.js';
import { previewUndo, resumeImport, undoImport } from '../../../src/services/imports/commands.js';
import { pruneLedgers } from '../../../src/services/maintenance/ledger-retention.js';
import { failureOf } from '../../db/support/failure.js';
import { buildUser, signIn } from '../../support/factories.js';
import { hashedPeople, useImporting } from '../imports/support/importing.js';
import { applyOptions, importFile, importFirstBatch } from '../imports/support/running.js';

const day = 86_400_000;
const unaborted = new AbortController().signal;
const count = 120;

describe('the retention of import ledgers', () => {
  const importing = useImporting();
  const models = () => importing.context.database.models;
  /** The program so many days later, with a folder of its own. */
  const after = (days: number): Context => ({
    ...importing.context,
    config: { ...importing.context.config, dataDir: importing.folder },
    now: () => new Date(Date.now() + days * day),
  });
  const prune = (days = 31) => pruneLedgers(after(days), 30, unaborted);
  const rows = () => models().ImportRow.count();
  const importPeople = async () =>
    (await importFile(importing.context, importing.write('people.csv', hashedPeople(count)))).id;
  const undo = (id: string) =>
    undoImport(importing.context, operator, id, { signal: unaborted, onWait: () => undefined });

  it('exports the rows of an import that ended long ago, then deletes them, and keeps the import with its counts', async () => {
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
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines[0]).to.deep.include({ type: 'import', id, status: 'completed', file: 'people.csv' });
    expect(lines).to.have.length(1 + count);
    expect(lines[1]).to.deep.include({ type: 'importRow', importId: id, line: 2, outcome: 'created' });
    expect(await prune()).to.deep.equal({ imports: 0, exported: 0, files: [] });
  });

  it('keeps the rows of an import that ended less long ago', async () => {
    const id = await importPeople();
    expect(await prune(29)).to.include({ imports: 0 });
    expect(await rows()).to.equal(count);
    expect((await undo(id)).removed).to.equal(count);
  });

  it('keeps the rows of an import that was undone less long ago', async () => {
    const id = await importPeople();
    await undo(id);
    await models().Import.update({ undoneAt: new Date(Date.now() + 20 * day) }, { where: { id } });
    expect(await prune()).to.include({ imports: 0 });
    expect(await prune(51)).to.include({ imports: 1 });
  });

  for (const status of ['planning', 'planned', 'queued', 'running', 'interrupted', 'undoing'] satisfies ImportStatus[])
    it(`keeps the rows of an import that is ${status}, however old it is`, async () => {
      await importPeople();
      await models().Import.update({ status }, { where: {} });
      expect(await prune(9999)).to.include({ imports: 0 });
      expect(await rows()).to.equal(count);
    });

  it('exports no password, nor the hash of one', async () => {
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

  it('exports again what a killed run has left, though it had closed the ledger', async () => {
    await importPeople();
    await models().Import.update({ ledgerClosedAt: new Date() }, { where: {} });
    await models().ImportRow.destroy({ where: { line: [2, 3, 4] } });
    expect(await prune()).to.include({ imports: 1, exported: count - 3 });
    expect(await rows()).to.equal(0);
  });

  describe('afterwards', () => {
    it('undoing and resuming are refused, and nothing is changed', async () => {
      const id = await importPeople();
      await prune();
      for (const attempt of [undo(id), previewUndo(importing.context, id)]) {
        const { code, message } = await failureOf(() => attempt);
        expect(code).to.equal('IMPORT_CONFLICT');
        expect(message).to.match(/^The rows of the import \S+ were exported .* deleted on .*: it can't be undone\.$/);
      }
      expect(await models().User.count()).to.equal(count);
    });

    it('resuming is refused', async () => {
      const { id } = await importFirstBatch(importing.context, importing.write('people.csv', hashedPeople(count)));
      await models().Import.update({ status: 'cancelled', finishedAt: new Date() }, { where: {} });
      expect(await prune()).to.include({ imports: 1 });
      const { code, message } = await failureOf(() => resumeImport(importing.context, operator, id, applyOptions()));
      expect(code).to.equal('IMPORT_CONFLICT');
      expect(message).to.match(/it can't be resumed/);
    });

    it('the API shows the import with its counts, and refuses its rows, its ledger and its undo', async () => {
      const id = await importPeople();
      await prune();
      const { token } = await signIn(importing.context, { role: 'super_admin' });
      const { body } = await importing.api('get', `/api/imports/${id}`, token).expect(200);
      expect(body.import).to.deep.include({ status: 'completed' });
      expect(body.import.ledgerClosedAt).to.match(/^\d{4}-\d\d-\d\dT/);
      for (const what of ['rows', 'outcome.csv']) {
        const refused = await importing.api('get', `/api/imports/${id}/${what}`, token).expect(400);
        expect(refused.body.message).to.match(/they are in the folder "retention" of DATA_DIR\.$/);
      }
      await importing.api('post', `/api/imports/${id}/undo`, token).expect(400);
    });
  });
});
