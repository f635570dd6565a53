/** How bash reads the word at the cursor, and how names are written there. */

/** The word that is typed at the end of a line. */
export interface TypedWord {
  /** The name that is meant so far, or its beginning: without quotes, and without the option before a `=`. */
  typed: string;
  /** The quote that is still open. */
  quote: '' | "'" | '"';
  /** What bash keeps of the word and a completion doesn't repeat: an option before a `=`, or what is before the last break. */
  kept: number;
  /** What comes before the name and isn't kept. */
  before: string;
}

/** What ends a word outside of quotes. */
const separators = ' \t\n;&|()<>';

/** What a backslash escapes within double quotes. */
const escapedInQuotes = '$`"\\';

/** Follows a line up to its end, as bash does. */
class Reader {
  value = '';
  quote: TypedWord['quote'] = '';
  /** How much of the value is before the last break, or before the open quote. */
  kept = 0;
  private isEscaped = false;

  constructor(private readonly breaks: string) {}

  read(character: string, next: string): void {
    if (this.isEscaped) {
      this.value += character;
      this.isEscaped = false;
    } else if (this.quote !== '') this.readQuoted(character, next);
    else if (character === '\\') this.isEscaped = true;
    else if (character === "'" || character === '"') {
      this.quote = character;
      this.kept = this.value.length;
    } else if (separators.includes(character)) {
      this.value = '';
      this.kept = 0;
    } else {
      const before = this.value.length;
      this.value += character;
      // The word that bash completes begins behind a break, but with the @ of hosts.
      if (this.breaks.includes(character)) this.kept = character === '@' ? before : this.value.length;
    }
  }

  private readQuoted(character: string, next: string): void {
    if (character === this.quote) this.quote = '';
    else if (this.quote === '"' && character === '\\' && next !== '' && escapedInQuotes.includes(next))
      this.isEscaped = true;
    else this.value += character;
  }
}

/**
 * The word at the end of a command line.
 * @param breaks COMP_WORDBREAKS, the characters at which bash cuts words to complete their last part
 */
export function typedWord(line: string, breaks: string): TypedWord {
  const reader = new Reader(breaks);
  for (let at = 0; at < line.length; at += 1) reader.read(line.charAt(at), line.charAt(at + 1));
  const { value, quote, kept } = reader;
  const isOption = value.startsWith('--') && value.includes('=');
  const start = isOption ? value.indexOf('=') + 1 : 0;
  return {
    typed: value.slice(start),
    quote,
    kept: Math.max(0, kept - start),
    before: value.slice(Math.min(kept, start), start),
  };
}

/** What to put in place of the part of the word that bash completes, so that the whole word means the name. */
export function bashWord(name: string, { quote, kept, before }: TypedWord): string {
  const rest = before + name.slice(kept);
  if (quote === "'") return rest.replaceAll("'", "'\\''");
  // Nothing escapes an exclamation mark there, which calls the history.
  if (quote === '"') return rest.replace(/[\\"$`]/g, '\\$&').replaceAll('!', '"\\!"');
  return rest.replace(/[^\w@%+=:,./\-\u0080-\uffff]/g, '\\$&');
}
