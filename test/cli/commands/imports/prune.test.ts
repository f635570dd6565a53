import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { hashedPeople, useImporting } from '../../../services/imports/support/importing.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { keys } from '../../../support/terminal.js';

interface Shown {
  ledgerClosedAt: string | null;
  counts: { rows: number };
}

describe('coursectl imports prune', () => {
  const importing = useImporting();
  const cli = useCommandLine(() => ({ ...importing.env, IMPORT_RETENTION_DAYS: '30' }));
  const keep = (days: string) => ({ env: { ...cli.env, IMPORT_RETENTION_DAYS: days } });
  const { models } = importing;
  const rows = () => models().ImportRow.count();
  beforeEach(async () => {
    importing.write('people.csv', `${hashedPeople(3)}Bad,Email,none,+1 9,\n`);
    await importing.json('people.csv');
    await models().Import.update({ finishedAt: new Date(Date.now() - 31 * 86_400_000) }, { where: {} });
  });

  it('refuses when no retention is set, naming the setting', async () => {
    const { exitCode, stderr } = await cli.run(['imports', 'prune', '--yes'], keep(''));
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(/kept for ever: set IMPORT_RETENTION_DAYS/);
  });

  it('requires --yes without a terminal, counts with --dry-run, and deletes nothing', async () => {
    const { exitCode, stderr } = await cli.run(['imports', 'prune']);
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(/add --yes to prune/);
    const { stdout } = await cli.run(['imports', 'prune', '--dry-run']);
    expect(stdout).to.equal(
      '4 rows of 1 import that ended more than 30 days ago would be exported and deleted.\nNothing was written.\n',
    );
    expect(await rows()).to.equal(4);
  });

  it('exports and deletes old rows, names the files, and keeps newer rows', async () => {
    const { stdout } = await cli.run(['imports', 'prune', '--yes'], keep('32'));
    expect(stdout).to.equal('0 rows of 0 imports exported and deleted.\n');
    expect(await rows()).to.equal(4);
    const { prune } = await cli.json<{ prune: { files: string[] } }>(['imports', 'prune', '--yes']);
    expect(prune).to.include({ imports: 1, exported: 4 });
    expect(prune.files.join()).to.match(/\/retention\/import-[^/,]+\.ndjson$/);
    expect(await rows()).to.equal(0);
  });

  it("warns that the imports can't be undone, and deletes nothing after a no", async () => {
    const { stderr } = await cli.atTerminal(['imports', 'prune'], [['Prune the rows of imports?', keys.enter]]);
    expect(stderr)
      .to.match(/4 rows of 1 import that ended .* These imports can't be undone any more\./)
      .and.to.match(/Nothing was deleted/);
    expect(await rows()).to.equal(4);
  });

  describe('afterwards', () => {
    beforeEach(async () => {
      await cli.run(['imports', 'prune', '--yes']);
    });
    const deleted =
      /^The rows of the import \d+ were exported to files and deleted on \S+Z, after IMPORT_RETENTION_DAYS: /;

    it('show and list print the counts and the time of deletion', async () => {
      const { import: shown } = await cli.json<{ import: Shown }>(['imports', 'show', '1']);
      const { imports } = await cli.json<{ imports: Shown[] }>(['imports', 'list']);
      for (const one of [shown, ...imports]) {
        expect(one.counts.rows).to.equal(4);
        expect(one.ledgerClosedAt).to.match(/^\d{4}-.*Z$/);
      }
      const { stdout } = await cli.run(['imports', 'show', '1']);
      expect(stdout).to.match(/^rows deleted +\d{4}-.*Z$/m);
      const list = await cli.run(['imports', 'list', '--columns', 'number,ledgerClosedAt']);
      expect(list.stdout).to.match(/ROWS DELETED/);
    });

    it('undo, rows and export are refused with the folder of the exported rows', async () => {
      for (const [words, why] of [
        [['undo', '1', '--yes'], / it can't be undone\.$/],
        [['undo', '1', '--dry-run'], / it can't be undone\.$/],
        [['rows', '1'], / they are in the folder "retention" of DATA_DIR\.$/],
        [['export', '1'], / they are in the folder "retention" of DATA_DIR\.$/],
      ] as const) {
        const { exitCode, message } = await cli.refusal(['imports', ...words]);
        expect(exitCode).to.equal(1);
        expect(message).to.match(deleted).and.to.match(why);
      }
      expect(await models().User.count()).to.equal(3);
    });

    it('rejects writes the file of rejected rows, or names the folder of the exported rows', async () => {
      const { exitCode, stdout } = await cli.run(['imports', 'rejects', '1']);
      expect(exitCode).to.equal(0);
      expect(stdout).to.match(/Bad,Email,none/);
      const file = path.join(importing.folder, 'people.rejected.csv');
      rmSync(file);
      const { message } = await cli.refusal(['imports', 'rejects', '1']);
      expect(message).to.equal(
        `The file ${file} with the rejected rows can't be read (ENOENT). What became of each row: the folder "retention" of DATA_DIR`,
      );
    });

    it('a second import of the file is a new import', async () => {
      await models().Import.update({ status: 'cancelled' }, { where: {} });
      const again = await importing.json('people.csv', '--rejects', 'again.csv');
      expect(again).to.include({ number: 2, status: 'completed' });
      expect(again.counts).to.include({ skipped: 3, rejected: 1 });
    });
  });
});
