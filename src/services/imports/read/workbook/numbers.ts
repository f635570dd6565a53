/** Digits that a spreadsheet keeps of a number. */
const keptDigits = 15;

/** How a number is shown. */
export type NumberFormat =
  | { kind: 'date' }
  | { kind: 'percent' }
  /** At least so many digits, after a plus where the format has one. */
  | { kind: 'digits'; plus: boolean; zeros: number }
  | { kind: 'general' };

const general: NumberFormat = { kind: 'general' };

/** Formats that files name by their number alone (ECMA-376, part 1, 18.8.30). */
const builtIn = new Map<number, NumberFormat>([
  ...[9, 10].map((id): [number, NumberFormat] => [id, { kind: 'percent' }]),
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47].map(
    (id): [number, NumberFormat] => [id, { kind: 'date' }],
  ),
  ...[50, 51, 52, 53, 54, 55, 56, 57, 58].map((id): [number, NumberFormat] => [id, { kind: 'date' }]),
]);

/** What a format of a file says, of its part for positive numbers. */
export function formatOf(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return builtIn.get(id) ?? general;
  const [positive = ''] = code.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  const plus = /^\s*(?:"\+"|\\?\+)\s*[0#]/.test(positive.replace(/\[[^\]]*\]/g, ''));
  // Without quoted texts, escaped characters, colours, languages and fill characters.
  const bare = positive.replace(/"[^"]*"|\\.|_.|\*./g, '').replace(/\[(?![hms]+\])[^\]]*\]/gi, '');
  if (/[ymdhs]/i.test(bare) && !/[0#?]\s*E/i.test(bare) && !/general/i.test(bare)) return { kind: 'date' };
  if (bare.includes('%')) return { kind: 'percent' };
  const zeros = /^[^.]*/.exec(bare)?.[0].replace(/[^0]/g, '').length ?? 0;
  return plus || zeros > 1 ? { kind: 'digits', plus, zeros } : general;
}

/** A number in XML without its exponent: all its digits. */
export function allDigits(text: string): string {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i.exec(text.trim());
  if (!match) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
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

/** The shortest text of the same number: binary fractions have digits that nobody typed. */
function shortest(text: string): string {
  const value = Number(text);
  return Number.isFinite(value) ? allDigits(String(Number(value.toPrecision(keptDigits)))) : text;
}

const dayMs = 86_400_000;
/** Day 0 of the two date systems; the first takes 1900 for a leap year. */
const epochs = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) };

/** A date as `YYYY-MM-DD`, with a time where it has one; a time alone as `HH:MM:SS`. */
function dateText(value: number, system: 1900 | 1904): string | undefined {
  if (!Number.isFinite(value) || value < 0 || value > 2_958_466) return undefined;
  const days = system === 1900 && value < 60 && value >= 1 ? value + 1 : value;
  const moment = new Date(epochs[system] + Math.round(days * 86_400) * 1000);
  const [date = '', time = ''] = moment.toISOString().slice(0, 19).split('T');
  if (days < 1 && system === 1900) return time;
  return Math.round(days * dayMs) % dayMs < 500 || time === '00:00:00' ? date : `${date} ${time}`;
}

/**
 * A number as people see it, with all digits of a whole one: spreadsheets show long ones shortened, and so write them to CSV. One with
 * more digits than a spreadsheet keeps stays in powers of ten: its last digits are lost.
 */
export function numberText(text: string, format: NumberFormat, system: 1900 | 1904): string {
  if (format.kind === 'date') return dateText(Number(text), system) ?? text;
  if (format.kind === 'percent') return `${shortest(allDigits(`${text.trim()}${/e/i.test(text) ? '' : 'e2'}`))}%`;
  const digits = allDigits(text);
  const isWhole = /^-?\d+$/.test(digits);
  if (!isWhole) return /[.]/.test(digits) ? shortest(digits) : digits;
  if (digits.replace(/^-|0+$/g, '').length > keptDigits || digits.length > keptDigits + 5)
    return Number(text)
      .toExponential(keptDigits - 1)
      .toUpperCase();
  if (format.kind === 'general' || digits.startsWith('-')) return digits;
  return (format.plus ? '+' : '') + digits.padStart(format.zeros, '0');
}
