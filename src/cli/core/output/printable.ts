/**
 * Makes untrusted text safe for a terminal: characters that move the cursor, colour, reorder or hide text become escapes,
 * such as \u001b. In JSON these escapes mean the same characters, so values don't change.
 */

const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes a text of several lines. Keeps line breaks and tabs. */
export function printable(text: string): string {
  return text.replace(unsafe, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );
}

/** Escapes a text for a single line, also line breaks and tabs. */
export function printableLine(text: string): string {
  return text.replace(unsafe, escaped);
}
