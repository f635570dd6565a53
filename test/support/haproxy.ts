import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { read } from '../deploy/files.js';
import { scaled } from './machine.js';
import { findServer, searchPath } from './test-server.js';

/** Ports on this machine that replace those in deploy/haproxy.cfg. */
export interface HaproxyPorts {
  http: number;
  https: number;
  /** Ports of the instances, in the order of their servers. */
  instances: readonly number[];
  /** Ports for connections to the database and from peers, and ports of the nodes. Omitted without a database. */
  database?: {
    listen: number;
    peers: number;
    nodes: readonly number[];
    /** Script that checks a node; by default deploy/haproxy-node-check. */
    check?: string;
  };
}

const names = ['one', 'two', 'three'];

/** Replaces the ports of the servers. Removes servers without a port. */
function withServers(section: string, ports: readonly number[]): string {
  return names.reduce((lines, name, index) => {
    const port = ports[index];
    const line = new RegExp(`^( +server ${name}) [\\d.]+:\\d+(.*)\n`, 'm');
    if (!line.test(lines)) throw new Error(`deploy/haproxy.cfg has no server ${name} in:\n${section}`);
    return lines.replace(line, (_, start: string, rest: string) =>
      port === undefined ? '' : `${start} 127.0.0.1:${port}${rest}\n`,
    );
  }, section);
}

/**
 * Replaces texts wherever they occur, because comments name the same files and ports.
 * @throws Error if a text doesn't occur
 */
function substitute(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((result, [old, replacement]) => {
    if (!result.includes(old)) throw new Error(`No ${JSON.stringify(old)} in:\n${text}`);
    return result.replaceAll(old, replacement);
  }, text);
}

/**
 * Writes deploy/haproxy.cfg with other ports and paths. Expects the certificate and its key in `<folder>/haproxy.pem`.
 * @returns the arguments of the program, which stays in the foreground
 */
export function configureHaproxy(folder: string, { http, https, instances, database }: HaproxyPorts): string[] {
  const whole = substitute(read('deploy/haproxy.cfg'), {
    // HAProxy needs two file descriptors for each connection, and doesn't start without them.
    'maxconn 5000': 'maxconn 400',
    '/run/haproxy/admin.sock mode': `${folder}/admin.sock mode`,
    'bind :80\n': `bind 127.0.0.1:${http}\n`,
    'bind :443 ssl crt /etc/ssl/private/courses.example.org.pem': `bind 127.0.0.1:${https} ssl crt ${folder}/haproxy.pem`,
  });
  const at = { instances: whole.indexOf('backend instances'), database: whole.indexOf('peers balancers') };
  // The script connects to test nodes with the tests' user.
  const check = path.join(folder, 'haproxy-node-check');
  const options = path.join(folder, 'node-check.cnf');
  writeFileSync(options, '[client]\nuser=coursectl\npassword=coursectl\n', { mode: 0o600 });
  const script =
    database?.check ?? substitute(read('deploy/haproxy-node-check'), { '/etc/haproxy/node-check.cnf': options });
  writeFileSync(check, script, { mode: 0o700 });
  const parts = [whole.slice(0, at.instances), withServers(whole.slice(at.instances, at.database), instances)];
  if (database)
    parts.push(
      substitute(withServers(whole.slice(at.database), database.nodes), {
        '127.0.0.1:3307': `127.0.0.1:${database.listen}`,
        '127.0.0.1:10024': `127.0.0.1:${database.peers}`,
        '/usr/local/bin/haproxy-node-check': check,
      }),
    );
  const file = path.join(folder, 'haproxy.cfg');
  writeFileSync(file, parts.join(''));
  return ['-db', '-f', file];
}

/** A running HAProxy. */
export interface Haproxy {
  /** Sends a command of the runtime API, and returns the response. */
  command(line: string): Promise<string>;
  /** Waits until a server, such as `instances/one`, has this status. */
  untilServer(server: string, status: 'UP' | 'DOWN'): Promise<void>;
  /** Process id. */
  pid: number;
  kill(): void;
  /** Returns the output. */
  log(): string;
}

/**
 * Starts HAProxy with deploy/haproxy.cfg.
 * @param former HAProxy that the new one replaces, as in a reload
 * @throws Error if HAProxy isn't installed
 */
export function startHaproxy(folder: string, ports: HaproxyPorts, former?: Haproxy): Haproxy {
  const binary = findServer(['haproxy']);
  if (binary === undefined) throw new Error('There is no haproxy.');
  const args = [...configureHaproxy(folder, ports), ...(former ? ['-sf', String(former.pid)] : [])];
  const child: ChildProcess = spawn(binary, args, { env: { PATH: searchPath }, stdio: ['ignore', 'ignore', 'pipe'] });
  const { pid } = child;
  if (pid === undefined) throw new Error('haproxy could not be started.');
  let output = '';
  child.stderr?.on('data', (data: Buffer) => {
    output = (output + data.toString()).slice(-20_000);
  });
  async function command(line: string): Promise<string> {
    const socket = connect(path.join(folder, 'admin.sock'));
    socket.end(`${line}\n`);
    return text(socket);
  }
  return {
    command,
    async untilServer(server, status) {
      const [proxy, name] = server.split('/');
      const deadline = performance.now() + scaled(20_000);
      for (;;) {
        // HAProxy creates the socket at its start.
        const lines = (await command('show stat').catch(() => '')).split('\n').map((line) => line.split(','));
        const column = lines[0]?.indexOf('status') ?? -1;
        const found = lines.find(([of, which]) => of === proxy && which === name)?.[column];
        // The status is "UP 1/2" while checks disagree.
        if (found === status) return;
        if (performance.now() > deadline) throw new Error(`${server} is ${found}, not ${status}:\n${output}`);
        await sleep(50);
      }
    },
    pid,
    kill: () => void child.kill('SIGKILL'),
    log: () => output,
  };
}
