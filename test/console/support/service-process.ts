import type { Ran } from '../../support/built-program.js';
import { type Running, type Surroundings, useSubprocesses } from '../../support/subprocess.js';
import { freePort } from '../../support/test-server.js';

/** The service with the console in a process of its own, always at the same address. */
export interface ServiceProcess {
  /** Its address. */
  url: string;
  /** Starts it, and waits until it listens. */
  start(): Promise<void>;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
  /** Ends it as an operator does. */
  stop(): Promise<Ran>;
}

/** Gives the enclosing `describe` the built service to start and kill. @param surroundings where it runs, and with what */
export function useServiceProcess(surroundings: () => Surroundings): ServiceProcess {
  const subprocesses = useSubprocesses();
  let running: Running | undefined;
  let port: number;

  beforeEach(async () => {
    running = undefined;
    port = await freePort();
    service.url = `http://localhost:${port}`;
  });

  async function end(signal: NodeJS.Signals): Promise<Ran> {
    if (!running) throw new Error('The service was not started.');
    running.kill(signal);
    return running.ended;
  }

  const service: ServiceProcess = {
    url: '',
    async start() {
      running = subprocesses.start(['serve', '--json', '--host', '127.0.0.1', '--port', String(port)], surroundings());
      await running.says(/\{"url":/);
    },
    async kill() {
      // Ended by a signal, it has no exit code.
      await end('SIGKILL').catch((error: unknown) => {
        if (!/SIGKILL/.test(String(error))) throw error;
      });
    },
    stop: () => end('SIGTERM'),
  };
  return service;
}
