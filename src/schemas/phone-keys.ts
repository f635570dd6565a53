import { phoneKey } from './keys.js';

/** How phones are told apart, where a country is chosen whose way of writing them counts, and where none is. */
export interface PhoneKeys {
  /** Two letters; empty for none. */
  country: string;
  /**
   * What makes two phones the same: the international form of a number that the country can have, `+491511234567`, and else
   * `phoneKey`. It depends on `phoneKey` alone, and the key of a key is the key itself.
   */
  keyOf(phone: string): string;
  /** The beginning of the keys of numbers that begin so, where it isn't `phoneKey`. */
  startOf(phone: string): string | undefined;
}

/** Without a country, numbers are the same if they are written with the same digits. */
export const plainPhoneKeys: PhoneKeys = { country: '', keyOf: phoneKey, startOf: () => undefined };

/** Fewer digits without those of the country are an extension within a house, or a number of a service. */
const minDigits = 7;

const made = new Map<string, PhoneKeys>([['', plainPhoneKeys]]);

/** Whether a text is the two letters of a country, in capitals, whose numbers are known. */
export async function isCountry(text: string): Promise<boolean> {
  return (await import('libphonenumber-js/min')).isSupportedCountry(text);
}

/** @param country two letters in capitals; empty for none */
export async function phoneKeysOf(country: string): Promise<PhoneKeys> {
  const known = made.get(country);
  if (known) return known;
  // Loaded where it is used: it takes longer than many a command.
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
      // A zero after the code of the country is left out once: what then has another one is no number.
      return number !== undefined && numberOf(number) === number ? number : plain;
    },
    startOf: (phone) => parsed(phoneKey(phone))?.number,
  };
  made.set(country, keys);
  return keys;
}
