import { expect } from 'chai';
import { operator } from '../../../../src/services/core.js';
import { findUnfinished } from '../../../../src/services/imports/plan/unfinished.js';
import { findImport } from '../../../../src/services/imports/store/find-import.js';
import { countKept, type KeptAccount, keptAccounts } from '../../../../src/services/imports/store/ledger.js';
import { optionsOf } from '../../../../src/services/imports/store/repository.js';
import { buildUser, signIn } from '../../../support/factories.js';
import { runCli } from '../../../support/run-cli.js';
import { people, useImporting } from '../support/importing.js';

describe('Accounts that an undo kept', () => {
  const importing = useImporting();
  const { models } = importing;
  const imports = (...args: string[]) => importing.cli('imports', ...args);

  it('are undone by another undo when the reasons no longer apply', async () => {
    const first = await importing.json(importing.write('people.csv', people(3)));
    const changed = people(2).replaceAll('Family', 'Changed');
    const second = await importing.json(importing.write('changed.csv', changed), '--on-existing', 'update');
    const undo = async (id: string) => {
      const { exitCode, stdout } = await imports('undo', id, '--yes');
      return [exitCode, stdout.split('\n')[0]];
    };
    // The order is wrong: the second import has changed accounts of the first import.
    expect(await undo(first.id)).to.deep.equal([3, 'Undone: 1 account removed, 0 restored, 2 kept']);
    expect(await undo(first.id)).to.deep.equal([1, 'Nothing was undone: 0 accounts removed, 0 restored, 2 kept']);
    expect(await undo(second.id)).to.deep.equal([0, 'Undone: 0 accounts removed, 2 restored, 0 kept']);
    expect(await undo(first.id)).to.deep.equal([0, 'Undone: 2 accounts removed, 0 restored, 0 kept']);
    expect(await models().User.count()).to.equal(0);
    const { exitCode, stderr } = await imports('undo', first.id, '--yes');
    expect([exitCode, stderr]).to.deep.equal([1, 'error: The import 1 is undone already.\n']);
  });

  it('are undone over HTTP, too, if the import can be undone again', async () => {
    const { token } = await signIn(importing.context, { role: 'super_admin' });
    const user = await buildUser(importing.context, { firstName: 'Old' });
    const gone = await buildUser(importing.context);
    const rows = [user, gone].map(({ email, phone }) => `New,Name,${email},${phone}`);
    const file = importing.write('people.csv', ['firstName,lastName,email,phone', ...rows, ''].join('\n'));
    const { id } = await importing.json(file, '--on-existing', 'update');
    const canUndo = async () =>
      (await importing.api('get', `/api/imports/${id}`, token).expect(200)).body.import.canUndo as boolean;
    const undo = async () => (await importing.api('post', `/api/imports/${id}/undo`, token).expect(200)).body;
    await gone.destroy();
    const { updatedAt } = await user.reload();
    await user.update({ lastName: 'Edited' });
    expect(await canUndo()).to.equal(true);
    const nothing = await undo();
    expect(nothing.message).to.equal('Nothing was undone: all accounts are kept.');
    expect(nothing.keptReasons).to.have.deep.members([
      { code: 'GONE', count: 1 },
      { code: 'EDITED', count: 1 },
    ]);
    expect(await canUndo()).to.equal(true);
    await models().User.update({ lastName: 'Name', updatedAt }, { where: { id: user.id }, silent: true });
    const { message, undo: done } = await undo();
    expect({ message, ...done }).to.include({ message: 'Import undone.', removed: 0, restored: 1 });
    expect(await user.reload()).to.include({ firstName: 'Old' });
    expect(await canUndo()).to.equal(false);
    await importing.api('post', `/api/imports/${id}/undo`, token).expect(400);
  });

  it('include people who accepted an invitation', async () => {
    const run = await importing.json(importing.write('people.csv', people(2)));
    const user = await models().User.findOne({ order: ['email'], rejectOnEmpty: true });
    await user.update({ inviteState: 'accepted' }, { silent: true });
    const { exitCode, stdout } = await imports('undo', run.id, '--yes');
    expect(exitCode).to.equal(3);
    expect(stdout).to.include(`  line 2  ${user.email}  has accepted an invitation`);
    expect(await models().User.count()).to.equal(1);
  });

  it('of a refused import are undone only by a person, not by a later run of the file', async () => {
    const { id } = await importing.json(importing.write('people.csv', people(1)), '--on-error', 'abort');
    const record = await models().Import.findByPk(id, { rejectOnEmpty: true });
    const { fileSha256 } = record;
    const unfinished = () => findUnfinished(importing.context, { fileSha256, options: optionsOf(record) });
    await record.update({ status: 'undoing', errorCode: 'IMPORT_REFUSED' });
    expect(await unfinished()).to.include({ id });
    await record.update({ undoneAt: new Date() });
    expect(await unfinished()).to.equal(null);
    expect(await findImport(importing.context, operator, id)).to.include({
      status: 'interrupted',
      errorCode: 'INTERRUPTED',
    });
  });

  it('are searched before an undo, and Ctrl-C ends the search', async () => {
    const { id } = await importing.json(importing.write('people.csv', people(1)));
    const interrupted = { env: importing.env, cwd: importing.folder, signal: AbortSignal.abort() };
    const { exitCode, stdout } = await runCli(['imports', 'undo', id, '--dry-run'], interrupted);
    expect([exitCode, stdout]).to.deep.equal([130, '']);
  });

  it('are read in lists, whatever their number', async () => {
    const { id } = await importing.json(importing.write('people.csv', people(1)));
    const { email, id: userId } = await buildUser(importing.context);
    // Only the number of the rows matters.
    const kept = { importId: id, outcome: 'updated', userId, undoOutcome: 'kept', undoCode: 'EDITED' } as const;
    const none = { code: null, otherCodes: null, reason: null, undoJson: null };
    const lines = Array.from({ length: 2001 }, (_, index) => index + 3);
    await models().ImportRow.bulkCreate(lines.map((line) => ({ ...none, ...kept, line })));
    const pieces: KeptAccount[][] = [];
    for await (const piece of keptAccounts(importing.context, id)) pieces.push(piece);
    expect(await countKept(importing.context, id)).to.equal(lines.length);
    expect(pieces.map(({ length }) => length)).to.deep.equal([1000, 1000, 1]);
    expect(pieces.flat()).to.deep.equal(lines.map((line) => ({ line, userId, email, code: 'EDITED' })));

    const { stdout } = await imports('show', id);
    expect(stdout.split('\n').slice(-23)).to.deep.equal([
      'Kept: 2001 accounts',
      ...lines.slice(0, 20).map((line) => `  line ${line}  ${email}  was edited since`),
      '  and 1981 more (--json has all)',
      '',
    ]);
    const shown = JSON.parse((await imports('show', id, '--json')).stdout) as { kept: object[] };
    expect(shown.kept).to.deep.equal(pieces.flat());
  });
});
