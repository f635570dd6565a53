import { hasAtSign } from '../../../schemas/fields.js';

/** A long number that a spreadsheet has shortened, in any locale; the digits are lost. */
const mangledNumber = /^[+-]?\p{Nd}+([.,\u066b]\p{Nd}+)?\s?E\s?[+-]?\p{Nd}+$/iu;

/** No phone has more than 15 digits (E.164). A spreadsheet keeps 15 digits of a number and replaces the others by zeros. */
const roundedNumber = /^\d{15}0+$/;

/** A phone that a program has kept as a decimal number. */
const decimalNumber = /^\d+[.,]0{1,2}$/;

/** What most phones look like: accepted without further checks. */
const plainPhone = /^\+?\d[\d ()-]*$/;

const longestShown = 60;

function quoted(phone: string): string {
  return `"${phone.length > longestShown ? `${phone.slice(0, longestShown)}…` : phone}"`;
}

/**
 * Why a text is probably not a phone, though the rules for accounts accept any text. Rows of a file are rejected for it;
 * at the terminal it is a question.
 * @returns a sentence with the value; nothing for a text that may be a phone
 */
export function phoneDoubt(phone: string): string | undefined {
  const isRounded = phone.length > 15 && roundedNumber.test(phone.trim());
  if (!isRounded && plainPhone.test(phone)) return undefined;
  const text = phone.trim();
  if (text === '') return undefined;
  if (isRounded || mangledNumber.test(text))
    return 'Phone was turned into a number by a spreadsheet and its digits are lost. Format the column as text and enter it again.';
  if (decimalNumber.test(text))
    return 'Phone was turned into a decimal number by a spreadsheet. Format the column as text and enter it again.';
  if (text.startsWith('=')) return 'Phone is a formula of a spreadsheet. Format the column as text and enter it again.';
  if (hasAtSign(text)) return `Phone ${quoted(text)} looks like an email address.`;
  return /\p{Nd}/u.test(text) ? undefined : `Phone ${quoted(text)} has no digit.`;
}
