/** Letters and digits that can't be taken for one another. */
const characters = 'abcdefghjkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679';
const length = 18;

/** A password of 18 characters from the browser's secure randomness: some 101 bits. */
export function generatePassword(): string {
  let password = '';
  while (password.length < length)
    // Bytes past the last whole round would favour the first characters.
    for (const byte of crypto.getRandomValues(new Uint8Array(32)))
      if (password.length < length && byte < 256 - (256 % characters.length))
        password += characters[byte % characters.length];
  return password;
}
