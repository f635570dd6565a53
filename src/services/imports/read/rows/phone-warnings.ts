import type { PlanWarning } from '../../../../db/models/import-plan.js';
import { hasAtSign } from '../../../../schemas/fields.js';
import type { WarningCode } from '../../../../schemas/import.js';
import { phoneKey } from '../../../../schemas/keys.js';
import type { SourceRow } from '../../../../tables/table/table.js';
import { type RowWarning, rowsPerWarning } from '../fields/warnings.js';
import { monthDate, spreadsheetError } from './damaged-names.js';
import { quoteValue, type RowProblem } from './row-problems.js';

/** Matches a long number that a spreadsheet shortened, in any locale. The digits are lost. */
export const mangledNumber = /^[+-]?\p{Nd}+([.,\u066b]\p{Nd}+)?\s?E\s?[+-]?\p{Nd}+$/iu;

/** Matches a rounded number. No phone has more than 15 digits (E.164), and a spreadsheet replaces further digits by zeros. */
const roundedNumber = /^\d{15}0+$/;

/** Matches a phone that a program stored as a decimal number. */
const decimalNumber = /^\d+[.,]0{1,2}$/;

/** Matches most valid phones, to skip the other checks. */
const plainPhone = /^\+?\d[\d ()-]*$/;

export interface PhoneProblem {
  /** `PHONE_MANGLED` if a spreadsheet changed the phone. */
  code: 'PHONE_MANGLED' | 'PHONE_INVALID';
  /** Sentence that is the same for all phones with this problem. */
  message: string;
}

/** Problem of a row without a phone that matches no account. */
export const missingPhone: RowProblem = {
  code: 'PHONE_MISSING',
  field: 'phone',
  message: 'Phone is required for a new account. To create accounts without one: --missing-phone allow.',
  reason: 'Phone is required for a new account.',
};

const mangledPhone = (message: string): PhoneProblem => ({
  code: 'PHONE_MANGLED',
  message: `${message} Format the column as text and enter the phone again.`,
});

/**
 * Returns the problem of a text that is probably not a phone, or undefined. The rules for accounts accept any text. An import
 * rejects the row; the terminal asks the operator.
 */
export function findPhoneProblem(phone: string): PhoneProblem | undefined {
  const isRounded = phone.length > 15 && roundedNumber.test(phone.trim());
  if (!isRounded && plainPhone.test(phone)) return undefined;
  const text = phone.trim();
  if (text === '') return undefined;
  if (isRounded || mangledNumber.test(text))
    return mangledPhone('Phone was turned into a number by a spreadsheet and its digits are lost.');
  if (decimalNumber.test(text)) return mangledPhone('Phone was turned into a decimal number by a spreadsheet.');
  if (spreadsheetError.test(text)) return mangledPhone('Phone is a spreadsheet error.');
  if (text.startsWith('=')) return mangledPhone('Phone is a formula of a spreadsheet.');
  if (hasAtSign(text)) return { code: 'PHONE_INVALID', message: 'Phone looks like an email address.' };
  return /\p{Nd}/u.test(text) ? undefined : { code: 'PHONE_INVALID', message: 'Phone has no digit.' };
}

/** Describes the problem that {@link findPhoneProblem} finds, and quotes the phone. */
export function describePhoneProblem(phone: string): string | undefined {
  const problem = findPhoneProblem(phone);
  return problem && quoteValue('phone', problem.message, phone);
}

const day = '(0?[1-9]|[12]\\d|3[01])';
const month = '(0?[1-9]|1[0-2])';
const year = '(19|20)\\d\\d';
const dates = [
  `${day}[./-]${month}[./-](${year}|\\d\\d)`,
  `${month}/${day}/(${year}|\\d\\d)`,
  `${year}[-/.]${month}[-/.]${day}`,
];
const date = new RegExp(`^(${dates.join('|')})([ T]\\d{1,2}:\\d\\d(:\\d\\d)?)?$`);

/** Separators of two phone numbers, and the minimum digits of each. A slash needs more: it also follows an area code. */
const betweenNumbers = [
  { between: /[,;|\n&]|\s(?:or|and|oder|und|ou|et|o|y|e)\s/iu, digits: 5 },
  { between: /\/|\s-\s/, digits: 6 },
  { between: /(?<=\d\D*)(?=\+)/, digits: 5 },
];

const digitsOf = (text: string) => text.match(/\p{Nd}/gu)?.length ?? 0;

/** Whether a cell has two phone numbers. Neither number would find the account, because the digits of both are joined. */
const hasTwoNumbers = (phone: string): boolean =>
  betweenNumbers.some(({ between, digits }) => {
    const numbers = phone.split(between).filter((part) => digitsOf(part) > 0);
    return numbers.length > 1 && numbers.every((part) => digitsOf(part) >= digits);
  });

/** Matches parts of a phone number other than digits: `tel:` before it, an extension after it. */
const partsOfNumber = /^\s*tel[.:]*|[\s,;.]*(?:ext|extension|durchwahl|dw|poste|x)[.:]?\s*\p{Nd}+\s*$/giu;

const messages = {
  PHONE_DATE: 'Phone looks like a date.',
  PHONE_ZEROS: 'Phone has no digit but zeros.',
  PHONE_SEVERAL: 'Phone has several numbers. Nobody can call or sign in with them. Keep one.',
  PHONE_WORDS: 'Phone has words besides its digits.',
  PHONE_ZERO_LOST:
    'Phones have probably lost their first zero in a spreadsheet: others in the column begin with a zero.',
} as const satisfies Partial<Record<WarningCode, string>>;

function findWarningCode(phone: string): keyof typeof messages | undefined {
  const text = phone.trim();
  if (date.test(text) || monthDate.test(text)) return 'PHONE_DATE';
  if (/^\+?0*$/.test(phoneKey(text))) return 'PHONE_ZEROS';
  if (hasTwoNumbers(text)) return 'PHONE_SEVERAL';
  return /\p{L}/u.test(text.replace(partsOfNumber, '')) ? 'PHONE_WORDS' : undefined;
}

export function phoneWarnings(phone: string): RowWarning[] {
  if (phone === '') return [];
  const code = findWarningCode(phone);
  return code === undefined ? [] : [{ code, field: 'phone', message: messages[code], example: phone }];
}

type WarningCounts = Pick<PlanWarning, 'count' | 'rows' | 'examples'>;

function noteRow(found: WarningCounts, line: number, phone: string | undefined): void {
  found.count += 1;
  if (found.rows.length < rowsPerWarning) found.rows.push(line);
  if (phone !== undefined && found.examples.length < 3) found.examples.push(phone);
}

/** Finds phones without their leading zero, which a spreadsheet dropped in a part of a column. */
export class LostZeroFinder {
  readonly #columns: readonly number[];
  readonly #withZero = new Set<number>();
  /** Other numbers by length: all of them, and those that a sheet stores as numbers. */
  readonly #without = new Map<number, { all: WarningCounts; numbers: WarningCounts }>();
  #count = 0;

  constructor(columns: readonly number[] = []) {
    this.#columns = columns;
  }

  add(
    { line, cells, longNumberColumns = [], mayQuoteCells }: SourceRow & { mayQuoteCells: boolean },
    phone: string,
  ): void {
    const digits = phoneKey(phone);
    if (!/^\d{1,20}$/.test(digits)) return;
    this.#count += 1;
    if (digits.startsWith('0')) {
      this.#withZero.add(digits.length);
      return;
    }
    const none = () => ({ count: 0, rows: [], examples: [] });
    const found = this.#without.get(digits.length) ?? { all: none(), numbers: none() };
    this.#without.set(digits.length, found);
    const shown = mayQuoteCells ? phone : undefined;
    noteRow(found.all, line, shown);
    const column = this.#columns.find((index) => (cells[index] ?? '').trim() !== '');
    if (column !== undefined && longNumberColumns.includes(column)) noteRow(found.numbers, line, shown);
  }

  /**
   * Returns a warning if some phones begin with a zero, and others are one digit shorter and don't. The shorter phones must
   * be most of the column, or be stored as numbers in a sheet.
   */
  list(): PlanWarning[] {
    const short = [...this.#without].filter(([length]) => this.#withZero.has(length + 1)).map(([, found]) => found);
    const total = (all: readonly WarningCounts[]) => all.reduce((sum, { count }) => sum + count, 0);
    const all = short.map((found) => found.all);
    const lost = 2 * total(all) > this.#count ? all : short.map(({ numbers }) => numbers);
    const count = total(lost);
    if (count === 0) return [];
    const rows = lost
      .flatMap((found) => found.rows)
      .sort((one, other) => one - other)
      .slice(0, rowsPerWarning);
    const examples = lost.flatMap((found) => found.examples).slice(0, 3);
    return [{ code: 'PHONE_ZERO_LOST', field: 'phone', message: messages.PHONE_ZERO_LOST, count, rows, examples }];
  }
}
