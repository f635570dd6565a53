import Base from 'joi';
import Joi from './joi.js';
import { normalizeEmail } from './keys.js';
import { type FoundProblem, refuse } from './problems.js';
import { categoryMaximum, nameMaximum, titleMaximum } from './sort-key.js';
import { hasTooManyMarks, normalized, withoutInvisible } from './text.js';

/**
 * The atoms of valid input, each defined once: the HTTP API, the command line, the prompts and the CSV import
 * all meet these same rules and so the same messages.
 */

/** Roles of an account (specification, section 2). */
export const roles = ['super_admin', 'trainer', 'trainee'] as const;
export type Role = (typeof roles)[number];

const passwordMinimumCharacters = 6;
const passwordMaximumCharacters = 1000;
const nameLength = { minimum: 2, maximum: nameMaximum };
const phoneMaximum = 50;
/** RFC 5321's limit on a path, less the angle brackets. */
const emailMaximum = 254;

/** Length in characters as people count them: Unicode code points, not UTF-16 units. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

// Control characters and lone surrogates: invisible, unprintable, and stored differently by every database.
export const unprintable = /[\p{Cc}\p{Cs}]/u;

// Unicode's own line breaks are control characters in all but name.
const lineBreaking = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

// Joiners and direction marks are part of some scripts; a text of nothing else shows nothing.
// U+2800 is the Braille cell without a dot.
const invisible = /^[\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+$/u;

const textMessages = (label: string) => ({
  'any.required': `${label} is required.`,
  'string.base': `${label} must be a string.`,
  'string.empty': `${label} is required.`,
});

/**
 * A string atom: `label` is what messages call it; strings only, nothing is coerced.
 * @param tooLong the message for one that is beyond all bounds
 */
export function text(label: string, tooLong: string) {
  return Joi.string()
    .label(label)
    .messages({
      ...textMessages(label),
      'string.tooLong': tooLong,
      'string.marks': `${label} has too many combining marks in a row.`,
    });
}

/** Adds a check to a string atom; `problemOf` gives what is wrong with the text, or nothing. */
export function withCheck(schema: Base.StringSchema, problemOf: (value: string) => FoundProblem | undefined) {
  return schema.custom((value: string, helpers) => {
    const problem = problemOf(value);
    return problem ? refuse(helpers, problem) : value;
  });
}

const tooShort = (min: number, message: string): FoundProblem => ({ code: 'TOO_SHORT', params: { min }, message });
export const tooLong = (max: number, message: string): FoundProblem => ({ code: 'TOO_LONG', params: { max }, message });
const unusable = (message: string): FoundProblem => ({ code: 'UNUSABLE_CHARACTERS', message });
const controlCharacters = (label: string) => unusable(`${label} must not contain control characters.`);

/** One of a closed list of words. */
export function oneOf(label: string, values: readonly string[]) {
  const mustBe = `${label} must be one of ${values.join(', ')}.`;
  return Joi.string()
    .valid(...values)
    .label(label)
    .messages({
      'any.only': mustBe,
      'string.base': mustBe,
      'string.empty': mustBe,
      'string.tooLong': mustBe,
      'string.marks': mustBe,
      'any.required': `${label} is required.`,
    });
}

/** @param form the form in which the text is counted and stored */
function line(label: string, minimum: number, maximum: number, form: (text: string) => string) {
  const mustBe =
    minimum > 1
      ? `${label} must be ${minimum} to ${maximum} characters.`
      : `${label} must be at most ${maximum} characters.`;
  const schema = text(label, mustBe)
    .trim()
    .custom((value: string, helpers) => {
      if (invisible.test(value))
        return refuse(helpers, { code: 'INVISIBLE', message: `${label} must contain visible characters.` });
      const visible = form(withoutInvisible(value).trim());
      const length = countCharacters(visible);
      if (length < minimum) return refuse(helpers, tooShort(minimum, mustBe));
      if (length > maximum) return refuse(helpers, tooLong(maximum, mustBe));
      return lineBreaking.test(visible) ? refuse(helpers, controlCharacters(label)) : visible;
    });
  return schema.meta({ minLength: minimum, maxLength: maximum });
}

/**
 * Free text in one line: trimmed, NFC, without control characters, with bounds in characters. Marks that show nothing and are part
 * of no script are dropped: they come with what is pasted, and make two texts look the same.
 */
export const singleLine = (label: string, minimum: number, maximum: number) =>
  line(label, minimum, maximum, (text) => normalized(text, 'NFC'));

export const firstName = singleLine('First name', nameLength.minimum, nameLength.maximum);
export const lastName = singleLine('Last name', nameLength.minimum, nameLength.maximum);

/** A phone of which the specification says "any value" (section 4.8): kept as given. */
export const anyPhone = line('Phone', 1, phoneMaximum, (text) => text);

// What NFKC makes of the other two.
const atSign = /[@\uff20\ufe6b]/;

/** Whether a phone could be taken for an email address. */
export const hasAtSign = (value: string): boolean => atSign.test(value);

/** A phone that can't be taken for an email address. */
export const phone = withCheck(anyPhone, (value) =>
  atSign.test(value) ? { code: 'PHONE_INVALID', message: 'Phone must not contain @.' } : undefined,
);

/** The title or id of a course, as a person writes it. */
export const course = singleLine('Course', 1, 200);
export const courseTitle = singleLine('Title', 3, titleMaximum);
export const category = singleLine('Category', 2, categoryMaximum);
export const tag = singleLine('Tag', 1, 50);

/** Free text of several lines. */
export function multiLine(label: string, maximum: number) {
  const mustBe = `${label} must be at most ${maximum} characters.`;
  return withCheck(text(label, mustBe).trim(), (value) => {
    if (countCharacters(value) > maximum) return tooLong(maximum, mustBe);
    return unprintable.test(value.replace(/[\r\n\t]/g, '')) ? controlCharacters(label) : undefined;
  }).meta({ maxLength: maximum });
}

export const notes = multiLine('Notes', 2000);
export const reply = multiLine('Reply', 2000);

/** Text that only seems to be filled in. */
export const blank = Joi.string().trim().valid('');

/** An optional field: null and blank text both say that there is nothing; only what is absent says nothing. */
export const nullable = (schema: Base.Schema) =>
  schema
    .empty(blank)
    .allow(null)
    // Blank text comes here like what is absent; only the original tells them apart.
    .default((_parent: unknown, { original }: Base.CustomHelpers) => (original === undefined ? undefined : null));

/** A day of the calendar, as `YYYY-MM-DD`. */
export const date = (label: string) => {
  const mustBe = `${label} must be a date as YYYY-MM-DD.`;
  return withCheck(text(label, mustBe).trim(), (value) => {
    const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
    const moment = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
    const exists = Number(year) >= 1000 && moment.toISOString().startsWith(value);
    return exists ? undefined : { code: 'DATE_INVALID', message: mustBe };
  }).meta({ format: 'date' });
};

const emailSyntax = Joi.string().email({ tlds: false }).max(emailMaximum);

// Spaces of all kinds, and the full stop that mail programs take for a dot: with it an address is another text, not another mailbox. And
// the beginning of an encoded word (RFC 2047): mail programs would decode it, and show another address.
const noPartOfAddress = /[\p{Z}\u2800\u3002]|=\?/u;

const notAnAddress = 'Email must be a valid email address.';

/** A valid email address, normalised: trimmed, NFKC, lower case, without characters that can't be seen. */
export const email = text('Email', notAnAddress)
  .custom((value: string, helpers) => {
    const normalized = normalizeEmail(value);
    if (normalized === '') return refuse(helpers, { code: 'REQUIRED', message: 'Email is required.' });
    const isUnusable = unprintable.test(normalized) || noPartOfAddress.test(normalized);
    const valid = !isUnusable && !emailSyntax.validate(normalized).error;
    return valid ? normalized : refuse(helpers, { code: 'EMAIL_INVALID', message: notAnAddress });
  })
  .meta({ format: 'email', maxLength: emailMaximum });

/**
 * A password that is compared: it is measured, not judged. What none can be, such as one that is too long, is a wrong one.
 * Passwords are never normalised, so the body's limit bounds them.
 */
function passwordToCompare(label: string) {
  return withCheck(Base.string().label(label).messages(textMessages(label)), (value) =>
    countCharacters(value) < passwordMinimumCharacters
      ? tooShort(passwordMinimumCharacters, `${label} must be at least ${passwordMinimumCharacters} characters.`)
      : undefined,
  ).meta({ minLength: passwordMinimumCharacters });
}

/** A password that is set. What else is refused follows the settings: `services/auth/password-policy.ts`. */
function passwordToSet(label: string) {
  return withCheck(passwordToCompare(label), (value) => {
    if (countCharacters(value) > passwordMaximumCharacters)
      return tooLong(passwordMaximumCharacters, `${label} must be at most ${passwordMaximumCharacters} characters.`);
    // A NUL would end it in programs written in C; half a surrogate pair has no UTF-8.
    return value.includes('\0') || !value.isWellFormed()
      ? unusable(`${label} contains a character that can't be used.`)
      : undefined;
  }).meta({ maxLength: passwordMaximumCharacters });
}

export const loginPassword = passwordToCompare('Password');
export const currentPassword = passwordToCompare('Current password');
export const password = passwordToSet('Password');
export const newPassword = passwordToSet('New password');

export const role = oneOf('Role', roles);

/** A JSON boolean: the text "true" is refused. */
export const strictBoolean = (label: string) =>
  Joi.boolean()
    .strict()
    .messages({ 'boolean.base': `${label} must be true or false.`, 'any.required': `${label} is required.` });

export const isActive = strictBoolean('isActive');

/**
 * An email address or a phone number, as typed into a login form: whatever it is, it is looked up, not judged. The body's
 * limit bounds it; {@link isPossibleKey} says what is worth a look.
 */
export const identifier = Base.string().messages(textMessages('Identifier')).trim();

/** An opaque id. What isn't one of ours names nothing, so no shape is demanded here. */
export const id = (label: string) => singleLine(label, 1, 100);

/** Ids, each once. */
export const idList = (label: string, most: number) =>
  Joi.array()
    .items(id(label))
    .min(1)
    .max(most)
    .unique()
    .messages({
      'any.required': `${label} is required.`,
      'array.base': `${label} must be a list of ids.`,
      'array.sparse': `${label} must be a list of ids.`,
      'array.min': `${label} must name at least one.`,
      'array.max': `${label} may name at most ${most}.`,
      'array.unique': `${label} must name each one once.`,
    });

/** A whole JSON number: the text "5" is refused. */
export const strictWholeNumber = (label: string, minimum: number, maximum: number) => {
  const mustBe = `${label} must be a whole number from ${minimum} to ${maximum}.`;
  return Joi.number()
    .strict()
    .integer()
    .min(minimum)
    .max(maximum)
    .messages({ '*': mustBe, 'any.required': `${label} is required.` });
};

/** Whether a text can be the key of an account at all; others aren't worth a look into the database. */
export function isPossibleKey(text: string): boolean {
  return countCharacters(text) <= emailMaximum && !unprintable.test(text) && !hasTooManyMarks(text);
}
