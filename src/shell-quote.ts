/** A word between quotes, in which POSIX shells expand nothing. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A word as POSIX shells read it: between quotes only where it needs them. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text));
