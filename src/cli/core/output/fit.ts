import fastStringWidth from 'fast-string-width';

/** How text is made to fit a number of columns of a terminal: wide characters take two of them, combining ones none. */

let segmenter: Intl.Segmenter | undefined;

/** The characters of a text, as people see them. What tells them apart takes 20 ms to make, and few texts are cut. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Marks with a column of their own, such as vowel signs of Devanagari, Tamil, Burmese and Khmer; all other marks have none. */
const spacingMarks = /\p{Mc}/gu;

/** Columns of a terminal: wide characters take two, marks that are drawn into another character none. */
export function displayWidth(text: string): number {
  // The package counts no mark at all.
  return fastStringWidth(text) + (text.match(spacingMarks)?.length ?? 0);
}

/** What of the text is no wider than this: its first characters, as people see them. */
function beginning(text: string, width: number): string {
  let end = 0;
  let used = 0;
  for (const { segment, index } of graphemesOf(text)) {
    used += displayWidth(segment);
    if (used > width) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** The text, cut to the width: an ellipsis stands for the rest. */
export function cut(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${beginning(text, width - 1).trimEnd()}…`;
}

/** A word in pieces that are no wider than this. */
function pieces(word: string, width: number): string[] {
  const found: string[] = [];
  for (let rest = word; rest !== ''; ) {
    // A character that is wider than the line takes one of its own.
    const piece = beginning(rest, width) || String.fromCodePoint(rest.codePointAt(0) ?? 0);
    found.push(piece);
    rest = rest.slice(piece.length);
  }
  return found;
}

/** The text in lines that are no wider than this: broken between words, and within those that are too long, or not there. */
export function wrap(text: string, width: number, keepsWords = false): string[] {
  if (displayWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  const isBroken = (word: string) => !keepsWords && displayWidth(word) > width;
  for (const word of text.split(' ').flatMap((one) => (isBroken(one) ? pieces(one, width) : [one]))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && displayWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** How far the further lines of {@link wrapHanging} are indented below the first one. */
const hang = 4;

/**
 * A line with an indent of its own in lines that are no wider than this, where its words aren't: the further ones are indented
 * more than the first.
 * @param width what the terminal has; absent where there is no terminal
 */
export function wrapHanging(line: string, width = Number.POSITIVE_INFINITY): string[] {
  if (displayWidth(line) <= width) return [line];
  const text = line.trimStart();
  const indent = ' '.repeat(line.length - text.length);
  const [first = ''] = wrap(text, width - indent.length, true);
  const rest = text.slice(first.length).trimStart();
  if (rest === '') return [line];
  const further = wrap(rest, width - indent.length - hang, true).map((part) => indent + ' '.repeat(hang) + part);
  return [indent + first, ...further];
}

/** The width of a column: what it takes, and how little it can do with. */
export interface Extent {
  natural: number;
  minimum: number;
  priority: number;
}

/** What columns of a table are apart. */
export const gap = 2;

const total = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));

/** The widths, where the widest that can be narrower are, until they fit. */
function shrunk(extents: readonly Extent[], width: number): number[] {
  const widths = extents.map(({ natural }) => natural);
  for (let excess = total(widths) - width; excess > 0; excess -= 1) {
    let widest = -1;
    for (const [index, { minimum }] of extents.entries()) {
      const here = widths[index] ?? 0;
      if (here > minimum && (widest < 0 || here > (widths[widest] ?? 0))) widest = index;
    }
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/**
 * The widths of the columns of a table, 0 for those that are left out: the least important go until the others fit, then
 * the widest of those become narrower.
 * @param width what the terminal has; absent where there is no terminal
 */
export function layout(extents: readonly Extent[], width = Number.POSITIVE_INFINITY): number[] {
  const least = total(extents.filter(({ natural }) => natural > 0).map(({ minimum }) => minimum));
  const last = Math.max(0, ...extents.map(({ natural, priority }) => (natural > 0 ? priority : 0)));
  if (least > width && last > 0) {
    const index = extents.findLastIndex(({ natural, priority }) => natural > 0 && priority === last);
    return layout(extents.with(index, { natural: 0, minimum: 0, priority: 0 }), width);
  }
  const shown = extents.filter(({ natural }) => natural > 0);
  const widths = shrunk(shown, width).values();
  return extents.map(({ natural }) => (natural > 0 ? (widths.next().value ?? 0) : 0));
}
