import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

const firstNames = ['José', 'Ada', 'Zoë', 'Karl', 'Maria', 'Anne-Marie', 'Łukasz', 'Olga', 'Peter', 'Nour', 'Siân'];
const lastNames = ['King', 'Müller', 'García', 'Smith', "O'Hara", 'Nowak', 'van Dijk', 'Lopez', 'Haddad', 'Silva'];

const syllables =
  'ma ri an na lo pe zo ka ti no wa ski ber to ha dd ad mu el ler sa do vi ch en or us in gra fe ne'.split(' ');

/** Returns distinct words that look like names. */
function syntheticNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    let word = '';
    // At least two syllables. The first syllable differs from one word to the next.
    for (let rest = index + syllables.length; rest > 0; rest = Math.floor(rest / syllables.length))
      word += syllables[rest % syllables.length];
    return word;
  });
}
const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const manyFirstNames = [...firstNames, ...syntheticNames(3000).map(capitalized)];
const manyLastNames = [...lastNames, ...syntheticNames(40_000).map(capitalized)];
const backwards = (word: string) => Array.from(word).reverse().join('');
/** Reversed, because few domains begin with people's names. */
const domains = ['example.org', ...syntheticNames(2000).map((word) => `${backwards(word)}.example.org`)];

/**
 * Returns numbers from 0 up to 1, evenly spread over the indexes. Numbers for different irrational steps don't correlate.
 */
const spread = (index: number, step: number) => (index * step) % 1;

/**
 * Picks one of `values`, earlier ones more often. Of 40,000 values, the first has 0.5 %, like a country's most frequent
 * last name.
 */
// The cast is safe: a part is less than 1, so the index exists.
const pickFrequent = (values: readonly string[], part: number) =>
  values[Math.floor(values.length * part ** 2)] as string;

/** Returns a name for an email address, with only the letters a to z. */
const inEmail = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');

/**
 * Returns the name and email address of one person among millions. Every seventh person has two last names. Every other
 * email address begins with the name.
 */
export function personAt(index: number): { firstName: string; lastName: string; email: string; domain: string } {
  const firstName = pickFrequent(manyFirstNames, spread(index, Math.sqrt(3)));
  const first = pickFrequent(manyLastNames, spread(index, Math.SQRT2));
  const second = pickFrequent(manyLastNames, spread(index, Math.E));
  const lastName = index % 7 === 0 ? `${first} ${second}` : first;
  const domain = pickFrequent(domains, spread(index, Math.sqrt(5)));
  const name = index % 2 === 0 ? `${inEmail(firstName)}.${inEmail(lastName)}` : 'person';
  return { firstName, lastName, email: `${name}.${index}@${domain}`, domain };
}

/** Bcrypt hash of cost 10, the same for all people. An import stores it unchanged. */
export const passwordHash = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

export type Extra = 'passwordHash' | 'password' | undefined;

/**
 * Writes a file of people with unique emails and phones.
 * @param tag makes the people different from those of other files
 * @param renamed gives each person a different name
 */
export async function writePeople(
  file: string,
  count: number,
  extra: Extra,
  tag: string,
  renamed = false,
): Promise<void> {
  const out = createWriteStream(file);
  out.write(`firstName,lastName,email,phone${extra ? `,${extra}` : ''}\n`);
  let text = '';
  for (let index = 0; index < count; index += 1) {
    const first = firstNames[(renamed ? index + 1 : index) % firstNames.length];
    const name = `${first},${lastNames[(index >> 3) % lastNames.length]}`;
    const number = String(index).padStart(8, '0');
    const last = extra === 'passwordHash' ? `,${passwordHash}` : extra === 'password' ? `,secret of ${index}` : '';
    text += `${name},${tag}.${index}@example.org,+44 ${tag.length}${tag.charCodeAt(0)} ${number}${last}\n`;
    if (text.length < 1_000_000) continue;
    if (!out.write(text)) await new Promise<void>((resolve) => out.once('drain', resolve));
    text = '';
  }
  out.end(text);
  await finished(out);
}
