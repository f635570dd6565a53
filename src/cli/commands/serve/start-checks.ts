import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../../../config/config.js';
import { AppError } from '../../../errors.js';
import { listen } from '../../../listen.js';
import { readLogo } from '../../../services/certificates/logo.js';
import type { Context } from '../../../services/context.js';
import { assertSecretReadable } from '../../../services/credentials/tokens.js';
import { runningService } from '../../core/running-service.js';

function logo(config: Config): string {
  const found = readLogo(config);
  return found === undefined ? 'none' : `${config.programme.logo} (${found.contentType})`;
}

/** @throws AppError `PORT_UNAVAILABLE` */
async function address(config: Config): Promise<string> {
  const { host, port } = config.http;
  const url = await runningService(config);
  if (url !== undefined)
    throw new AppError(
      'PORT_UNAVAILABLE',
      `A coursectl service is running at ${url} already. Use it, stop it, or set PORT to another port.`,
    );
  const server = createServer();
  await listen(server, host, port);
  server.close();
  await once(server, 'close');
  return `port ${port} on ${host} can be opened`;
}

type StartCheck = 'logo' | 'signing secret' | 'file storage' | 'address';

/**
 * Checks of `serve` before it listens. `doctor` runs them, too. They write nothing and need no database. Each returns its
 * finding; an AppError prevents the start.
 */
export const startChecks: Readonly<Record<StartCheck, (context: Context) => Promise<string>>> = {
  logo: async ({ config }) => logo(config),
  async 'signing secret'({ config }) {
    assertSecretReadable(config);
    return 'readable';
  },
  async 'file storage'({ storage }) {
    await storage.load();
    return storage.location;
  },
  address: ({ config }) => address(config),
};
