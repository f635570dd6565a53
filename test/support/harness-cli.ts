import { testEnvironment } from './environment.js';
import { useHarness } from './harness.js';
import { useCommandLine } from './run-cli.js';

/**
 * Gives the enclosing `describe` a command line on the database of its harness, and the audit entries of commands.
 * @param settings environment variables of both
 */
export function useHarnessAndCli(settings: Record<string, string> = {}) {
  const harness = useHarness(settings);
  const cli = useCommandLine(() => ({ ...testEnvironment, ...settings, DATABASE_URL: harness.databaseUrl }));
  const audited = async () => {
    const entries = await harness.context.database.models.AuditEntry.findAll({ order: [['id', 'ASC']] });
    return entries.map(({ action, origin }) => `${action} ${origin}`);
  };
  return { harness, cli, audited };
}
