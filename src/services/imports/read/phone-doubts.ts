import { hasAtSign } from '../../../schemas/fields.js';
import { type RowProblem, withValue } from './row-problems.js';

/** A long number that a spreadsheet has shortened, in any locale; the digits are lost. */
export const mangledNumber = /^[+-]?\p{Nd}+([.,\u066b]\p{Nd}+)?\s?E\s?[+-]?\p{Nd}+$/iu;

/** No phone has more than 15 digits (E.164). A spreadsheet keeps 15 digits of a number and replaces the others by zeros. */
const roundedNumber = /^\d{15}0+$/;

/** A phone that a program has kept as a decimal number. */
const decimalNumber = /^\d+[.,]0{1,2}$/;

/** What most phones look like: accepted without further checks. */
const plainPhone = /^\+?\d[\d ()-]*$/;

/** Why a text is probably not a phone. */
export interface PhoneDoubt {
  /** Whether a spreadsheet has changed what was a phone. */
  code: 'PHONE_MANGLED' | 'PHONE_INVALID';
  /** A sentence that is the same for all phones with this problem. */
  message: string;
}

/** Why a row without a phone creates no account. */
export const missingPhone: RowProblem = {
  code: 'PHONE_MISSING',
  field: 'phone',
  message: 'Phone is required for a new account. To create accounts without one: --missing-phone allow.',
  reason: 'Phone is required for a new account.',
};

const mangled = (message: string): PhoneDoubt => ({
  code: 'PHONE_MANGLED',
  message: `${message} Format the column as text and enter the phone again.`,
});

/**
 * Why a text is probably not a phone, though the rules for accounts accept any text. Rows of a file are rejected for it;
 * at the terminal it is a question.
 * @returns nothing for a text that may be a phone
 */
export function phoneDoubt(phone: string): PhoneDoubt | undefined {
  const isRounded = phone.length > 15 && roundedNumber.test(phone.trim());
  if (!isRounded && plainPhone.test(phone)) return undefined;
  const text = phone.trim();
  if (text === '') return undefined;
  if (isRounded || mangledNumber.test(text))
    return mangled('Phone was turned into a number by a spreadsheet and its digits are lost.');
  if (decimalNumber.test(text)) return mangled('Phone was turned into a decimal number by a spreadsheet.');
  if (text.startsWith('=')) return mangled('Phone is a formula of a spreadsheet.');
  if (hasAtSign(text)) return { code: 'PHONE_INVALID', message: 'Phone looks like an email address.' };
  return /\p{Nd}/u.test(text) ? undefined : { code: 'PHONE_INVALID', message: 'Phone has no digit.' };
}

/** {@link phoneDoubt} as a sentence with the phone. */
export function phoneDoubtText(phone: string): string | undefined {
  const doubt = phoneDoubt(phone);
  return doubt && withValue('phone', doubt.message, phone);
}
