import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The sockets that a process has open, by their number in the kernel. */
function socketsOf(pid: number): Set<string> {
  const sockets = new Set<string>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`)) ?? [];
      if (inode !== undefined) sockets.add(inode);
    } catch {
      // It was closed meanwhile.
    }
  }
  return sockets;
}

/** The ports of the clients whose IPv4 connections to a local port a process has, as the kernel knows them. */
export function clientPortsOf(pid: number, port: number): Set<number> {
  const sockets = socketsOf(pid);
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1).filter(Boolean);
  return new Set(
    rows.flatMap((row) => {
      const [, local = '', remote = '', , , , , , , inode = ''] = row.trim().split(/\s+/);
      const isOurs = Number.parseInt(local.split(':')[1] ?? '', 16) === port && sockets.has(inode);
      return isOurs ? [Number.parseInt(remote.split(':')[1] ?? '', 16)] : [];
    }),
  );
}
