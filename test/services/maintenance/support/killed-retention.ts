import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testEnvironment } from '../../../support/environment.js';
import type { Harness } from '../../../support/harness.js';
import { type Running, useSubprocesses } from '../../../support/subprocess.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

/** Runs of a command that exports old rows, as processes that are killed; each test has a folder of its own. */
export interface KilledRetention {
  /** Runs the command to its end. */
  run(): Running['ended'];
  /** Kills a run as soon as it has come so far, and frees its lease. */
  killWhen(reached: () => Promise<boolean>): Promise<void>;
  /** The names of the files of exports. */
  names(): string[];
  /** The complete lines of a file. */
  linesOf(name: string): string[];
}

/**
 * @param words of the command
 * @param settings environment variables for it
 */
export function useKilledRetention(
  harness: Harness,
  words: readonly string[],
  settings: Record<string, string>,
): KilledRetention {
  const processes = useSubprocesses();
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());
  const start = () => {
    const env = { ...testEnvironment, DATABASE_URL: harness.databaseUrl, DATA_DIR: folder.path, ...settings };
    return processes.start([...words, '--yes', '--json'], { cwd: folder.path, env });
  };
  const archive = () => path.join(folder.path, 'retention');
  const names = () => (existsSync(archive()) ? readdirSync(archive()) : []);
  return {
    run: () => start().ended,
    async killWhen(reached) {
      const running = start();
      let isOver = false;
      const ended = running.ended.then(
        () => {
          isOver = true;
        },
        () => undefined,
      );
      while (!isOver && !(await reached())) await sleep(1);
      running.kill('SIGKILL');
      await ended;
      await harness.context.database.sequelize.query("UPDATE leases SET expires_at = 0 WHERE name = 'retention'");
    },
    names,
    linesOf: (name) => readFileSync(path.join(archive(), name), 'utf8').split('\n').slice(0, -1),
  };
}
