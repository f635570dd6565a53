/** A word between quotes, in which POSIX shells expand nothing. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Characters that a terminal would act on, or that can't be copied from it. */
const control = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** The bytes of a character in octal, as `$'...'` has them (POSIX.1-2024, section 2.2.4). */
const octal = (character: string): string =>
  Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/** A word as POSIX shells read it: between quotes only where it needs them, and safe to print and to copy. */
export function shellWord(text: string): string {
  if (control.test(text))
    return `$'${Array.from(text, (one) => (control.test(one) ? octal(one) : one.replace(/['\\]/, '\\$&'))).join('')}'`;
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text);
}
