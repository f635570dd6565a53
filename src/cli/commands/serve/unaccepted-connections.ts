import type { Worker } from 'node:cluster';

/** What Node's `cluster` sends to a worker and gets back; not documented. */
interface ClusterMessage {
  cmd?: string;
  act?: string;
  seq?: number;
  ack?: number;
}

/** A connection of the operating system. */
interface ConnectionHandle {
  close(): void;
}

/**
 * Gives connections that a killed worker was offered, and hasn't accepted, to the other workers. Node keeps them open for ever
 * without reading them: their clients would wait. A worker reads nothing of a connection before it has accepted it. Should a
 * version of Node number its messages in another way, nothing is found here, and it is as Node has it.
 * @param othersListen whether there are workers to take them; otherwise they are closed
 */
export function returnUnaccepted({ process: channel }: Worker, othersListen: () => boolean): void {
  const offered = new Map<number, ConnectionHandle>();
  const send = channel.send.bind(channel) as (...args: unknown[]) => boolean;
  channel.send = (...args: unknown[]) => {
    // Each was given by `cluster`, or is a message of this program.
    const [message, handle] = args as [ClusterMessage, ConnectionHandle | undefined];
    if (message.cmd === 'NODE_CLUSTER' && message.act === 'newconn' && message.seq !== undefined && handle)
      offered.set(message.seq, handle);
    return send(...args);
  };
  channel.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) offered.delete(ack);
  });
  // After the last of its answers was read. There is no `disconnect` when it died with a connection that was on its way.
  channel.once('close', () => {
    for (const [seq, handle] of offered) {
      // As a worker that is closing refuses them.
      if (othersListen()) channel.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false });
      else handle.close();
    }
    offered.clear();
  });
}
