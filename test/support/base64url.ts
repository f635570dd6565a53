/** A text, or a value as JSON, as parts of tokens are written. */
export const base64url = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
