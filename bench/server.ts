import { startThrowAwayServer } from '../test/support/test-server.js';

/** A database server for benches. Its URL ends before the database name. */
export interface BenchServer {
  url: string;
  /** Process id of a private server; undefined for another server. */
  pid(): number | undefined;
  stop(): Promise<void>;
}

/**
 * Opens the server of BENCH_DATABASE_URL, or starts a private one. The private server writes every commit to disk, as
 * servers do by default.
 * @param options of the private server
 */
export async function openBenchServer(options: readonly string[] = []): Promise<BenchServer> {
  const url = process.env.BENCH_DATABASE_URL;
  const server = url
    ? { url, pid: () => undefined, stop: async () => undefined }
    : await startThrowAwayServer({ durable: true, options });
  if (!server)
    throw new Error('There is no server to measure with. Set BENCH_DATABASE_URL, or install mariadb-server.');
  return server;
}
