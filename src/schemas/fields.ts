import Base from 'joi';
import Joi from './joi.js';
import { normalizeEmail } from './keys.js';
import { type FoundProblem, refuse } from './problems.js';
import { categoryMaximum, nameMaximum, titleMaximum } from './sort-key.js';
import { hasTooManyMarks, normalized, withoutInvisible } from './text.js';

/**
 * Schemas of single values, each defined once. The HTTP API, the command line, prompts and imports share these rules and messages.
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

/** Counts Unicode code points, not UTF-16 units. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

// Control characters and lone surrogates: invisible, unprintable, and stored differently by every database.
export const unprintable = /[\p{Cc}\p{Cs}]/u;

// Includes Unicode's line separators, which act like control characters.
const lineBreaking = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

// Joiners and direction marks are part of some scripts, but a text that contains nothing else is invisible.
// U+2800 is the Braille cell without a dot.
const invisible = /^[\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+$/u;

const textMessages = (label: string) => ({
  'any.required': `${label} is required.`,
  'string.base': `${label} must be a string.`,
  'string.empty': `${label} is required.`,
});

/**
 * Schema of a string, without coercion.
 * @param label name in messages
 * @param tooLong message for a text over the raw limit of joi.ts
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

/** Adds a check to the schema of a string. @param problemOf returns the problem of a text, or undefined */
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

/** Schema of one word of a closed list. */
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

/** @param form returns the form in which the text is counted and stored */
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
 * Schema of free text in one line: trimmed, NFC, without control characters, with limits in characters. Drops invisible marks that belong
 * to no script: they come with pasted text, and make two texts look the same.
 */
export const singleLine = (label: string, minimum: number, maximum: number) =>
  line(label, minimum, maximum, (text) => normalized(text, 'NFC'));

export const firstName = singleLine('First name', nameLength.minimum, nameLength.maximum);
export const lastName = singleLine('Last name', nameLength.minimum, nameLength.maximum);

/** Phone for which the specification permits "any value" (section 4.8). Phones are stored as entered. */
export const anyPhone = line('Phone', 1, phoneMaximum, (text) => text);

// NFKC converts the other two characters to the first one.
const atSign = /[@\uff20\ufe6b]/;

/** Whether a phone could be mistaken for an email address. */
export const hasAtSign = (value: string): boolean => atSign.test(value);

/** Phone that can't be mistaken for an email address. */
export const phone = withCheck(anyPhone, (value) =>
  atSign.test(value) ? { code: 'PHONE_INVALID', message: 'Phone must not contain @.' } : undefined,
);

/** Title or id of a course, as a person writes it. */
export const course = singleLine('Course', 1, 200);
export const courseTitle = singleLine('Title', 3, titleMaximum);
export const category = singleLine('Category', 2, categoryMaximum);
export const tag = singleLine('Tag', 1, 50);

/** Schema of free text in several lines. */
export function multiLine(label: string, maximum: number) {
  const mustBe = `${label} must be at most ${maximum} characters.`;
  return withCheck(text(label, mustBe).trim(), (value) => {
    if (countCharacters(value) > maximum) return tooLong(maximum, mustBe);
    return unprintable.test(value.replace(/[\r\n\t]/g, '')) ? controlCharacters(label) : undefined;
  }).meta({ maxLength: maximum });
}

export const notes = multiLine('Notes', 2000);
export const reply = multiLine('Reply', 2000);

/** Empty text, or white space only. */
export const blank = Joi.string().trim().valid('');

/** Schema of an optional field. Null and blank text mean no value. An absent field means no change. */
export const nullable = (schema: Base.Schema) => schema.allow(null).meta({ blankIsNull: true });

/** Schema of a calendar day as `YYYY-MM-DD`. */
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

// Matches spaces of all kinds, and the ideographic full stop. Mail programs read it as a dot, so two texts would name one mailbox.
// Also matches the beginning of an encoded word (RFC 2047), which mail programs would decode to another address.
const noPartOfAddress = /[\p{Z}\u2800\u3002]|=\?/u;

const notAnAddress = 'Email must be a valid email address.';

/** Valid email address, normalised: trimmed, NFKC, lower case, without invisible characters. */
export const email = text('Email', notAnAddress)
  .custom((value: string, helpers) => {
    const normalized = normalizeEmail(value);
    if (normalized === '') return refuse(helpers, { code: 'REQUIRED', message: 'Email is required.' });
    const isUnusable = unprintable.test(normalized) || noPartOfAddress.test(normalized);
    const valid = !isUnusable && !emailSyntax.validate(normalized).error;
    return valid ? normalized : refuse(helpers, { code: 'EMAIL_INVALID', message: notAnAddress });
  })
  .meta({ format: 'email', maxLength: emailMaximum });

/** Text to look up as an email. It accepts any text, because an invalid email matches nobody. */
const possibleEmail = singleLine('Email', 1, emailMaximum);

/**
 * Schema of a password that is compared with a stored one. It checks the minimum length only: an impossible password, such
 * as a very long one, is simply wrong. Passwords are never normalised, so only the size of the body limits their length.
 */
function passwordToCompare(label: string) {
  return withCheck(Base.string().label(label).messages(textMessages(label)), (value) =>
    countCharacters(value) < passwordMinimumCharacters
      ? tooShort(passwordMinimumCharacters, `${label} must be at least ${passwordMinimumCharacters} characters.`)
      : undefined,
  ).meta({ minLength: passwordMinimumCharacters });
}

/** Schema of a new password. `services/auth/password-policy.ts` adds the rules of the settings. */
function passwordToSet(label: string) {
  return withCheck(passwordToCompare(label), (value) => {
    if (countCharacters(value) > passwordMaximumCharacters)
      return tooLong(passwordMaximumCharacters, `${label} must be at most ${passwordMaximumCharacters} characters.`);
    // Programs in C would end the password at NUL. A lone surrogate has no UTF-8 form.
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

/** Schema of a JSON boolean. Refuses the text "true". */
export const strictBoolean = (label: string) =>
  Joi.boolean()
    .strict()
    .messages({ 'boolean.base': `${label} must be true or false.`, 'any.required': `${label} is required.` });

export const isActive = strictBoolean('isActive');

/**
 * Email or phone from a login form, without validation. The size limit of the body limits the length; {@link isPossibleKey} decides
 * whether the database is queried.
 */
export const identifier = Base.string().messages(textMessages('Identifier')).trim();

/** Schema of an opaque id. It accepts any text, because an unknown id matches nothing. */
export const id = (label: string) => singleLine(label, 1, 100);

/** Filter: members of a group only. */
export const group = id('group');

/** Schema of a list of different ids. */
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
      'array.min': `${label} must have at least one id.`,
      'array.max': `${label} may have at most ${most} ids.`,
      'array.unique': `${label} must have each id only once.`,
    });

/** Maximum number of emails in one lookup. */
const maxEmails = 1000;

/** Schema of a list of emails to look up. */
export const emailList = Joi.array()
  .items(possibleEmail)
  .min(1)
  .max(maxEmails)
  .required()
  .messages({
    'any.required': 'emails is required.',
    'array.min': 'emails must have at least one email.',
    'array.max': `emails may have at most ${maxEmails} emails.`,
    'array.base': 'emails must be a list of emails.',
    'array.sparse': 'emails must be a list of emails.',
  })
  .example(['ada@example.org']);

/** Schema of a whole JSON number. Refuses the text "5". */
export const strictWholeNumber = (label: string, minimum: number, maximum: number) => {
  const mustBe = `${label} must be a whole number from ${minimum} to ${maximum}.`;
  return Joi.number()
    .strict()
    .integer()
    .min(minimum)
    .max(maximum)
    .messages({ '*': mustBe, 'any.required': `${label} is required.` });
};

/** Whether a text can be the key of an account. Other texts need no query. */
export function isPossibleKey(text: string): boolean {
  return countCharacters(text) <= emailMaximum && !unprintable.test(text) && !hasTooManyMarks(text);
}
