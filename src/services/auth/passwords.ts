import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { AppError } from '../../errors.js';

/** bcrypt, off the event loop, on all cores. */
export interface PasswordHasher {
  /** @throws AppError `OVERLOADED` when too many hashes wait already */
  hash(password: string, cost: number): Promise<string>;
  /** False as well for a hash that isn't one. @throws AppError `OVERLOADED` */
  compare(password: string, hash: string): Promise<boolean>;
  /** Which implementation does the work. */
  readonly implementation: 'native' | 'bcryptjs';
  close(): Promise<void>;
}

type Bcrypt = Pick<PasswordHasher, 'hash' | 'compare' | 'implementation' | 'close'>;

/** Hashes that may wait for each core before callers are turned away: bounds how long a login can queue. */
const waitingPerCore = 64;
/** So many may wait in any case: a class that signs in at once is served. */
const waitingAtLeast = 256;

/** The native implementation, or nothing where it has no build for this machine. */
async function nativeBcrypt(): Promise<Bcrypt | undefined> {
  try {
    const bcrypt = await import('@node-rs/bcrypt');
    return {
      implementation: 'native',
      hash: (password, cost) => bcrypt.hash(password, cost),
      compare: (password, hash) => bcrypt.verify(password, hash),
      close: async () => undefined,
    };
  } catch {
    // An optional dependency: any failure to load it means the same, that bcryptjs does the work.
    return undefined;
  }
}

/** The worker beside this file. Node 20 hands loaders on to no thread: from source, in .ts, it needs one of its own. */
function bcryptjsWorker(): { filename: string; execArgv?: string[] } {
  const extension = path.extname(import.meta.url);
  const filename = fileURLToPath(new URL(`./bcryptjs-worker${extension}`, import.meta.url));
  if (extension === '.js') return { filename };
  return { filename, execArgv: ['--require', createRequire(import.meta.url).resolve('tsx/cjs')] };
}

/** bcryptjs blocks the thread it runs on, even in its asynchronous form: so it runs in worker threads. */
async function workerBcrypt(threads: number): Promise<Bcrypt> {
  const { Piscina } = await import('piscina');
  const pool = new Piscina({ ...bcryptjsWorker(), name: 'hash', minThreads: 0, maxThreads: threads });
  return {
    implementation: 'bcryptjs',
    // What bcryptjs-worker.ts returns; piscina doesn't know its types.
    hash: (password, cost) => pool.run({ password, cost }, { name: 'hash' }) as Promise<string>,
    compare: (password, hash) => pool.run({ password, hash }, { name: 'compare' }) as Promise<boolean>,
    close: () => pool.destroy(),
  };
}

/**
 * Makes the hasher: as many hashes at once as there are cores, a bounded queue behind them.
 * @param only leaves no choice of implementation, for measurements and tests
 */
export async function createPasswordHasher(only?: PasswordHasher['implementation']): Promise<PasswordHasher> {
  const cores = os.availableParallelism();
  const bcrypt = (only === 'bcryptjs' ? undefined : await nativeBcrypt()) ?? (await workerBcrypt(cores));
  const limit = pLimit(cores);
  function queued<T>(work: () => Promise<T>): Promise<T> {
    if (limit.pendingCount >= Math.max(waitingAtLeast, waitingPerCore * cores))
      return Promise.reject(new AppError('OVERLOADED'));
    return limit(work);
  }
  return {
    implementation: bcrypt.implementation,
    hash: (password, cost) => queued(() => bcrypt.hash(password, cost)),
    compare: (password, hash) => queued(() => bcrypt.compare(password, hash)),
    close: () => bcrypt.close(),
  };
}

/**
 * The lowest cost bcrypt has, for generated passwords only: their 100 bits of entropy can't be searched however fast
 * the hash is, and the login that uses one forces its replacement, which is hashed at the full cost.
 */
export const generatedPasswordCost = 4;

// Crockford's base 32: without i, l, o and u, no sign can be misread for another.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** An initial password of 20 characters, 100 bits, as `xxxxx-xxxxx-xxxxx-xxxxx`. */
export function generatePassword(): string {
  const characters = Array.from(randomBytes(20), (byte) => alphabet[byte % alphabet.length]).join('');
  return characters.replace(/.{5}(?=.)/g, '$&-');
}
