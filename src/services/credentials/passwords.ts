import { createHash, randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createFairQueue } from '../../fair-queue.js';
import { threadFile } from '../../package-root.js';

export interface HashRequest {
  /** Network of a client or id of an account. The queue alternates between owners. */
  owner: string;
  /** Cancels the hash if its computation has not started. */
  signal?: AbortSignal | undefined;
  /** Runs directly before the hash is computed. If it fails, the hash isn't computed. */
  before?: () => Promise<void>;
}

/** Computes bcrypt on all cores, outside the event loop. */
export interface PasswordHasher {
  /** @throws AppError `OVERLOADED` if the queue is full, `INTERRUPTED` */
  hash(password: string, cost: number, request?: HashRequest): Promise<string>;
  /** Returns false also for an invalid hash. @throws AppError `OVERLOADED`, `INTERRUPTED` */
  compare(password: string, hash: string, request?: HashRequest): Promise<boolean>;
  readonly implementation: 'native' | 'bcryptjs';
  /** Returns the number of hashes that wait for a core. */
  waiting(): number;
  close(): Promise<void>;
}

interface Bcrypt extends Pick<PasswordHasher, 'implementation' | 'close'> {
  hash(password: string, cost: number): Promise<string>;
  compare(password: string, hash: string): Promise<boolean>;
}

/** Maximum length of a password that bcrypt reads, in bytes. */
const bcryptBytes = 72;

/**
 * Returns the input of bcrypt: the password or, if it is too long for bcrypt, the base64 of its SHA-256. An impossible
 * password is hashed too: comparing it takes as long as comparing others, and never matches.
 */
function bcryptInput(password: string): string {
  const isWellFormed = password.isWellFormed();
  if (isWellFormed && !password.includes('\0') && Buffer.byteLength(password) <= bcryptBytes) return password;
  // UTF-8 would encode all lone surrogates as the same character.
  return createHash('sha256')
    .update(password, isWellFormed ? 'utf8' : 'utf16le')
    .digest('base64');
}

/**
 * Returns a hash that no password matches, so that logins without an account or without a password take the same time as
 * others.
 */
export const unmatchableHash = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;

/** Maximum length of the queue per core; limits the wait of a login. */
const queuedPerCore = 64;
/** Lower bound for the maximum length of the queue: ten classes may sign in at the same time behind one address. */
const minQueued = 640;
/** Maximum wait of a hash, in milliseconds. Longer than a full queue takes on two cores at the default cost. */
const waitMs = 180_000;

/** Loads the native implementation; undefined if it has no build for this machine. */
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
    // The dependency is optional. If it can't be loaded, bcryptjs is used.
    return undefined;
  }
}

/** Starts worker threads for bcryptjs, which blocks its thread even in asynchronous functions. */
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
 * Creates the hasher. It computes one hash per core at a time and has a bounded queue that is fair between owners.
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
 * Lowest cost of bcrypt, for generated passwords only. Their 98 bits can't be guessed even with a fast hash, and they
 * must be replaced at the first login.
 */
export const generatedPasswordCost = 4;

// Characters for reading aloud and typing from paper: without 0 and o, without 1, i and l, and without u, which looks like
// v in handwriting.
const alphabet = '23456789abcdefghjkmnpqrstvwxyz';

/** Returns an initial password of 20 characters, 98 bits, as `xxxxx-xxxxx-xxxxx-xxxxx`. */
export function generatePassword(): string {
  const characters = Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return characters.replace(/.{5}(?=.)/g, '$&-');
}

const generated = new RegExp(`^[${alphabet}]{5}(-[${alphabet}]{5}){3}$`);

/**
 * Returns the generated password without blanks and capitals that copying or a keyboard has added; undefined if the
 * text isn't a generated password with such changes.
 */
export function repairCopiedPassword(text: string): string | undefined {
  const password = text.replace(/\s/g, '').toLowerCase();
  return text.length < 100 && password !== text && generated.test(password) ? password : undefined;
}
