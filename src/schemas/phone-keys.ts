import { phoneKey } from './keys.js';

/** Rules by which phones are compared, for a country or without one. */
export interface PhoneKeys {
  /** Two letters; empty for none. */
  country: string;
  /**
   * Returns the key of a phone. Equal phones have equal keys. For a number that is possible in the country, the key is the
   * international form, such as `+491511234567`; otherwise `phoneKey`. Phones with the same `phoneKey` have the same key.
   * The key of a key is the key itself.
   */
  keyOf(phone: string): string;
  /** Returns the beginnings of the keys of all numbers that begin like this phone, besides its `phoneKey`. */
  startsOf(phone: string): Promise<readonly string[]>;
}

/** Returns the digits after a calling code and a national zero, for a number that begins with `+` or `00`. */
async function nationalDigits(digits: string): Promise<string> {
  const { getCountries, getCountryCallingCode } = await import('libphonenumber-js/min');
  // No code is the beginning of another.
  const country = getCountries().find((one) => digits.startsWith(getCountryCallingCode(one)));
  return country === undefined ? '' : digits.slice(getCountryCallingCode(country).length).replace(/^0/, '');
}

/** Minimum number of digits after a national zero. With fewer, a search would find too many phones. */
export const minNational = 3;

/** Rules without a country: numbers are equal if their digits are equal. */
export const plainPhoneKeys: PhoneKeys = {
  country: '',
  keyOf: phoneKey,
  async startsOf(phone) {
    const [, digits] = /^(?:\+|00)(\d+)$/.exec(phoneKey(phone)) ?? [];
    if (digits === undefined) return [];
    const national = await nationalDigits(digits);
    return [`+${digits}`, ...(national.length < minNational ? [] : [`0${national}`])];
  },
};

/** Minimum number of digits after the country code. Shorter numbers are extensions or service numbers. */
const minDigits = 7;

const keysByCountry = new Map<string, PhoneKeys>([['', plainPhoneKeys]]);

/** Whether a text is the two capital letters of a country with known number formats. */
export async function isCountry(text: string): Promise<boolean> {
  return (await import('libphonenumber-js/min')).isSupportedCountry(text);
}

/** Returns the rules of a country. @param country two capital letters; empty for none */
export async function phoneKeysOf(country: string): Promise<PhoneKeys> {
  const known = keysByCountry.get(country);
  if (known) return known;
  // Loaded on first use, because loading takes longer than many commands.
  const { isSupportedCountry, ParseError, parsePhoneNumber } = await import('libphonenumber-js/min');
  if (!isSupportedCountry(country)) throw new Error(`The numbers of the country ${country} are not known.`);
  function parsed(phone: string) {
    try {
      return parsePhoneNumber(phone, { defaultCountry: country as typeof country & 'DE', extract: false });
    } catch (error) {
      if (error instanceof ParseError) return undefined;
      throw error;
    }
  }
  function numberOf(phone: string): string | undefined {
    const found = parsed(phone);
    return found?.isPossible() && found.ext === undefined && found.nationalNumber.length >= minDigits
      ? found.number
      : undefined;
  }
  const keys: PhoneKeys = {
    country,
    keyOf(phone) {
      const plain = phoneKey(phone);
      const number = numberOf(plain);
      // Parsing drops one zero after the country code. If parsing again changes the number, it had two zeros and is
      // invalid.
      return number !== undefined && numberOf(number) === number ? number : plain;
    },
    async startsOf(phone) {
      const found = parsed(phoneKey(phone));
      return found ? [found.number] : [];
    },
  };
  keysByCountry.set(country, keys);
  return keys;
}
