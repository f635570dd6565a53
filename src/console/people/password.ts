/** Letters and digits that can't be taken for one another. */
const characters = 'abcdefghjkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679';

/** A password of 16 characters from the browser's secure randomness: some 90 bits. */
export function generatePassword(): string {
  let password = '';
  while (password.length < 16)
    // Bytes past the last whole round would favour the first characters.
    for (const byte of crypto.getRandomValues(new Uint8Array(32)))
      if (password.length < 16 && byte < 256 - (256 % characters.length))
        password += characters[byte % characters.length];
  return password;
}
