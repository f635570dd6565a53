import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Fault =
  | { kind: 'none' }
  /** Accepts everything, including new connections, and passes nothing on. */
  | { kind: 'black hole' }
  /** Delays everything in both directions. */
  | { kind: 'delay'; ms: number }
  /** Resets existing connections immediately, and new connections when they arrive. */
  | { kind: 'reset' }
  /** Cuts each connection after this number of further bytes from the server. */
  | { kind: 'cut'; bytes: number };

/** A TCP proxy that can simulate faults. */
export interface FaultyProxy {
  port: number;
  /** Port of the server on this machine, for new connections. */
  target: number;
  set(fault: Fault): void;
  /** Returns how often the current fault has occurred: on pieces of traffic, or connections. */
  struck(): number;
  /**
   * Called for each piece that a client sends. Decides whether to pass it, or to close the connection instead of passing
   * the piece or its response.
   */
  onSent: ((data: Buffer) => 'pass' | 'drop' | 'drop response') | undefined;
  close(): Promise<void>;
}

/** Starts a proxy in front of a server on this machine. */
export async function startProxy(targetPort: number): Promise<FaultyProxy> {
  let fault: Fault = { kind: 'none' };
  let struck = 0;
  const pairs = new Set<Pair>();
  const server = createServer((client) => {
    if (fault.kind === 'reset') {
      struck += 1;
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const pair = new Pair(client, connect(proxy.target, '127.0.0.1'));
    pairs.add(pair);
    client.once('close', () => pair.upstream.destroyed && pairs.delete(pair));
    pair.upstream.once('close', () => pairs.delete(pair));
  });

  class Pair {
    /** A connection that has lost a piece never recovers, because its ends wait for different bytes. */
    private lost = false;
    private dropsResponse = false;
    private left = fault.kind === 'cut' ? fault.bytes : 0;

    constructor(
      readonly client: Socket,
      readonly upstream: Socket,
    ) {
      client.setNoDelay(true);
      upstream.setNoDelay(true);
      this.pass(client, upstream);
      this.pass(upstream, client);
    }

    meet(next: Fault): void {
      // TCP repeats the end of a connection, so it arrives after the fault.
      if (next.kind === 'none' && this.lost && this.client.destroyed) {
        this.upstream.destroy();
        pairs.delete(this);
      }
      if (next.kind === 'reset') {
        struck += 1;
        this.end();
      }
      if (next.kind === 'cut') this.left = next.bytes;
    }

    private pass(from: Socket, to: Socket): void {
      from.on('data', (data: Buffer) => {
        const fate = from === this.client ? proxy.onSent?.(data) : this.dropsResponse ? 'drop' : 'pass';
        this.dropsResponse ||= fate === 'drop response';
        if (fate === 'drop') this.end();
        else this.forward(data, to);
      });
      from.on('error', () => this.later(() => to.destroy()));
      from.on('close', () => this.later(() => to.destroy()));
    }

    private forward(data: Buffer, to: Socket): void {
      if (fault.kind === 'black hole') {
        this.lost = true;
        struck += 1;
      }
      if (this.lost) return;
      if (fault.kind === 'cut' && to === this.client) {
        this.left -= data.length;
        if (this.left < 0) {
          struck += 1;
          to.write(data.subarray(0, data.length + this.left), () => this.end());
          return;
        }
      }
      this.later(() => to.write(data));
    }

    private later(action: () => void): void {
      // A black hole also swallows the end of a connection.
      if (this.lost) return;
      if (fault.kind === 'delay') {
        struck += 1;
        setTimeout(action, fault.ms);
      } else action();
    }

    end(): void {
      this.client.resetAndDestroy();
      this.upstream.destroy();
    }
  }

  const proxy: FaultyProxy = {
    port: 0,
    target: targetPort,
    set(next) {
      fault = next;
      struck = 0;
      for (const pair of pairs) pair.meet(next);
    },
    struck: () => struck,
    onSent: undefined,
    async close() {
      for (const pair of pairs) pair.end();
      server.close();
      await once(server, 'close');
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server on a TCP port has an address of this type.
  proxy.port = (server.address() as AddressInfo).port;
  return proxy;
}
