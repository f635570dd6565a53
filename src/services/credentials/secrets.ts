import { createHash, randomBytes } from 'node:crypto';

/** Returns a secret of 256 random bits for a URL. Store only its {@link secretHash}. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** Returns the SHA-256 in hexadecimal digits. 256 random bits can't be guessed, so no slow hash is needed. */
export const secretHash = (secret: string): string => createHash('sha256').update(secret).digest('hex');
