import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';

/** The connections of a server, by what is under way on them. */
export interface Connections {
  /** Knows of a request until all of it has come, and all of its answer has gone. */
  track(request: IncomingMessage, response: ServerResponse): void;
  /** Takes no more connections, and ends those that there are as soon as nothing is under way on them. */
  end(): Promise<void>;
}

export function trackConnections(server: Server): Connections {
  const underWay = new Map<Socket, Set<ServerResponse>>();
  let isEnding = false;

  function remember(socket: Socket): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    underWay.set(socket, responses);
    socket.once('close', () => {
      underWay.delete(socket);
      // Node closes the answer whose turn it is. Those to requests that came behind it on the same connection it forgets,
      // and whoever waits for their end would wait for ever.
      process.nextTick(() => {
        for (const response of [...responses].filter(({ closed }) => !closed)) response.destroy().emit('close');
      });
    });
    return responses;
  }

  return {
    track(request, response) {
      const { socket } = request;
      const responses = underWay.get(socket) ?? remember(socket);
      const done = () => {
        responses.delete(response);
        if (isEnding && responses.size === 0) socket.destroy();
      };
      responses.add(response);
      // Answered early, what is still coming has to come: else the client may never see the answer.
      response.once('close', () => (request.complete ? done() : request.once('close', done)));
    },

    async end() {
      isEnding = true;
      // Not as an HTTP server closes: that breaks off answers which are written, but not all taken yet. Connections
      // without a request are ended by the time limit for it.
      const ended = new Promise<void>((resolve) => TcpServer.prototype.close.call(server, () => resolve()));
      for (const [socket, responses] of underWay) if (responses.size === 0) socket.destroy();
      await ended;
    },
  };
}
