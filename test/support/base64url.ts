/** Encodes a text, or a value as JSON, like the parts of tokens. */
export const base64url = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
