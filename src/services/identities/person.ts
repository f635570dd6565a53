import type { IDToken } from 'openid-client';
import type { Config } from '../../config/config.js';
import { googleIssuer } from '../../config/cross-checks.js';
import { AppError } from '../../errors.js';
import * as fields from '../../schemas/fields.js';
import { splitFullName } from '../accounts/full-names.js';

/** A person as the issuer describes them. */
export interface Person {
  issuer: string;
  subject: string;
  /** Normalised email; undefined without a usable one. */
  email: string | undefined;
  isEmailVerified: boolean;
  names: { firstName: string; lastName: string } | undefined;
  /** Names of the claims, for the log. */
  claims: readonly string[];
}

/**
 * Matches subjects. Others are refused: databases ignore spaces at the end, so two subjects would be one, and a NUL would end
 * SQLite's statement. Subjects are ASCII (OpenID Connect Core, section 2).
 */
const validSubject = /^[!-~](?:[ -~]{0,253}[!-~])?$/;

/**
 * Matches addresses that may find an account. Other letters could become those of another address when they are normalised:
 * the sign of Kelvin becomes a k. Issuers send international domains in ASCII, too.
 */
const plainAddress = /^[!-~]+$/;

function emailOf(claim: unknown): string | undefined {
  if (typeof claim !== 'string' || !plainAddress.test(claim)) return undefined;
  const { value, error } = fields.email.validate(claim);
  // The schema returns a text.
  return error === undefined ? (value as string) : undefined;
}

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

const isTrue = (claim: unknown) => claim === true || claim === 1 || claim === '1' || claim === 'true';
const isFalse = (claim: unknown) => claim === false || claim === 0 || claim === '0' || claim === 'false';

/** Whether the issuer vouches for the email (OpenID Connect Core, section 5.1). */
function isEmailVerified({ oidc }: Config, claims: IDToken, email: string): boolean {
  const { email_verified: verified, xms_edov: byDomain, hd, iss } = claims;
  if (isFalse(verified) || (verified === undefined && isFalse(byDomain))) return false;
  if (oidc.emailVerified === 'trusted') return true;
  if (verified !== undefined && verified !== true) return false;
  // Microsoft Entra ID says with this claim that the owner of the domain has confirmed the address.
  if (verified === undefined && !isTrue(byDomain)) return false;
  // A private account of Google keeps its address after the organisation has given the address to somebody else.
  const isOfOrganisation = typeof hd === 'string' && hd !== '';
  return iss !== googleIssuer || isOfOrganisation || domainOf(email) === 'gmail.com';
}

function namesOf({ given_name: given, family_name: family, name }: IDToken): Person['names'] {
  const text = (claim: unknown) => (typeof claim === 'string' ? claim : '');
  const split = text(given) === '' || text(family) === '' ? splitFullName(text(name).trim()) : undefined;
  const firstName = fields.firstName.validate(split?.firstName ?? text(given));
  const lastName = fields.lastName.validate(split?.lastName ?? text(family));
  if (firstName.error || lastName.error || !firstName.value || !lastName.value) return undefined;
  return { firstName: firstName.value, lastName: lastName.value };
}

/** Reads the person from the claims of an ID token. @throws AppError `OIDC_UNAVAILABLE` for an impossible subject */
export function personOf(config: Config, claims: IDToken): Person {
  const { iss: issuer, sub: subject } = claims;
  if (!validSubject.test(subject))
    throw new AppError('OIDC_UNAVAILABLE', 'the subject is longer than 255 characters of ASCII, or ends with a space');
  const email = emailOf(claims.email);
  return {
    issuer,
    subject,
    email,
    isEmailVerified: email !== undefined && isEmailVerified(config, claims, email),
    names: namesOf(claims),
    claims: Object.keys(claims),
  };
}
