import { startThrowAwayServer } from '../test/support/test-server.js';

/** A database server to measure with; its URL ends where the name of a database goes. */
export interface BenchServer {
  url: string;
  /** Of the process of a private server; undefined for another one. */
  pid(): number | undefined;
  stop(): Promise<void>;
}

/**
 * The server of BENCH_DATABASE_URL, or a private one that keeps every commit on the disk, as servers do by default.
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
