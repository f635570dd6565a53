import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A server that refuses all clients with an error packet instead of a greeting, as MySQL and MariaDB do. */
export interface RefusingServer {
  port: number;
  close(): Promise<void>;
}

/**
 * Starts a refusing server on 127.0.0.1.
 * @param errno number of its error
 * @see https://mariadb.com/kb/en/err_packet/
 */
export async function startRefusingServer(errno: number, message: string): Promise<RefusingServer> {
  const text = Buffer.from(message);
  const packet = Buffer.alloc(7 + text.length);
  packet.writeUIntLE(3 + text.length, 0, 3);
  packet.writeUInt8(0xff, 4);
  packet.writeUInt16LE(errno, 5);
  text.copy(packet, 7);
  const server = createServer((socket) => {
    // A client may have disconnected already.
    socket.on('error', () => socket.destroy());
    socket.end(packet);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server has an address of this type.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}
