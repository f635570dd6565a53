// Crockford's base 32: without i, l, o and u, no character can be misread for another.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** An initial password as the service generates them: 20 characters, 100 bits, as `xxxxx-xxxxx-xxxxx-xxxxx`. */
export function generatePassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  const characters = Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
  return characters.replace(/.{5}(?=.)/g, '$&-');
}
