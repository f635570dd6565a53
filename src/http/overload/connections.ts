import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { networkOf } from '../../network.js';

/** The connections of a server and the requests under way on them. */
export interface Connections {
  /**
   * Tracks a request until it is received and its response is sent. Pipelined requests of a connection begin one after the
   * other, as they are answered.
   */
  track(request: IncomingMessage, response: ServerResponse, begin: () => void): void;
  /**
   * Reads no further request of the connection for so many milliseconds after the response, which has told its client to come
   * back later. Connections of a trusted proxy are read on: their next request may be another client's.
   */
  pauseReadingAfter(request: IncomingMessage, milliseconds: number): void;
  /** Accepts no more connections, and ends each as soon as it is idle. */
  end(): Promise<void>;
  /** Number of open connections. */
  count(): number;
}

export interface ConnectionLimits {
  total: number;
  /** From one address (IPv6: its network), unless it is that of a trusted proxy. */
  perAddress: number;
  isTrusted(address: string): boolean;
  /** Told of each connection that is closed for these limits. */
  onClosed?(): void;
}

/** Pipelined requests on one connection; one that sends more is closed. */
const maxPipelined = 32;
/** Node closes connections beyond these; eviction keeps the number below unless all are busy. */
const evictionMargin = 200;

interface Connection {
  socket: Socket;
  /** Undefined for a trusted proxy. */
  network: string | undefined;
  hasServed: boolean;
  responses: Set<ServerResponse>;
  /** Requests that wait for those before them on the connection. */
  line: (() => void)[];
  /** For how long it isn't read once it is idle, in milliseconds. */
  pauseMs: number | undefined;
}

/** Connections, those that have been idle for longest at the beginning. */
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

  /** Of too many connections the one that has been idle for longest gives way; where none is, the new one does. */
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
    const initialState = { hasServed: false, responses: new Set<ServerResponse>(), line: [], pauseMs: undefined };
    const connection: Connection = { socket, network, ...initialState };
    const [, own] = groupsOf(connection);
    if (own && own.size >= perAddress) evict(own, connection);
    if (!socket.destroyed && all.size >= total) evict(all, connection);
    if (socket.destroyed) return remove(connection);
    bySocket.set(socket, connection);
    add(connection);
    socket.once('close', () => {
      remove(connection);
      connection.line.length = 0;
      // Node closes the response being sent, but not those to later pipelined requests: their `close` listeners would
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
    // Behind those that have been idle for longer.
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
      const { socket, responses, line } = connection;
      if (responses.size >= maxPipelined) {
        onClosed?.();
        return void socket.destroy();
      }
      const done = () => {
        responses.delete(response);
        // Others are served between two of them.
        if (responses.size > 0) setImmediate(() => line.shift()?.());
        else setIdle(connection);
      };
      connection.hasServed = true;
      responses.add(response);
      // After an early response the rest of the request must still be read, or the client may never see the response.
      response.once('close', () => (request.complete ? done() : request.once('close', done)));
      if (responses.size === 1) begin();
      else line.push(begin);
    },

    pauseReadingAfter({ socket }, milliseconds) {
      const connection = bySocket.get(socket);
      const { remoteAddress } = socket;
      if (connection && remoteAddress !== undefined && !isTrusted(remoteAddress)) connection.pauseMs = milliseconds;
    },

    async end() {
      isEnding = true;
      // Not as an HTTP server closes: that breaks off responses which are written, but not all read yet.
      const ended = new Promise<void>((resolve) => TcpServer.prototype.close.call(server, () => resolve()));
      // Connections without a request yet are ended by the time limit for it.
      for (const { socket, responses, hasServed } of all) if (hasServed && responses.size === 0) socket.destroy();
      await ended;
    },

    count: () => all.size,
  };
}
