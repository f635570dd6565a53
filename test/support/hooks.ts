import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Context, RootHookObject } from 'mocha';
import { closeAll } from './last-test.js';

/** Duration of one test file, in milliseconds. */
export interface FileDuration {
  file: string;
  wall: number;
  /** Processor time of the process and of its ended children; 0 without /proc. */
  cpu: number;
  children: number;
}

const durations = process.env.TEST_DURATIONS;
const isWorker = process.env.MOCHA_WORKER_ID !== undefined;

/** The kernel counts processor time in hundredths of a second. */
const tickMs = 10;

function childrenCpu(): number {
  if (!existsSync('/proc/self/stat')) return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // Fields after the program's name, which may contain any character. The state is field 3, the times of children are
  // fields 16 and 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * tickMs;
}

function now(): Omit<FileDuration, 'file'> {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now(), cpu: (user + system) / 1000, children: childrenCpu() };
}

let begun = now();
let file = '';

const rethrow = (reason: unknown): never => {
  throw reason;
};

/** Hooks that run for each test file if files run in parallel. */
export const mochaHooks: RootHookObject = {
  beforeAll(this: Context) {
    // Mocha's workers leave unhandled rejections to other listeners, and remove these listeners after each file.
    if (isWorker) process.on('unhandledRejection', rethrow);
    file = this.test?.parent?.suites[0]?.file ?? '';
    begun = now();
  },
  async afterAll() {
    if (durations !== undefined) {
      const { wall, cpu, children } = now();
      const duration: FileDuration = {
        file,
        wall: wall - begun.wall,
        cpu: cpu - begun.cpu,
        children: children - begun.children,
      };
      appendFileSync(durations, `${JSON.stringify(duration)}\n`);
    }
    // Workers use the same database for the next file. `test/run.ts` removes all databases.
    if (!isWorker) await closeAll();
  },
};
