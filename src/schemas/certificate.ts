import * as fields from './fields.js';
import Joi from './joi.js';
import type { PagingWithKey } from './listing.js';
import * as listing from './listing.js';

/** Digits and letters without I, L, O and U (Crockford's Base32): each encodes five bits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const codeLength = 28;

/** Number of random bytes for a code. */
export const codeBytes = codeLength;

const grouped = (characters: string): string => characters.replace(/.{4}(?=.)/g, '$&-');

/** Returns the code of a certificate: 140 bits, in groups of four characters. @param random at least {@link codeBytes} bytes */
export const certificateCode = (random: Uint8Array): string =>
  grouped(Array.from(random.subarray(0, codeBytes), (byte) => alphabet[byte % alphabet.length]).join(''));

const codePattern = new RegExp(`^[${alphabet}]{${codeLength}}$`);

/**
 * Returns the code that a person has entered, for example from a printed certificate; undefined if the text can't be a
 * code.
 */
export function parseCertificateCode(text: string): string | undefined {
  const characters = text
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
  return codePattern.test(characters) ? grouped(characters) : undefined;
}

export interface CertificateListing extends PagingWithKey {
  courseId?: string;
  userId?: string;
  valid?: boolean;
}

/** Query of `GET /api/certificates`. */
export const certificateListingSchema = Joi.object<CertificateListing, true>({
  courseId: fields.id('courseId').description('Only certificates of this course'),
  userId: fields.id('userId').description('Only certificates of this person'),
  valid: listing.queryBoolean('valid').description('Only valid certificates, or only revoked ones'),
  ...listing.pagingWithKey(20),
});
