import { hasAtSign } from '../../schemas/fields.js';

/** What a spreadsheet makes of a long number; the digits are lost. */
const mangledNumber = /^\d([.,]\d+)?E\+?\d+$/i;

/** What a program makes of a number that it keeps with decimals. */
const decimalNumber = /^\d+[.,]0{1,2}$/;

/** What most phones are: judged at once. */
const plainPhone = /^\+?\d[\d ()-]*$/;

const longestShown = 60;

function quoted(phone: string): string {
  return `"${phone.length > longestShown ? `${phone.slice(0, longestShown)}…` : phone}"`;
}

/**
 * Why a text is hardly a phone, though the rules for accounts allow it: they ask for no more than that it isn't empty. Files
 * are refused with such, people at a terminal are asked.
 * @returns a sentence with the value; nothing for what may be a phone
 */
export function phoneDoubt(phone: string): string | undefined {
  if (plainPhone.test(phone)) return undefined;
  const text = phone.trim();
  if (text === '') return undefined;
  if (mangledNumber.test(text))
    return 'Phone was turned into a number by a spreadsheet and its digits are lost. Format the column as text and enter it again.';
  if (decimalNumber.test(text))
    return 'Phone was turned into a decimal number by a spreadsheet. Format the column as text and enter it again.';
  if (hasAtSign(text)) return `Phone ${quoted(text)} looks like an email address.`;
  return /\p{Nd}/u.test(text) ? undefined : `Phone ${quoted(text)} has no digit.`;
}
