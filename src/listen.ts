import type { AddressInfo, Server } from 'node:net';
import { AppError, systemErrorCode } from './errors.js';

/** Maximum connections waiting to be accepted. Beyond it, the system drops connections, and clients retry after seconds. */
const backlog = 2048;

const unresolved = "can't be opened: HOST is not a name that resolves";

const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program. Stop it, or set PORT to another one',
  EACCES: "can't be opened by this user. Set PORT to 1024 or higher",
  EADDRNOTAVAIL: "can't be opened: HOST is not an address of this machine",
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
};

/** Starts listening. @throws AppError `PORT_UNAVAILABLE` */
export async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  }).catch((error: unknown) => {
    const reason = listenFailures[systemErrorCode(error) ?? ''];
    if (reason === undefined) throw error;
    throw new AppError('PORT_UNAVAILABLE', `Port ${port} on ${host} ${reason}.`, { cause: error });
  });
  // A server on a host and port always has an AddressInfo.
  return server.address() as AddressInfo;
}
