import { createHash, randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createFairQueue } from '../../fair-queue.js';
import { threadFile } from '../../package-root.js';

/** Who waits for a hash. */
export interface HashRequest {
  /** Owners are served round robin: the network of a client, or the id of an account. */
  owner: string;
  /** Gives up a hash that isn't being computed yet. */
  signal?: AbortSignal | undefined;
  /** Is done before the hash, which then has its core; when it fails, nothing is computed. */
  before?: () => Promise<void>;
}

/** bcrypt on all cores, outside the event loop. */
export interface PasswordHasher {
  /** @throws AppError `OVERLOADED` when the queue is full, `INTERRUPTED` */
  hash(password: string, cost: number, request?: HashRequest): Promise<string>;
  /** False also for an invalid hash. @throws AppError `OVERLOADED`, `INTERRUPTED` */
  compare(password: string, hash: string, request?: HashRequest): Promise<boolean>;
  /** The implementation in use. */
  readonly implementation: 'native' | 'bcryptjs';
  /** Hashes that wait for a core. */
  waiting(): number;
  close(): Promise<void>;
}

interface Bcrypt extends Pick<PasswordHasher, 'implementation' | 'close'> {
  hash(password: string, cost: number): Promise<string>;
  compare(password: string, hash: string): Promise<boolean>;
}

/** What bcrypt reads of a password, in bytes. */
const bcryptBytes = 72;

/**
 * What bcrypt gets: the password, or where that is too long for it the base64 of its SHA-256, so that nothing is cut. The same
 * for what no password can be, which so takes as long and matches nothing.
 */
function bcryptInput(password: string): string {
  const isWellFormed = password.isWellFormed();
  if (isWellFormed && !password.includes('\0') && Buffer.byteLength(password) <= bcryptBytes) return password;
  // UTF-8 would make one character of all halves of surrogate pairs.
  return createHash('sha256')
    .update(password, isWellFormed ? 'utf8' : 'utf16le')
    .digest('base64');
}

/** A hash that no password matches: logins without an account, or without a password, take the same time as others. */
export const unmatchableHash = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;

/** The length of the queue for each core; limits how long a login waits. */
const queuedPerCore = 64;
/** The minimal length of the queue: ten classes may sign in at the same time, behind one address. */
const minQueued = 640;
/** How long a hash may wait, in milliseconds: longer than a full queue takes on two cores at the default cost. */
const waitMs = 180_000;

/** The native implementation; nothing when it has no build for this machine. */
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
    // The dependency is optional: after any failure to load it bcryptjs is used.
    return undefined;
  }
}

/** bcryptjs blocks its thread, even with its asynchronous functions, so it runs in worker threads. */
async function workerBcrypt(threads: number): Promise<Bcrypt> {
  const { Piscina } = await import('piscina');
  const pool = new Piscina({
    ...threadFile('services/credentials/bcryptjs-worker'),
    name: 'hash',
    minThreads: 0,
    maxThreads: threads,
  });
  return {
    implementation: 'bcryptjs',
    // Piscina doesn't know the return types of bcryptjs-worker.ts.
    hash: (password, cost) => pool.run({ password, cost }, { name: 'hash' }) as Promise<string>,
    compare: (password, hash) => pool.run({ password, hash }, { name: 'compare' }) as Promise<boolean>,
    close: () => pool.destroy(),
  };
}

/**
 * Creates the hasher: one hash per core at a time, and a bounded queue that is fair between those who wait.
 * @param only forces an implementation, for measurements and tests
 */
export async function createPasswordHasher(only?: PasswordHasher['implementation']): Promise<PasswordHasher> {
  const cores = availableParallelism();
  const bcrypt = (only === 'bcryptjs' ? undefined : await nativeBcrypt()) ?? (await workerBcrypt(cores));
  const entries = Math.max(minQueued, queuedPerCore * cores);
  const queue = createFairQueue({ capacity: cores, entries, waitMs });
  const queued = <T>({ owner, signal, before }: HashRequest, work: () => Promise<T>): Promise<T> =>
    queue.run({ owner, signal }, async () => {
      await before?.();
      return work();
    });
  const defaultRequest: HashRequest = { owner: '' };
  return {
    implementation: bcrypt.implementation,
    hash: (password, cost, request = defaultRequest) => queued(request, () => bcrypt.hash(bcryptInput(password), cost)),
    compare: (password, hash, request = defaultRequest) =>
      queued(request, () => bcrypt.compare(bcryptInput(password), hash)),
    waiting: () => queue.load().waiting,
    close: () => bcrypt.close(),
  };
}

/**
 * The lowest cost of bcrypt, for generated passwords only: their 98 bits can't be searched even with a fast hash, and they
 * must be replaced at the first login.
 */
export const generatedPasswordCost = 4;

// To be read out and typed from paper: without 0 and o, without 1, i and l, and without u, which looks like v in handwriting.
const alphabet = '23456789abcdefghjkmnpqrstvwxyz';

/** An initial password of 20 characters, 98 bits, as `xxxxx-xxxxx-xxxxx-xxxxx`. */
export function generatePassword(): string {
  const characters = Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return characters.replace(/.{5}(?=.)/g, '$&-');
}

const generated = new RegExp(`^[${alphabet}]{5}(-[${alphabet}]{5}){3}$`);

/** The generated password in a text to which copying or a keyboard has added blanks or capitals; undefined in others. */
export function repairCopiedPassword(text: string): string | undefined {
  const password = text.replace(/\s/g, '').toLowerCase();
  return text.length < 100 && password !== text && generated.test(password) ? password : undefined;
}
