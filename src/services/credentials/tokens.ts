import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import jwt from 'jsonwebtoken';
import type { Config } from '../../config/config.js';
import { AppError, systemErrorCode } from '../../errors.js';

/** The claims of a token (specification, section 5). */
export interface TokenClaims {
  userId: string;
  /** Session id. */
  sid: string;
}

/** Issues and verifies the tokens of sessions. */
export interface Tokens {
  /** A signed JSON web token (HS256, RFC 7519) that ends at `expiresAt`. */
  issue(claims: TokenClaims, issuedAt: Date, expiresAt: Date): string;
  /** The claims of a token that is genuine and has not expired; `undefined` for anything else. */
  verify(token: string, now: Date): TokenClaims | undefined;
}

/** Name of the file in the data folder that keeps a generated signing secret. */
export const secretFileName = 'jwt-secret';

/** Creates a file for this user alone, unless it exists. It is linked into place complete, so that no process reads a part. */
function writeIfAbsent(file: string, text: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    // Of two processes that start together, one links its secret and the other reads it.
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

/** Reads the development secret. @param create makes the file if necessary */
function developmentSecret(dataDir: string, create: (file: string) => void): string {
  const file = path.join(dataDir, secretFileName);
  let secret: string;
  try {
    if (!existsSync(file)) create(file);
    secret = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new AppError(
      'FILE_UNUSABLE',
      `The signing secret can't be kept in ${file} (${systemErrorCode(error)}). Make DATA_DIR writable, or set JWT_SECRET.`,
      { cause: error },
    );
  }
  if (secret.length < 32)
    throw new AppError(
      'FILE_UNUSABLE',
      `The signing secret in ${file} is damaged. Delete the file; a new one is made at the next start.`,
    );
  return secret;
}

function createSecret(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeIfAbsent(file, `${randomBytes(48).toString('base64')}\n`);
}

/** Checks the signing secret without creating its file. @throws AppError `FILE_UNUSABLE` */
export function assertSecretReadable({ auth, dataDir }: Config): void {
  if (auth.jwtSecret === undefined && existsSync(path.join(dataDir, secretFileName)))
    developmentSecret(dataDir, () => undefined);
}

/** jsonwebtoken would try to parse a string as a public key at every call. */
const secretKey = (secret: string): KeyObject => createSecretKey(Buffer.from(secret, 'utf8'));

/** Signs with the current secret and accepts the previous one, so that a rotation ends no sessions. */
export function createTokens(config: Config): Tokens {
  const { jwtSecret, jwtSecretPrevious } = config.auth;
  const current = secretKey(jwtSecret ?? developmentSecret(config.dataDir, createSecret));
  const accepted = [current, ...(jwtSecretPrevious === undefined ? [] : [secretKey(jwtSecretPrevious)])];
  return {
    issue(claims, issuedAt, expiresAt) {
      const seconds = (moment: Date) => Math.floor(moment.getTime() / 1000);
      return jwt.sign({ ...claims, iat: seconds(issuedAt), exp: seconds(expiresAt) }, current, { algorithm: 'HS256' });
    },
    verify(token, now) {
      for (const key of accepted) {
        const claims = verifiedClaims(token, key, now);
        if (claims) return claims;
      }
      return undefined;
    },
  };
}

/** How far the clock of the instance that issued a token may be ahead, in milliseconds. */
const clockSkewMs = 5 * 60_000;

/** Only such ids reach the database: MySQL ignores spaces at the end, and a NUL would end SQLite's statement. */
const isId = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{1,64}$/.test(value);

/**
 * The fields of session tokens. Any other marks an extension (RFC 7515, section 4.1.11) or a token for another purpose, as `aud`
 * does (RFC 8725, section 3.12): jsonwebtoken passes over both.
 */
const headerFields = ['alg', 'typ'];
const claimNames = ['userId', 'sid', 'iat', 'exp'];

const hasOnly = (fields: object, known: readonly string[]) =>
  Object.keys(fields).every((field) => known.includes(field));

function verifiedClaims(token: string, key: KeyObject, now: Date): TokenClaims | undefined {
  try {
    const { header, payload } = jwt.verify(token, key, {
      algorithms: ['HS256'],
      clockTimestamp: Math.floor(now.getTime() / 1000),
      complete: true,
    });
    if (typeof payload === 'string' || !hasOnly(header, headerFields) || !hasOnly(payload, claimNames))
      return undefined;
    if (header.typ !== 'JWT' || typeof payload.exp !== 'number') return undefined;
    if (typeof payload.iat !== 'number' || payload.iat * 1000 > now.getTime() + clockSkewMs) return undefined;
    // Any JSON can be signed: each claim is checked below.
    const { userId, sid } = payload as Partial<Record<keyof TokenClaims, unknown>>;
    return isId(userId) && isId(sid) ? { userId, sid } : undefined;
  } catch (error) {
    // All faults of a token; a payload that isn't JSON is a SyntaxError. Anything else is a bug.
    if (error instanceof jwt.JsonWebTokenError || error instanceof SyntaxError) return undefined;
    // jsonwebtoken reads claims of a signed `null`, which is a TypeError.
    if (jwt.decode(token) === null) return undefined;
    throw error;
  }
}
