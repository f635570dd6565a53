import cluster from 'node:cluster';
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
  restAfter(request: IncomingMessage, milliseconds: number): void;
  /** Accepts no more connections; those that are open continue. */
  stopAccepting(): void;
  /** Accepts no more connections, and ends each as soon as it is idle. */
  end(): Promise<void>;
  /** Number of open connections. */
  count(): number;
}

/** How many connections there may be, and what may be under way on one. */
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
const slack = 200;

/** The sockets of an address, or of all: the idle ones in the order in which they became so. */
interface SocketGroup {
  all: Set<Socket>;
  idle: Set<Socket>;
}

const newGroup = (): SocketGroup => ({ all: new Set(), idle: new Set() });

/** Of too many connections the one that has been idle for longest gives way; where none is, the new one does. */
function boundConnections(server: Server, { total, perAddress, isTrusted, onClosed }: ConnectionLimits) {
  const allSockets = newGroup();
  const byNetwork = new Map<string, SocketGroup>();
  const groupsOf = new WeakMap<Socket, SocketGroup[]>();
  // Node would offer a connection that one worker refuses this way to the next, endlessly.
  if (!cluster.isWorker) server.maxConnections = total + slack;

  function evictAbove({ all, idle }: SocketGroup, most: number, socket: Socket): void {
    if (all.size <= most) return;
    const [oldest = socket] = idle;
    forget(oldest);
    oldest.destroy();
    onClosed?.();
  }

  function forget(socket: Socket): void {
    for (const { all, idle } of groupsOf.get(socket) ?? []) {
      all.delete(socket);
      idle.delete(socket);
    }
  }

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    const network = remoteAddress === undefined || isTrusted(remoteAddress) ? undefined : networkOf(remoteAddress);
    const own = network === undefined ? undefined : (byNetwork.get(network) ?? newGroup());
    if (own && network !== undefined) byNetwork.set(network, own);
    groupsOf.set(socket, own ? [allSockets, own] : [allSockets]);
    socket.once('close', () => {
      forget(socket);
      if (network !== undefined && own?.all.size === 0 && byNetwork.get(network) === own) byNetwork.delete(network);
    });
    if (own) evictAbove(own, perAddress - 1, socket);
    if (!socket.destroyed) evictAbove(allSockets, total - 1, socket);
    if (socket.destroyed) return;
    for (const { all, idle } of groupsOf.get(socket) ?? []) {
      all.add(socket);
      idle.add(socket);
    }
  });

  return {
    setBusy(socket: Socket) {
      for (const { idle } of groupsOf.get(socket) ?? []) idle.delete(socket);
    },
    setIdle(socket: Socket) {
      for (const { all, idle } of groupsOf.get(socket) ?? []) if (all.has(socket)) idle.add(socket);
    },
    count: () => allSockets.all.size,
  };
}

/** What is under way on a connection. */
interface UnderWay {
  responses: Set<ServerResponse>;
  /** Requests that wait for those before them on the connection. */
  line: (() => void)[];
}

export function trackConnections(server: Server, limits: ConnectionLimits): Connections {
  const bound = boundConnections(server, limits);
  const underWay = new Map<Socket, UnderWay>();
  /** For how long connections aren't read once they are idle, in milliseconds. */
  const rests = new WeakMap<Socket, number>();
  let isEnding = false;
  /** Settles when the last connection has ended. */
  let ended: Promise<void> | undefined;

  function remember(socket: Socket): UnderWay {
    const { responses, line }: UnderWay = { responses: new Set(), line: [] };
    underWay.set(socket, { responses, line });
    socket.once('close', () => {
      underWay.delete(socket);
      line.length = 0;
      // Node closes the response being sent, but not those to later pipelined requests: their `close` listeners would
      // never run.
      process.nextTick(() => {
        for (const response of [...responses].filter(({ closed }) => !closed)) response.destroy().emit('close');
      });
    });
    return { responses, line };
  }

  function setIdle(socket: Socket): void {
    bound.setIdle(socket);
    const restMs = rests.get(socket);
    if (restMs === undefined) return;
    rests.delete(socket);
    socket.pause();
    setTimeout(() => socket.resume(), restMs).unref();
  }

  /** Not as an HTTP server closes: that breaks off answers which are written, but not all taken yet. */
  function stopAccepting(): Promise<void> {
    ended ??= new Promise<void>((resolve) => TcpServer.prototype.close.call(server, () => resolve()));
    return ended;
  }

  return {
    stopAccepting: () => void stopAccepting(),

    track(request, response, begin) {
      const { socket } = request;
      if (socket.destroyed) return;
      const { responses, line } = underWay.get(socket) ?? remember(socket);
      if (responses.size >= maxPipelined) {
        limits.onClosed?.();
        return void socket.destroy();
      }
      const done = () => {
        responses.delete(response);
        // Others are served between two of them.
        if (responses.size > 0) setImmediate(() => line.shift()?.());
        else if (isEnding) socket.destroy();
        else setIdle(socket);
      };
      if (responses.size === 0) bound.setBusy(socket);
      responses.add(response);
      // After an early answer the rest of the request must still be read, or the client may never see the answer.
      response.once('close', () => (request.complete ? done() : request.once('close', done)));
      if (responses.size === 1) begin();
      else line.push(begin);
    },

    restAfter({ socket }, milliseconds) {
      const { remoteAddress } = socket;
      if (!isEnding && remoteAddress !== undefined && !limits.isTrusted(remoteAddress)) rests.set(socket, milliseconds);
    },

    async end() {
      isEnding = true;
      const all = stopAccepting();
      // Connections without a request are ended by the time limit for it.
      for (const [socket, { responses }] of underWay) if (responses.size === 0) socket.destroy();
      await all;
    },

    count: bound.count,
  };
}
