import { isIPv6, SocketAddress } from 'node:net';

/**
 * Returns the URL of a service for clients on the same machine. `0.0.0.0` and `::`, which mean all addresses, become the
 * loopback address.
 */
export function localUrl(host: string, port: number): string {
  const reached = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1', localhost: '127.0.0.1' }[host] ?? host;
  return `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
}

/** Whether a host name, or an IPv6 address in brackets, is a loopback address of this machine (RFC 6761, section 6.3). */
export const isLoopback = (hostname: string): boolean =>
  /^(localhost|[\w.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:(127(\.\d{1,3}){3}|7f[\da-f]{2}:[\da-f]{1,4})\])$/i.test(
    hostname,
  );

/** Prefix length of the IPv6 network that a provider assigns to one customer, in bits. */
const ipv6CustomerBits = 56;

/**
 * Returns the network of a client: the first 56 bits of an IPv6 address, or an IPv4 address, also if it is mapped to IPv6.
 */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  // SocketAddress normalizes the notation.
  const { address } = new SocketAddress({ address: ip.split('%')[0] ?? ip, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const bits = [...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join('');
  return `${bits.slice(0, ipv6CustomerBits / 4)}/${ipv6CustomerBits}`;
}
