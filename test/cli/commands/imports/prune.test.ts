import { expect } from 'chai';
import { hashedPeople, useImporting } from '../../../services/imports/support/importing.js';
import { importFile } from '../../../services/imports/support/running.js';
import { runCli } from '../../../support/run-cli.js';

describe('coursectl imports prune', () => {
  const importing = useImporting();
  const run = (days: string, ...options: string[]) =>
    runCli(['imports', 'prune', ...options], {
      env: { ...importing.env, IMPORT_RETENTION_DAYS: days },
      cwd: importing.folder,
    });
  const rows = () => importing.context.database.models.ImportRow.count();
  beforeEach(async () => {
    await importFile(importing.context, importing.write('people.csv', hashedPeople(3)));
    const finishedAt = new Date(Date.now() - 31 * 86_400_000);
    await importing.context.database.models.Import.update({ finishedAt }, { where: {} });
  });

  it('refuses when no retention is set, naming the setting', async () => {
    const { exitCode, stderr } = await run('', '--yes');
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(/kept for ever: set IMPORT_RETENTION_DAYS/);
  });

  it('counts with --dry-run, and deletes nothing', async () => {
    const { stdout } = await run('30', '--dry-run');
    expect(stdout).to.equal(
      '3 rows of 1 import that ended more than 30 days ago would be exported and deleted.\nNothing was written.\n',
    );
    expect(await rows()).to.equal(3);
  });

  it('exports, deletes, and names the files', async () => {
    const { exitCode, stdout } = await run('30', '--yes', '--json');
    expect(exitCode).to.equal(0);
    const { prune } = JSON.parse(stdout) as { prune: { imports: number; exported: number; files: string[] } };
    expect(prune).to.include({ imports: 1, exported: 3 });
    expect(prune.files.join()).to.match(/\/retention\/import-[^/]+\.ndjson$/);
    expect(await rows()).to.equal(0);
  });

  it('keeps rows that are young enough', async () => {
    const { stdout } = await run('32', '--yes');
    expect(stdout).to.equal('0 rows of 0 imports exported and deleted.\n');
    expect(await rows()).to.equal(3);
  });
});
