import { hasAtSign } from '../../../schemas/fields.js';

/** What a spreadsheet makes of a long number, however it is set up; the digits are lost. */
const mangledNumber = /^[+-]?\p{Nd}+([.,\u066b]\p{Nd}+)?\s?E\s?[+-]?\p{Nd}+$/iu;

/** No phone has more than 15 digits (E.164), and no spreadsheet keeps more of a number: zeros stand for the others. */
const roundedNumber = /^\d{15}0+$/;

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
