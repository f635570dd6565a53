import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import jwt from 'jsonwebtoken';
import type { Config } from '../../config/config.js';
import { AppError, systemErrorCode } from '../../errors.js';

/** Claims of a token (specification, section 5). */
export interface TokenClaims {
  userId: string;
  /** Session id. */
  sid: string;
}

export interface Tokens {
  /** Returns a signed JSON web token (HS256, RFC 7519) that expires at `expiresAt`. */
  issue(claims: TokenClaims, issuedAt: Date, expiresAt: Date): string;
  /** Returns the claims of a genuine token that has not expired; undefined for any other text. */
  verify(token: string, now: Date): TokenClaims | undefined;
  /** Signs the state of a sign-in with the organisation's account. Such a state is no token of a session. */
  signState(state: object, issuedAt: Date, expiresAt: Date): string;
  /** Returns a genuine state that has not expired; undefined for any other text, also for tokens of sessions. */
  verifyState(text: string, now: Date): object | undefined;
}

/** Name of the file in the data folder with the generated signing secret. */
export const secretFileName = 'jwt-secret';

/**
 * Creates a file that only this user can read, unless it exists. The file gets its name only when it is complete, so
 * that no process reads a part.
 */
function writeIfAbsent(file: string, text: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    // If two processes start together, one links its secret and the other reads that secret.
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

/** Reads the development secret. @param create creates the file if necessary */
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

/** Creates a key object: jsonwebtoken would try to parse a string as a public key at every call. */
const secretKey = (secret: string): KeyObject => createSecretKey(Buffer.from(secret, 'utf8'));

/**
 * Creates tokens that are signed with the current secret. The previous secret is accepted too, so that a rotation ends no
 * sessions.
 */
export function createTokens(config: Config): Tokens {
  const { jwtSecret, jwtSecretPrevious } = config.auth;
  const current = secretKey(jwtSecret ?? developmentSecret(config.dataDir, createSecret));
  const accepted = [current, ...(jwtSecretPrevious === undefined ? [] : [secretKey(jwtSecretPrevious)])];
  const sign = (claims: object, issuedAt: Date, expiresAt: Date) => {
    const seconds = (moment: Date) => Math.floor(moment.getTime() / 1000);
    return jwt.sign({ ...claims, iat: seconds(issuedAt), exp: seconds(expiresAt) }, current, { algorithm: 'HS256' });
  };
  function verifiedByAny<T>(verified: (key: KeyObject) => T | undefined): T | undefined {
    for (const key of accepted) {
      const claims = verified(key);
      if (claims) return claims;
    }
    return undefined;
  }
  return {
    issue: sign,
    verify: (token, now) => verifiedByAny((key) => sessionClaims(token, key, now)),
    signState: (state, issuedAt, expiresAt) => sign({ ...state, aud: stateAudience }, issuedAt, expiresAt),
    verifyState: (text, now) => verifiedByAny((key) => stateClaims(text, key, now)),
  };
}

/** Tolerance for the clock of the issuing instance, in milliseconds. */
const clockSkewMs = 5 * 60_000;

/** Whether an id is safe in a query: MySQL ignores trailing spaces, and a NUL would end SQLite's statement. */
const isId = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{1,64}$/.test(value);

/**
 * Fields of session tokens. Tokens with other fields are refused: they have an extension (RFC 7515, section 4.1.11) or
 * another purpose, such as `aud` (RFC 8725, section 3.12). jsonwebtoken ignores both.
 */
const headerFields = ['alg', 'typ'];
const claimNames = ['userId', 'sid', 'iat', 'exp'];

const hasOnly = (fields: object, known: readonly string[]) =>
  Object.keys(fields).every((field) => known.includes(field));

/** Audience of states (RFC 8725, section 3.12). Tokens of sessions have none. */
const stateAudience = 'oidc';

function sessionClaims(token: string, key: KeyObject, now: Date): TokenClaims | undefined {
  const payload = verifiedPayload(token, key, now);
  if (!payload || !hasOnly(payload, claimNames)) return undefined;
  // The payload can be any JSON, so each claim is checked below.
  const { userId, sid } = payload as Partial<Record<keyof TokenClaims, unknown>>;
  return isId(userId) && isId(sid) ? { userId, sid } : undefined;
}

function stateClaims(text: string, key: KeyObject, now: Date): object | undefined {
  const payload = verifiedPayload(text, key, now);
  return payload?.aud === stateAudience ? payload : undefined;
}

/** Returns the payload of a genuine and valid token of any purpose. */
function verifiedPayload(token: string, key: KeyObject, now: Date): jwt.JwtPayload | undefined {
  try {
    const { header, payload } = jwt.verify(token, key, {
      algorithms: ['HS256'],
      clockTimestamp: Math.floor(now.getTime() / 1000),
      complete: true,
    });
    if (typeof payload === 'string' || !hasOnly(header, headerFields)) return undefined;
    if (header.typ !== 'JWT' || typeof payload.exp !== 'number') return undefined;
    if (typeof payload.iat !== 'number' || payload.iat * 1000 > now.getTime() + clockSkewMs) return undefined;
    return payload;
  } catch (error) {
    // Faults of a token; a payload that isn't JSON throws a SyntaxError. Other errors are bugs.
    if (error instanceof jwt.JsonWebTokenError || error instanceof SyntaxError) return undefined;
    // For a signed `null`, jsonwebtoken throws a TypeError.
    if (jwt.decode(token) === null) return undefined;
    throw error;
  }
}
