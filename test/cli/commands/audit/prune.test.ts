import { expect } from 'chai';
import { recordAudit } from '../../../../src/services/audit.js';
import { operator } from '../../../../src/services/core.js';
import { newIds } from '../../../../src/services/ids.js';
import { testEnvironment } from '../../../support/environment.js';
import { useHarness } from '../../../support/harness.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { keys } from '../../../support/terminal.js';

describe('coursectl audit prune', () => {
  const harness = useHarness();
  const unset = () => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl });
  const cli = useCommandLine(() => ({ ...unset(), AUDIT_RETENTION_DAYS: '30' }));
  const rows = () => harness.context.database.models.AuditEntry.count();
  beforeEach(async () => {
    const past = { ...harness.context, now: () => new Date('2020-01-01T00:00:00.000Z') };
    const records = newIds(2).map((targetId) => ({
      action: 'user.delete' as const,
      targetType: 'user' as const,
      targetId,
    }));
    await harness.context.database.inTransaction((transaction) => recordAudit(past, operator, records, transaction));
  });

  it('refuses when no retention is set, naming the setting', async () => {
    const { exitCode, stderr } = await cli.run(['audit', 'prune', '--yes'], { env: unset() });
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(/kept for ever: set AUDIT_RETENTION_DAYS/);
    expect(await rows()).to.equal(2);
  });

  it('asks for --yes without a terminal', async () => {
    const { exitCode, stderr } = await cli.run(['audit', 'prune']);
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(/add --yes to prune/);
    expect(await rows()).to.equal(2);
  });

  it('counts with --dry-run, and deletes nothing', async () => {
    const { stdout } = await cli.run(['audit', 'prune', '--dry-run']);
    expect(stdout).to.match(/^2 entries before \S+Z would be exported and deleted\.\nNothing was written\.\n$/);
    expect(await cli.json(['audit', 'prune', '--dry-run'])).to.deep.include({ dryRun: true, prune: { exported: 2 } });
    expect(await rows()).to.equal(2);
  });

  it('exports, deletes, and names the files', async () => {
    const { exitCode, stdout } = await cli.run(['audit', 'prune', '--yes']);
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^2 entries exported and deleted\.\n\S+\/retention\/audit-\S+\.ndjson\n$/);
    expect(await rows()).to.equal(0);
    const { prune } = await cli.json<{ prune: object }>(['audit', 'prune', '--yes']);
    expect(prune).to.deep.equal({ exported: 0, files: [] });
  });

  it('deletes nothing when the question is answered with no', async () => {
    const { stderr } = await cli.atTerminal(['audit', 'prune'], [['Prune the audit log?', keys.enter]]);
    expect(stderr)
      .to.match(/2 entries before/)
      .and.to.match(/Nothing was deleted/);
    expect(await rows()).to.equal(2);
  });
});
