/**
 * Text of others as a terminal may be given it: what would move its cursor, colour, turn round or hide what stands there is
 * shown as an escape, such as \u001b. JSON that went through it says the same as before.
 */

const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text of several lines: line breaks and tabs stay. */
export function printable(text: string): string {
  return text.replace(unsafe, (sign) => (sign === '\n' || sign === '\t' ? sign : escaped(sign)));
}

/** The same in one line, for what stands in a table or a sentence: it can't look like a line of ours. */
export function printableLine(text: string): string {
  return text.replace(unsafe, escaped);
}
