import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { read } from '../deploy/files.js';
import { scaled } from './machine.js';
import { findServer, searchPath } from './test-server.js';

/** Where HAProxy listens and what it leads to, instead of what its file in this repository names. All on this machine. */
export interface HaproxyPorts {
  http: number;
  https: number;
  /** Of the instances, in the order of their servers. */
  instances: readonly number[];
  /** Where it takes connections to the database and those of its peers, and where the nodes are; absent: none is used. */
  database?: {
    listen: number;
    peers: number;
    nodes: readonly number[];
    /** A script that checks a node, instead of that of this repository. */
    check?: string;
  };
}

const names = ['one', 'two', 'three'];

/** The lines of the servers, with ports of this machine; those without a port are left out. */
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
 * Writes the file of this repository for HAProxy, with other ports and places of files. The certificate and its key are
 * expected in `<folder>/haproxy.pem`.
 * @returns the arguments of the program, which stays in the foreground
 */
export function configureHaproxy(folder: string, { http, https, instances, database }: HaproxyPorts): string[] {
  const whole = read('deploy/haproxy.cfg')
    // It takes two file descriptors for each, and doesn't start without them.
    .replace('maxconn 5000', 'maxconn 400')
    .replace('/run/haproxy/admin.sock mode', `${folder}/admin.sock mode`)
    .replace('bind :80\n', `bind 127.0.0.1:${http}\n`)
    .replace(
      'bind :443 ssl crt /etc/ssl/private/courses.example.org.pem',
      `bind 127.0.0.1:${https} ssl crt ${folder}/haproxy.pem`,
    );
  const at = { instances: whole.indexOf('backend instances'), database: whole.indexOf('peers balancers') };
  // With nodes of tests it asks as their user.
  const check = path.join(folder, 'haproxy-node-check');
  const options = path.join(folder, 'node-check.cnf');
  writeFileSync(options, '[client]\nuser=coursectl\npassword=coursectl\n', { mode: 0o600 });
  const script = database?.check ?? read('deploy/haproxy-node-check').replace('/etc/haproxy/node-check.cnf', options);
  writeFileSync(check, script, { mode: 0o700 });
  const parts = [whole.slice(0, at.instances), withServers(whole.slice(at.instances, at.database), instances)];
  if (database)
    parts.push(
      withServers(whole.slice(at.database), database.nodes)
        .replace('127.0.0.1:3307', `127.0.0.1:${database.listen}`)
        .replace('127.0.0.1:10024', `127.0.0.1:${database.peers}`)
        .replace('/usr/local/bin/haproxy-node-check', check),
    );
  const file = path.join(folder, 'haproxy.cfg');
  writeFileSync(file, parts.join(''));
  return ['-db', '-f', file];
}

/** A running HAProxy. */
export interface Haproxy {
  /** Sends a command of its runtime API. @returns what it answers */
  command(line: string): Promise<string>;
  /** Waits until it takes a server, such as `instances/one`, for up or down. */
  untilServer(server: string, status: 'UP' | 'DOWN'): Promise<void>;
  /** Of its process. */
  pid: number;
  kill(): void;
  /** What it wrote. */
  log(): string;
}

/**
 * Starts it with the file of this repository.
 * @param former takes the place of this one, as a reload does
 * @throws where it isn't installed
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
        // It makes its socket at its start.
        const lines = (await command('show stat').catch(() => '')).split('\n').map((line) => line.split(','));
        const column = lines[0]?.indexOf('status') ?? -1;
        const found = lines.find(([of, which]) => of === proxy && which === name)?.[column];
        // While some checks differ it is "UP 1/2".
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
