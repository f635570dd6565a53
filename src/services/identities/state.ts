import { createHash } from 'node:crypto';
import type { Core } from '../core.js';

/** Account that links an identity, at the moment of the request. */
export interface LinkingAccount {
  account: string;
  session: string;
  /** Digest of the password's hash, which changes with the password. */
  password: string;
}

/**
 * State of a sign-in while the person is at the issuer. It is in a cookie, so it names no claims of session tokens:
 * otherwise one could pass for the other.
 */
export interface SignInState {
  /** Random texts that bind the answer of the issuer to this browser. */
  state: string;
  nonce: string;
  verifier: string;
  /** Path of the page to open afterwards. */
  returnTo: string;
  /** Absent for signing in. */
  link?: LinkingAccount;
}

export const passwordDigest = (passwordHash: string): string =>
  createHash('sha256').update(passwordHash).digest('base64url');

/** Lifetime of a state, in milliseconds, as of its cookie. */
const lifetimeMs = 10 * 60_000;

export async function signState(core: Core, state: SignInState): Promise<string> {
  const now = core.now();
  return (await core.tokens).signState(state, now, new Date(now.getTime() + lifetimeMs));
}

/** Returns the state in a cookie; undefined if it is absent, expired or forged. */
export async function readState(core: Core, text: string | undefined): Promise<SignInState | undefined> {
  if (text === undefined) return undefined;
  // Only signState() signs states.
  return (await core.tokens).verifyState(text, core.now()) as SignInState | undefined;
}

/** Maximum length of a path to return to: the cookie has at most 4 KB. */
const longestPath = 1000;

/** Matches pages of this service. `//` and `/\` begin the host of another one, and browsers ignore tabs and line breaks. */
const ownPath = /^\/(?!api\/|[/\\])[^\\\s\p{Cc}]*$/u;

/** Returns the page of this service to open after the sign-in: the given path, or `/` if it leads elsewhere. */
export const ownPathOf = (returnTo: unknown): string =>
  typeof returnTo === 'string' && returnTo.length <= longestPath && ownPath.test(returnTo) ? returnTo : '/';
