import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { loadConfig } from '../../../src/config/config.js';
import { type RunningServer, type ServerOptions, startServer } from '../../../src/http/server/server.js';
import { createLogger } from '../../../src/logger.js';
import { type Context, createContext } from '../../../src/services/context.js';
import { testEnvironment } from '../../support/environment.js';
import { type Harness, useHarness } from '../../support/harness.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A connection of a test, with the received data. */
export interface Opened {
  socket: Socket;
  received(): string;
  closed: Promise<unknown>;
}

/** A service with settings of a test, which ends after the test. */
export interface ListeningService {
  harness: Harness;
  context: Context;
  server: RunningServer;
  url: string;
  /** Lines of the log. */
  logged: string[];
  start(settings?: Record<string, string>, options?: ServerOptions): Promise<void>;
  end(): Promise<void>;
  /** Opens a connection and sends text. @param from a loopback address */
  open(text?: string, from?: string): Promise<Opened>;
}

/** Gives the enclosing `describe` a service on its harness's database, with a separate data folder. */
export function useListeningService(): ListeningService {
  const harness = useHarness();
  const sockets: Socket[] = [];
  let folder: ReturnType<typeof temporaryFolder>;
  let isRunning = false;
  const service = {
    harness,
    logged: [] as string[],
    async start(settings: Record<string, string> = {}, options: ServerOptions = {}) {
      const env = { ...testEnvironment, DATABASE_URL: harness.databaseUrl, DATA_DIR: folder.path, PORT: '0' };
      const config = loadConfig({ env: { ...env, ...settings }, cwd: folder.path });
      const logger = createLogger('info', { write: (line: string) => void service.logged.push(line) });
      service.context = await createContext(config, logger, { hasher: harness.context.hasher });
      service.server = await startServer(service.context, options);
      service.url = service.server.url;
      isRunning = true;
    },
    async end() {
      if (!isRunning) return;
      isRunning = false;
      await service.server.close();
      await service.context.close();
    },
    async open(text = '', from = '127.0.0.1') {
      const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', localAddress: from });
      sockets.push(socket);
      let received = '';
      socket.on('data', (data) => {
        received += data.toString('latin1');
      });
      socket.on('error', () => undefined);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      await once(socket, 'connect');
      if (text !== '') socket.write(text);
      return { socket, received: () => received, closed };
    },
  } as ListeningService;
  beforeEach(() => {
    folder = temporaryFolder();
    service.logged.length = 0;
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await service.end();
    folder.remove();
  });
  return service;
}
