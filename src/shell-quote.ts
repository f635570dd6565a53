/** Quotes a word so that POSIX shells expand nothing in it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Characters that control a terminal, or that can't be copied from it. */
const control = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** Returns the bytes of a character in octal, for `$'...'` (POSIX.1-2024, section 2.2.4). */
const octal = (character: string): string =>
  Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/** Returns a word for POSIX shells, quoted only if necessary, and safe to print and to copy. */
export function shellWord(text: string): string {
  if (control.test(text))
    return `$'${Array.from(text, (one) => (control.test(one) ? octal(one) : one.replace(/['\\]/, '\\$&'))).join('')}'`;
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text);
}
