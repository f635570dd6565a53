import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { Cluster, ClusterNode } from './cluster.js';
import { scaled } from './machine.js';
import { findServer, freePort, hasEnded, initialize, searchPath, temporaryTables, waitUntilUp } from './test-server.js';

/** A server with MariaDB's replication library. */
export interface GaleraNode extends ClusterNode {
  /** Runs a statement as root. */
  query(sql: string): Promise<RowDataPacket[]>;
  /** Returns the end of the node's log. */
  log(): string;
}

export interface GaleraCluster extends Cluster {
  version: string;
  nodes: GaleraNode[];
}

/** Paths of the replication library in distributions. */
const libraries = [
  '/usr/lib/galera/libgalera_smm.so',
  '/usr/lib/libgalera_smm.so',
  '/usr/lib/galera-4/libgalera_smm.so',
  '/usr/lib64/galera-4/libgalera_smm.so',
  '/usr/lib64/galera/libgalera_smm.so',
];

/** Returns the packages that a cluster needs and this machine lacks; empty if nothing is missing. */
export function missingForGalera(): string {
  const lacking = [
    ...(findServer(['mariadbd']) === undefined ? ['mariadb-server'] : []),
    ...(libraries.some((library) => existsSync(library)) ? [] : ['galera-4']),
    // Copies the initial data to a new node.
    ...(spawnSync('rsync', ['--version']).status === 0 ? [] : ['rsync']),
  ];
  return lacking.join(', ');
}

/** Silence after which a node is suspected and excluded: short enough for tests, long enough for a busy machine. */
const suspectAfter = 'PT3S';
const outAfter = 'PT5S';

/** User of the servers. Not root: rsync, which copies the data, gives up root's rights. */
const owner = userInfo().uid === 0 ? 'nobody' : userInfo().username;

/** Makes a folder that belongs to {@link owner}. */
function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const idOf = (option: '-u' | '-g') => Number(execFileSync('id', [option, owner], { encoding: 'utf8' }));
  chownSync(folder, idOf('-u'), idOf('-g'));
}

interface Ports {
  sql: number;
  group: number;
  ist: number;
  /** Port where a joining node receives the initial data. */
  sst?: number;
}

function serverOptions(directory: string, ports: Ports, library: string, members: string): string[] {
  const provider = {
    base_host: '127.0.0.1',
    base_port: ports.group,
    'gmcast.listen_addr': `tcp://127.0.0.1:${ports.group}`,
    'ist.recv_addr': `127.0.0.1:${ports.ist}`,
    'gcache.size': '16M',
    'evs.keepalive_period': 'PT0.5S',
    'evs.inactive_check_period': 'PT0.25S',
    'evs.suspect_timeout': suspectAfter,
    'evs.inactive_timeout': outAfter,
    'evs.install_timeout': suspectAfter,
  };
  return [
    '--no-defaults',
    `--datadir=${directory}/data`,
    `--tmpdir=${temporaryTables(directory)}`,
    `--user=${owner}`,
    `--port=${ports.sql}`,
    '--bind-address=127.0.0.1',
    `--socket=${directory}/server.sock`,
    `--pid-file=${directory}/server.pid`,
    '--max-connections=500',
    '--skip-name-resolve',
    '--innodb-flush-log-at-trx-commit=0',
    '--innodb-buffer-pool-size=64M',
    '--innodb-log-file-size=16M',
    '--innodb-autoinc-lock-mode=2',
    '--binlog-format=ROW',
    '--wsrep-on=ON',
    `--wsrep-provider=${library}`,
    `--wsrep-provider-options=${Object.entries(provider)
      .map(([name, value]) => `${name}=${value}`)
      .join(';')}`,
    '--wsrep-cluster-name=coursectl-test',
    `--wsrep-cluster-address=gcomm://${members}`,
    `--wsrep-node-address=127.0.0.1:${ports.group}`,
    '--wsrep-sst-method=rsync',
    ...(ports.sst === undefined ? [] : [`--wsrep-sst-receive-address=127.0.0.1:${ports.sst}`]),
    '--wsrep-slave-threads=2',
  ];
}

/** Waits until a node has all the data, in a cluster with quorum. */
async function waitUntilSynced(node: GaleraNode): Promise<void> {
  const attempts = scaled(300);
  for (let attempt = 1; ; attempt += 1) {
    const failure = await node
      .query("SHOW STATUS WHERE Variable_name IN ('wsrep_ready', 'wsrep_local_state_comment', 'wsrep_cluster_status')")
      .then((rows) => {
        const message = rows.map(({ Value }) => String(Value)).sort();
        return message.join() === 'ON,Primary,Synced'
          ? undefined
          : new Error(`A node says of itself: ${message.join(', ')}`);
      })
      .catch((error: Error) => error);
    if (!failure) return;
    if (attempt === attempts) throw new Error(`A node did not join:\n${node.log()}`, { cause: failure });
    await sleep(100);
  }
}

function nodeIn(binary: string, directory: string, ports: Ports, library: string, members: string) {
  let server: ChildProcess | undefined;
  let output = '';
  /** Returns the end of the output, and the errors before it. Many lines about group members may follow an error. */
  const log = () => {
    const lines = output.split('\n').filter((line) => line.trim() !== '');
    const errors = lines.filter((line) => /\bERROR\b|SST: \[/.test(line)).slice(-20);
    // Some lines repeat all options of the server.
    return [...lines.slice(-10), ...errors].map((line) => line.slice(0, 200)).join('\n');
  };
  const start = (extra: readonly string[] = []) => {
    output = '';
    // A separate process group: scripts copy the data to a new node, and must end with it.
    const started = spawn(binary, [...serverOptions(directory, ports, library, members), ...extra], {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, PATH: searchPath },
    });
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000)));
    server = started;
  };
  const killNow = () => {
    if (server?.pid === undefined || hasEnded(server)) return;
    process.kill(-server.pid, 'SIGKILL');
  };
  const ended = async () => {
    if (server && !hasEnded(server)) await once(server, 'exit');
  };
  const node: GaleraNode & { start: typeof start; killNow: typeof killNow; up(): Promise<void> } = {
    url: `mysql://coursectl:coursectl@127.0.0.1:${ports.sql}/`,
    log,
    start,
    killNow,
    async up() {
      if (!server) throw new Error('The node was not started.');
      await waitUntilUp(ports.sql, server, log);
      await waitUntilSynced(node);
    },
    async rejoin() {
      const startOnce = async () => {
        // Chosen only now: another program may have taken a port chosen earlier.
        ports.sst = await freePort();
        start();
        await node.up();
      };
      await startOnce().catch(async (error: unknown) => {
        // The program that receives the data did not start. The server then asks for a restart, which a service manager
        // would do.
        if (!output.includes('This is unrecoverable, restart required')) throw error;
        console.log(`A node of the cluster is started again:\n${log()}`);
        await ended();
        await startOnce();
      });
    },
    async kill() {
      killNow();
      await ended();
    },
    async query(sql) {
      const connection = await createConnection({ host: '127.0.0.1', port: ports.sql, user: 'root' });
      try {
        const [rows] = await connection.query<RowDataPacket[]>(sql);
        return rows;
      } finally {
        await connection.end();
      }
    },
  };
  return node;
}

/**
 * Forms a cluster of three nodes on loopback. The caller must always stop it: the servers don't end by themselves.
 * @param onStart gets the stop function before the first server starts
 * @throws Error if something named by {@link missingForGalera} is missing
 */
export async function startGalera(onStart: (stop: () => void) => void = () => undefined): Promise<GaleraCluster> {
  const binary = findServer(['mariadbd']) ?? '';
  const library = libraries.find((candidate) => existsSync(candidate)) ?? '';
  const version = spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-test-galera-'));
  chmodSync(folder, 0o755);
  const ports: Ports[] = [];
  for (let index = 0; index < 3; index += 1)
    ports.push({ sql: await freePort(), group: await freePort(), ist: await freePort() });
  const members = ports.map(({ group }) => `127.0.0.1:${group}`).join(',');
  const nodes = ports.map((own, index) => {
    const directory = path.join(folder, String(index));
    for (const made of [directory, path.join(directory, 'data')]) makeFolder(made);
    return nodeIn(binary, directory, own, library, members);
  });
  const stop = () => {
    for (const node of nodes) node.killNow();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  onStart(stop);
  try {
    // The first node sends the others their files.
    initialize(binary, version, path.join(folder, '0'), owner);
    nodes[0]?.start(['--wsrep-new-cluster']);
    await nodes[0]?.up();
    for (const node of nodes.slice(1)) await node.rejoin();
  } catch (error) {
    stop();
    throw new Error(`The cluster did not form:\n${nodes.map((node) => node.log()).join('\n')}`, { cause: error });
  }
  return { version, nodes, stop };
}
