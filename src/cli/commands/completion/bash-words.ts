/** How bash reads a command line up to the cursor, and how words are written there. */

interface BashWord {
  /** The words before the one at the cursor, without quotes; the first is the program. */
  before: string[];
  /** The word at the cursor, as far as it is typed, without quotes. */
  value: string;
  /** The quote that is still open. */
  quote: '' | "'" | '"';
  /** How much of the value bash keeps, which a completion doesn't repeat: what is before the last break or an open quote. */
  kept: number;
}

const part =
  /'(?<single>[^']*)(?<singleEnd>'?)|"(?<double>(?:\\.|[^"\\])*)\\?(?<doubleEnd>"?)|\\(?<escaped>.?)|(?<blank>[ \t<>]+)|(?<end>[\n;&|()])|./gsu;

/** @param breaks COMP_WORDBREAKS, the characters at which bash cuts words to complete their last part */
export function readLine(line: string, breaks: string): BashWord {
  let before: string[] = [];
  let value: string | undefined;
  let quote: BashWord['quote'] = '';
  let kept = 0;
  for (const { 0: text, groups = {} } of line.matchAll(part)) {
    const { single, double, escaped, blank, end } = groups;
    const length = value?.length ?? 0;
    if (blank !== undefined || end !== undefined) {
      if (value !== undefined) before.push(value);
      if (end !== undefined) before = [];
      value = undefined;
      kept = 0;
    } else if (single !== undefined || double !== undefined) {
      value = (value ?? '') + (single ?? double?.replace(/\\([$`"\\])/g, '$1') ?? '');
      quote = single === undefined ? '"' : "'";
      if (groups.singleEnd || groups.doubleEnd) quote = '';
      // An open quote is at the end of the line.
      kept = length;
    } else if (escaped !== undefined) value = (value ?? '') + escaped;
    else {
      value = (value ?? '') + text;
      // The word that bash completes begins behind a break, but with the @ of hosts.
      if (breaks.includes(text)) kept = text === '@' ? length : value.length;
    }
  }
  return { before, value: value ?? '', quote, kept };
}

/** What to put in place of the part of the word that bash completes, so that the whole word means the name. */
export function bashWord(name: string, { quote, kept }: Pick<BashWord, 'quote' | 'kept'>): string {
  const rest = name.slice(kept);
  if (quote === "'") return rest.replaceAll("'", "'\\''");
  // Nothing escapes an exclamation mark there, which calls the history.
  if (quote === '"') return rest.replace(/[\\"$`]/g, '\\$&').replaceAll('!', '"\\!"');
  return rest.replace(/[^\w@%+=:,./\-\u0080-\uffff]/g, '\\$&');
}
