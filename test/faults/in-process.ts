import { createConnection } from 'mysql2/promise';
import { loadConfig } from '../../src/config/config.js';
import { type Context, createContext } from '../../src/context.js';
import { type RunningServer, startServer } from '../../src/http/server/server.js';
import { createLogger, type Logger } from '../../src/logger.js';
import { testEnvironment } from '../support/environment.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startThrowAwayServer, type ThrowAwayServer } from '../support/test-server.js';
import { atExit } from './cleanup.js';

/** The service in this process, on a MariaDB of its own. */
export interface InProcess {
  context: Context;
  server: RunningServer;
  database: ThrowAwayServer;
  /** Where its files are. */
  folder: string;
  close(): Promise<void>;
}

const silent = createLogger('silent', { write: () => undefined });

/** Starts it. @param settings environment variables on top of those of the tests */
export async function startInProcess(
  settings: Record<string, string> = {},
  logger: Logger = silent,
): Promise<InProcess> {
  const database = await startThrowAwayServer({ onStart: atExit });
  if (!database) throw new Error('There is no mariadbd or mysqld on the PATH.');
  const folder = temporaryFolder();
  const sql = await createConnection({ uri: database.url });
  await sql.query('CREATE DATABASE faults');
  await sql.end();
  const env = {
    ...testEnvironment,
    DATABASE_URL: `${database.url}faults`,
    DATA_DIR: folder.path,
    PORT: '0',
    ...settings,
  };
  const context = await createContext(loadConfig({ env, cwd: folder.path }), logger);
  await context.schema.up();
  const server = await startServer(context);
  return {
    context,
    server,
    database,
    folder: folder.path,
    async close() {
      await server.close();
      await context.close();
      await database.stop();
      folder.remove();
    },
  };
}
