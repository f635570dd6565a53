import { createHash, randomBytes } from 'node:crypto';

/** A secret of 256 random bits for an address; it is stored nowhere, but for its {@link secretHash}. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** SHA-256 in hexadecimal digits: nobody guesses 256 bits, so it needs no slower hash. */
export const secretHash = (secret: string): string => createHash('sha256').update(secret).digest('hex');
