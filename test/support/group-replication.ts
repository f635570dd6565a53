import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { Cluster, ClusterNode } from './cluster.js';
import { scaled } from './machine.js';
import { findServer, freePort, hasEnded, initialize, temporaryTables, waitUntilUp } from './test-server.js';

/** Returns the `mysqld` on the PATH if it is MySQL. MariaDB's package contains a program of that name, too. */
export function mysqlBinary(): string | undefined {
  const binary = findServer(['mysqld']);
  const version = binary && spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout;
  return version !== undefined && !/mariadb/i.test(version) ? binary : undefined;
}

interface Ports {
  sql: number;
  group: number;
}

function serverOptions(directory: string, number: number, ports: Ports, group: string, seeds: string): string[] {
  return [
    '--no-defaults',
    `--datadir=${directory}/data`,
    `--tmpdir=${temporaryTables(directory)}`,
    `--user=${userInfo().username}`,
    `--port=${ports.sql}`,
    '--bind-address=127.0.0.1',
    '--report-host=127.0.0.1',
    `--socket=${directory}/server.sock`,
    `--pid-file=${directory}/server.pid`,
    '--mysqlx=OFF',
    '--max-connections=500',
    '--innodb-flush-log-at-trx-commit=0',
    '--sync-binlog=0',
    '--innodb-buffer-pool-size=64M',
    `--server-id=${number}`,
    '--gtid-mode=ON',
    '--enforce-gtid-consistency=ON',
    '--log-bin',
    '--plugin-load-add=group_replication.so',
    `--group-replication-group-name=${group}`,
    `--group-replication-local-address=127.0.0.1:${ports.group}`,
    `--group-replication-group-seeds=${seeds}`,
    '--group-replication-recovery-get-public-key=ON',
    // A silent node is expelled as soon as it is suspected, after 5 s.
    '--group-replication-member-expel-timeout=0',
  ];
}

function nodeIn(binary: string, directory: string, options: readonly string[], port: number) {
  let server: ChildProcess | undefined;
  let output = '';
  const log = () => output.slice(-14_000);
  const url = `mysql://coursectl:coursectl@127.0.0.1:${port}/`;
  const start = (joins: boolean) => {
    const joining = `--group-replication-start-on-boot=${joins ? 'ON' : 'OFF'}`;
    const started = spawn(binary, [...options, joining], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000)));
    server = started;
    return started;
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!server || hasEnded(server)) return;
    const ended = new Promise((resolve) => server?.once('exit', resolve));
    server.kill(signal);
    await ended;
  };
  const query = async (sql: string) => {
    const connection = await createConnection(url);
    try {
      const [rows] = await connection.query<RowDataPacket[]>(sql);
      return rows;
    } finally {
      await connection.end();
    }
  };
  /** Waits until the server accepts logins. Writes nothing, which would make its data differ from the group's. */
  const untilUp = () => until(() => query('SELECT 1').then(() => undefined));
  /** Waits until the server has all the group's data and is a member. */
  const untilOnline = () =>
    until(async () => {
      const members = 'performance_schema.replication_group_members';
      const [row] = await query(`SELECT MEMBER_STATE AS state FROM ${members} WHERE MEMBER_ID = @@server_uuid`);
      if (row?.state !== 'ONLINE') throw new Error(`A node says of itself: ${String(row?.state)}`);
    });
  async function until(holds: () => Promise<void>): Promise<void> {
    const deadline = performance.now() + scaled(60_000);
    for (;;) {
      const failure = await holds().catch((error: unknown) => error);
      if (failure === undefined) return;
      if (performance.now() > deadline) throw new Error(`A node did not join:\n${log()}`, { cause: failure });
      await sleep(100);
    }
  }
  const node: ClusterNode & {
    directory: string;
    port: number;
    start: typeof start;
    end: typeof end;
    bootstrap(): Promise<void>;
    query: typeof query;
    log(): string;
    killNow(): void;
  } = {
    directory,
    port,
    url,
    log,
    start,
    end,
    query,
    killNow: () => void server?.kill('SIGKILL'),
    kill: () => end('SIGKILL'),
    async bootstrap() {
      await untilUp();
      await query('SET GLOBAL group_replication_bootstrap_group = ON');
      await query('START GROUP_REPLICATION');
      await query('SET GLOBAL group_replication_bootstrap_group = OFF');
      await untilOnline();
    },
    async rejoin() {
      start(true);
      await untilOnline();
    },
  };
  return node;
}

/**
 * Forms a group of three MySQL servers on loopback. The first one is the single primary. The caller must always stop the
 * group.
 * @param onStart gets the stop function before the first server starts
 */
export async function startGroupReplication(binary: string, onStart: (stop: () => void) => void): Promise<Cluster> {
  const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-test-group-'));
  const ports: Ports[] = [];
  while (ports.length < 3) ports.push({ sql: await freePort(), group: await freePort() });
  const group = randomUUID();
  const seeds = ports.map((own) => `127.0.0.1:${own.group}`).join(',');
  const nodes = ports.map((own, index) => {
    const directory = path.join(folder, String(index));
    mkdirSync(directory);
    return nodeIn(binary, directory, serverOptions(directory, index + 1, own, group, seeds), own.sql);
  });
  const stop = () => {
    for (const node of nodes) node.killNow();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  onStart(stop);
  const [first, ...others] = nodes;
  if (!first) throw new Error('There is no node.');
  try {
    initialize(binary, '', first.directory);
    await waitUntilUp(first.port, first.start(false), first.log);
    const from = "SOURCE_USER = 'coursectl', SOURCE_PASSWORD = 'coursectl'";
    await first.query(`CHANGE REPLICATION SOURCE TO ${from} FOR CHANNEL 'group_replication_recovery'`);
    await first.end('SIGTERM');
    for (const { directory } of others) {
      cpSync(path.join(first.directory, 'data'), path.join(directory, 'data'), { recursive: true });
      // Each server creates its own identity.
      rmSync(path.join(directory, 'data', 'auto.cnf'));
    }
    first.start(false);
    await first.bootstrap();
    for (const node of others) await node.rejoin();
  } catch (error) {
    stop();
    throw new Error(`The group did not form:\n${nodes.map((node) => node.log()).join('\n')}`, { cause: error });
  }
  return { nodes, stop };
}
