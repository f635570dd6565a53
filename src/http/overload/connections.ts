import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { networkOf } from '../../network.js';

/** Connections of a server, and their current requests. */
export interface Connections {
  /**
   * Tracks a request until it is received and its response is sent. Pipelined requests of a connection begin one after the
   * other, each after the previous response.
   */
  track(request: IncomingMessage, response: ServerResponse, begin: () => void): void;
  /**
   * Stops reading the connection for some milliseconds after a refusal with Retry-After. Doesn't pause connections of a trusted
   * proxy, because their next request may come from another client.
   */
  pauseReadingAfter(request: IncomingMessage, milliseconds: number): void;
  /** Accepts no more connections, and ends each connection when it is idle. */
  end(): Promise<void>;
  /** Number of open connections. */
  count(): number;
}

export interface ConnectionLimits {
  total: number;
  /** Maximum per address (IPv6: network), except for trusted proxies. */
  perAddress: number;
  isTrusted(address: string): boolean;
  /** Called for each connection that is closed because of these limits. */
  onClosed?(): void;
}

/** Maximum pipelined requests of a connection; a connection with more is closed. */
const maxPipelined = 32;
/**
 * Connections above the limit that Node still accepts. {@link trackConnections} closes idle connections, so that Node
 * reaches this margin only if all connections are busy.
 */
const evictionMargin = 200;

interface Connection {
  socket: Socket;
  /** Undefined for a trusted proxy. */
  network: string | undefined;
  hasServed: boolean;
  responses: Set<ServerResponse>;
  /** Pipelined requests that have not begun. */
  queuedRequests: (() => void)[];
  /** Pause of reading when the connection becomes idle, in milliseconds. */
  pauseMs: number | undefined;
}

/** Connections, the longest idle first. */
type Group = Set<Connection>;

export function trackConnections(server: Server, limits: ConnectionLimits): Connections {
  const { total, perAddress, isTrusted, onClosed } = limits;
  const bySocket = new WeakMap<Socket, Connection>();
  const all: Group = new Set();
  const byNetwork = new Map<string, Group>();
  let isEnding = false;
  server.maxConnections = total + evictionMargin;

  function groupsOf({ network }: Connection): Group[] {
    if (network === undefined) return [all];
    const own = byNetwork.get(network) ?? new Set();
    byNetwork.set(network, own);
    return [all, own];
  }

  function add(connection: Connection): void {
    for (const group of groupsOf(connection)) group.add(connection);
  }

  function remove(connection: Connection): void {
    for (const group of groupsOf(connection)) group.delete(connection);
    const { network } = connection;
    if (network !== undefined && byNetwork.get(network)?.size === 0) byNetwork.delete(network);
  }

  /** Closes the connection that was idle longest, or the new connection if none is idle. */
  function evict(group: Group, newest: Connection): void {
    let oldest = newest;
    for (const connection of group) {
      if (connection.responses.size > 0) continue;
      oldest = connection;
      break;
    }
    remove(oldest);
    oldest.socket.destroy();
    onClosed?.();
  }

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    const network = remoteAddress === undefined || isTrusted(remoteAddress) ? undefined : networkOf(remoteAddress);
    const initialState = {
      hasServed: false,
      responses: new Set<ServerResponse>(),
      queuedRequests: [],
      pauseMs: undefined,
    };
    const connection: Connection = { socket, network, ...initialState };
    const [, own] = groupsOf(connection);
    if (own && own.size >= perAddress) evict(own, connection);
    if (!socket.destroyed && all.size >= total) evict(all, connection);
    if (socket.destroyed) return remove(connection);
    bySocket.set(socket, connection);
    add(connection);
    socket.once('close', () => {
      remove(connection);
      connection.queuedRequests.length = 0;
      // Node closes the response being sent, but not those to later pipelined requests, so their `close` listeners would
      // never run.
      process.nextTick(() => {
        for (const response of [...connection.responses].filter(({ closed }) => !closed))
          response.destroy().emit('close');
      });
    });
  });

  function setIdle(connection: Connection): void {
    const { socket, pauseMs } = connection;
    if (isEnding) return void socket.destroy();
    if (socket.destroyed) return;
    // Moves the connection to the end of its groups.
    remove(connection);
    add(connection);
    if (pauseMs === undefined) return;
    connection.pauseMs = undefined;
    socket.pause();
    setTimeout(() => socket.resume(), pauseMs).unref();
  }

  return {
    track(request, response, begin) {
      const connection = bySocket.get(request.socket);
      if (!connection || request.socket.destroyed) return;
      const { socket, responses, queuedRequests } = connection;
      if (responses.size >= maxPipelined) {
        onClosed?.();
        return void socket.destroy();
      }
      const done = () => {
        responses.delete(response);
        // Serves other connections between two pipelined requests.
        if (responses.size > 0) setImmediate(() => queuedRequests.shift()?.());
        else setIdle(connection);
      };
      connection.hasServed = true;
      responses.add(response);
      // After an early response, the rest of the request must be read. Otherwise the client may never see the response.
      response.once('close', () => (request.complete ? done() : request.once('close', done)));
      if (responses.size === 1) begin();
      else queuedRequests.push(begin);
    },

    pauseReadingAfter({ socket }, milliseconds) {
      const connection = bySocket.get(socket);
      const { remoteAddress } = socket;
      if (connection && remoteAddress !== undefined && !isTrusted(remoteAddress)) connection.pauseMs = milliseconds;
    },

    async end() {
      isEnding = true;
      // HTTP servers' own `close` would end responses that are written but not completely read.
      const ended = new Promise<void>((resolve) => TcpServer.prototype.close.call(server, () => resolve()));
      // The time limit for requests ends connections without a request.
      for (const { socket, responses, hasServed } of all) if (hasServed && responses.size === 0) socket.destroy();
      await ended;
    },

    count: () => all.size,
  };
}
