import { createConnection } from 'mysql2/promise';
import { loadConfig } from '../../../src/config/config.js';
import { type Context, createContext } from '../../../src/context.js';
import { createLogger } from '../../../src/logger.js';
import { type FaultyProxy, startProxy } from '../../faults/proxy.js';
import { testEnvironment } from '../../support/environment.js';
import { useHarness } from '../../support/harness.js';
import { type Replication, startReplication } from '../../support/replication.js';

/** The database that is copied. */
export const replicated = 'replicated';

/** A context with a replica; one server and database for all tests of a file. */
export interface Replicated {
  context: Context;
  replication: Replication;
  /** Stands before the replica. */
  proxy: FaultyProxy;
  /** What the context has logged since the test began. */
  logged(): string;
  /** Another context, with other settings and the same log; closed after the test. */
  contextWith(env: Record<string, string>): Promise<Context>;
}

/** For the calling `describe`. */
export function useReplicated(): Replicated {
  // For its hasher and folder: the databases are others.
  const harness = useHarness();
  const lines: string[] = [];
  let env: Record<string, string> = {};
  let opened: Context[] = [];
  // Filled before anybody can read it.
  const replica = { logged: () => lines.join('') } as Replicated;
  replica.contextWith = async (changed) => {
    const logger = createLogger('info', { write: (line: string) => void lines.push(line) });
    const config = loadConfig({ env: { ...env, ...changed }, cwd: '/' });
    const context = await createContext(config, logger, { hasher: harness.context.hasher });
    opened.push(context);
    return context;
  };

  before(async () => {
    replica.replication = await startReplication();
    const connection = await createConnection(replica.replication.primary.url);
    await connection.query(`CREATE DATABASE ${replicated}`);
    await connection.end();
    replica.proxy = await startProxy(Number(new URL(replica.replication.replica.url).port));
  });
  after(async () => {
    await replica.proxy.close();
    await replica.replication.stop();
  });
  beforeEach(async () => {
    const { replication, proxy } = replica;
    const reader = new URL(`${replication.readerUrl}${replicated}`);
    reader.port = String(proxy.port);
    env = {
      ...testEnvironment,
      DATABASE_URL: `${replication.primary.url}${replicated}`,
      DATABASE_READ_URL: reader.href,
      DATA_DIR: harness.context.config.dataDir,
    };
    replica.context = await replica.contextWith({});
    await replica.context.schema.up();
    lines.length = 0;
  });
  afterEach(async () => {
    replica.proxy.set({ kind: 'none' });
    await replica.replication.resume();
    for (const context of opened) await context.close();
    opened = [];
  });
  return replica;
}
