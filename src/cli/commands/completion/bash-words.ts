/** Parses a command line up to the cursor like bash, and quotes words for it. */

interface BashWord {
  /** Words before the cursor's word, without quotes. The first is the program. */
  before: string[];
  /** Typed part of the word at the cursor, without quotes. */
  value: string;
  /** Quote that is still open. */
  quote: '' | "'" | '"';
  /** Length of the beginning that bash keeps and a completion must not repeat: up to the last break or an open quote. */
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
      // Only an open quote reaches the end of the line.
      kept = length;
    } else if (escaped !== undefined) value = (value ?? '') + escaped;
    else {
      value = (value ?? '') + text;
      // Bash completes the part after the last break character. The character @, for host names, belongs to that part.
      if (breaks.includes(text)) kept = text === '@' ? length : value.length;
    }
  }
  return { before, value: value ?? '', quote, kept };
}

/** Returns the replacement for the part that bash completes, so that bash reads the whole word as the name. */
export function bashWord(name: string, { quote, kept }: Pick<BashWord, 'quote' | 'kept'>): string {
  const rest = name.slice(kept);
  if (quote === "'") return rest.replaceAll("'", "'\\''");
  // Double quotes can't escape an exclamation mark, which calls the history: the quotes are closed around it.
  if (quote === '"') return rest.replace(/[\\"$`]/g, '\\$&').replaceAll('!', '"\\!"');
  return rest.replace(/[^\w@%+=:,./\-\u0080-\uffff]/g, '\\$&');
}
