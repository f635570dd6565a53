/** Significant digits that a spreadsheet keeps. */
const keptDigits = 15;
/** Maximum characters of a number. A longer text stays as it is. */
const maxNumberLength = 400;
/** Maximum characters of a number format. A longer format counts as general. */
const maxFormatLength = 255;

export type NumberFormat =
  | { kind: 'date' }
  | { kind: 'percent' }
  /** Pads the digits with zeros to the length `zeros`, and puts a prefix such as a plus or an area code before them. */
  | { kind: 'digits'; prefix: string; zeros: number }
  /** Displays words instead of numbers, for example for booleans. */
  | { kind: 'words'; positive: string; negative: string; zero: string }
  | { kind: 'general' };

export const generalFormat: NumberFormat = { kind: 'general' };
export const percentFormat: NumberFormat = { kind: 'percent' };

/** Formats that files refer to by number alone (ECMA-376, part 1, 18.8.30). */
const builtIn = new Map<number, NumberFormat>([
  ...[9, 10].map((id): [number, NumberFormat] => [id, percentFormat]),
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47].map(
    (id): [number, NumberFormat] => [id, { kind: 'date' }],
  ),
  ...[50, 51, 52, 53, 54, 55, 56, 57, 58].map((id): [number, NumberFormat] => [id, { kind: 'date' }]),
]);

/** A section of a format: for positive numbers, negative numbers or zero. */
interface Section {
  /** Code of the section, without quoted texts, escaped characters, colors, languages and fill characters. */
  code: string;
  words: string;
  prefix: string;
}

function sectionsOf(code: string): Section[] {
  const sections: Section[] = [{ code: '', words: '', prefix: '' }];
  for (const token of code.match(/"[^"]*"?|[\\_*].?|\[[^\]]*\]?|[\s\S]/gu) ?? []) {
    const section = sections.at(-1);
    if (section === undefined || token === ';') {
      sections.push({ code: '', words: '', prefix: '' });
      continue;
    }
    const isText = /^["\\]/.test(token);
    const text = token.startsWith('"') ? token.replaceAll('"', '') : token.slice(1);
    if (isText) section.words += text;
    else if (!/^[_*[]/.test(token) || /^\[[hms]+\]$/i.test(token)) section.code += token;
    if (!/[0#?]/.test(section.code)) section.prefix += isText ? text : token.length === 1 ? token : '';
  }
  return sections;
}

const isDate = (code: string) => /[ymdhs]/i.test(code) && !/[0#?]\s*E/i.test(code) && !/general/i.test(code);

export const builtInFormat = (id: number): NumberFormat => builtIn.get(id) ?? generalFormat;

export function parseNumberFormat(code: string): NumberFormat {
  if (code.length > maxFormatLength) return generalFormat;
  const sections = sectionsOf(code);
  const [positive, negative, zero] = sections;
  if (positive === undefined) return generalFormat;
  if (isDate(positive.code)) return { kind: 'date' };
  if (positive.code.includes('%')) return percentFormat;
  if (negative && zero && sections.every((section) => section.code === '' && section.words !== ''))
    return { kind: 'words', positive: positive.words, negative: negative.words, zero: zero.words };
  const prefix = positive.prefix.replace(/[\s()/.-]/g, '');
  const zeros = /^[^.E/]*/.exec(positive.code)?.[0].replace(/[^0]/g, '').length ?? 0;
  const isPrefixed = /^[+0]\d*$/.test(prefix) && /[0#?]/.test(positive.code);
  return isPrefixed || zeros > 1 ? { kind: 'digits', prefix: isPrefixed ? prefix : '', zeros } : generalFormat;
}

/** Writes a number of the XML with all digits and without an exponent. @param shift power of ten that multiplies the number */
export function expandExponent(text: string, shift = 0): string {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i.exec(text);
  if (!match || text.length > maxNumberLength) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent) + shift;
  const padded = digits.padStart(digits.length + Math.max(0, -point), '0');
  const at = Math.max(0, point);
  const integer =
    padded
      .slice(0, at)
      .padEnd(at, '0')
      .replace(/^0+(?=\d)/, '') || '0';
  const rest = padded.slice(at).replace(/0+$/, '');
  const minus = sign === '-' && /[1-9]/.test(integer + rest) ? '-' : '';
  return minus + integer + (rest === '' ? '' : `.${rest}`);
}

/** Rounds a number to 15 significant digits: a binary fraction adds further digits, which nobody entered. */
function shortestDecimal(text: string): string {
  const value = Number(text);
  return Number.isFinite(value) ? expandExponent(String(Number(value.toPrecision(keptDigits)))) : text;
}

const dayMs = 86_400_000;
/** Day 0 of the two date systems. The 1900 system treats 1900 as a leap year. */
const epochs = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) };

/** Formats a date as `YYYY-MM-DD`, followed by the time if there is one. A time alone becomes `HH:MM:SS`. */
function dateText(value: number, system: 1900 | 1904): string | undefined {
  if (!Number.isFinite(value) || value < 0 || value > 2_958_466) return undefined;
  const days = system === 1900 && value < 60 && value >= 1 ? value + 1 : value;
  const moment = new Date(epochs[system] + Math.round(days * 86_400) * 1000);
  const [date = '', time = ''] = moment.toISOString().slice(0, 19).split('T');
  if (days < 1 && (days > 0 || system === 1900)) return time;
  return Math.round(days * dayMs) % dayMs < 500 || time === '00:00:00' ? date : `${date} ${time}`;
}

/** Formats an ISO 8601 date like dates that are stored as numbers. */
export function isoDateText(text: string): string {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  if (date === undefined) return text;
  return time === undefined || time === '00:00:00' ? date : `${date} ${time}`;
}

/**
 * Formats a number as people see it, but without shortening long whole numbers as spreadsheets do. A number with more digits
 * than a spreadsheet keeps is written with an exponent: its last digits are lost.
 */
export function numberText(stored: string, format: NumberFormat, system: 1900 | 1904): string {
  const text = stored.trim();
  const value = Number(text);
  if (text === '' || text.length > maxNumberLength || !Number.isFinite(value)) return text;
  if (format.kind === 'date') return dateText(value, system) ?? text;
  if (format.kind === 'percent') return `${shortestDecimal(expandExponent(text, 2))}%`;
  if (format.kind === 'words') return value > 0 ? format.positive : value < 0 ? format.negative : format.zero;
  const exact = expandExponent(text);
  const digits = exact.includes('.') ? shortestDecimal(exact) : exact;
  if (digits.includes('.')) return digits;
  if (digits.replace('-', '').length > keptDigits) return value.toExponential(keptDigits - 1).toUpperCase();
  if (format.kind === 'general' || digits.startsWith('-')) return digits;
  return format.prefix + digits.padStart(format.zeros, '0');
}
