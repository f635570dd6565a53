/** Maximum of emails that the service looks up in one request. */
export const maxEmails = 1000;

/** Address in angle brackets, as mail programs copy it, with the name before it. */
const bracketed = /(?:"[^"\n]*"|[^,;<>\n])*<([^<>\s]+)>/g;

/** Returns the different addresses of a text, separated by spaces, lines, commas or semicolons. */
export function emailsIn(text: string): string[] {
  const words = text.replace(bracketed, ' $1 ').split(/[\s,;]+/);
  return [...new Map(words.map((word) => [word.toLowerCase(), word])).values()].filter((word) => word !== '');
}
