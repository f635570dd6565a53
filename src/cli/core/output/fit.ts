import fastStringWidth from 'fast-string-width';

/** Fits text into columns of a terminal. Wide characters take two columns, combining characters none. */

let segmenter: Intl.Segmenter | undefined;

/**
 * Splits a text into characters as people see them. The segmenter is created on first use: creation takes 20 ms, and few
 * texts are cut.
 */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Marks that take a column, such as vowel signs of Devanagari, Tamil, Burmese and Khmer. Other marks take none. */
const spacingMarks = /\p{Mc}/gu;

/** Returns the width in columns of a terminal. */
export function displayWidth(text: string): number {
  // The package doesn't count these marks.
  return fastStringWidth(text) + (text.match(spacingMarks)?.length ?? 0);
}

/** Returns the longest beginning of a text that fits the width. */
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

/** Cuts a text to the width. An ellipsis replaces the rest. */
export function cut(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${beginning(text, width - 1).trimEnd()}…`;
}

/** Splits a word into pieces that fit the width. */
function pieces(word: string, width: number): string[] {
  const found: string[] = [];
  for (let rest = word; rest !== ''; ) {
    // A character wider than the whole line gets its own line.
    const piece = beginning(rest, width) || String.fromCodePoint(rest.codePointAt(0) ?? 0);
    found.push(piece);
    rest = rest.slice(piece.length);
  }
  return found;
}

/** Wraps a text between words. Breaks words that are longer than a line, unless `keepsWords` is true. */
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

/** Additional indent of continuation lines in {@link wrapHanging}. */
const hang = 4;

/**
 * Wraps a line between words, and indents continuation lines more than the first line. Words are not broken.
 * @param width of the terminal; absent without a terminal
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

export interface Extent {
  natural: number;
  minimum: number;
  priority: number;
}

export const gap = 2;

const total = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));

/** Shrinks the widest columns until the table fits or all columns have their minimum width. */
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
 * Returns the widths of the columns of a table, 0 for omitted columns. Omits the least important columns until the
 * minimum widths fit, then shrinks the widest columns.
 * @param width of the terminal; absent without a terminal
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
