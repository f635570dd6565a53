import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

export const firstNames = [
  'José',
  'Ada',
  'Zoë',
  'Karl',
  'Maria',
  'Anne-Marie',
  'Łukasz',
  'Olga',
  'Peter',
  'Nour',
  'Siân',
];
export const lastNames = [
  'King',
  'Müller',
  'García',
  'Smith',
  "O'Hara",
  'Nowak',
  'van Dijk',
  'Lopez',
  'Haddad',
  'Silva',
];

/** A bcrypt hash of cost 10, the same for all people: an import stores it unchanged. */
export const passwordHash = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

export type Extra = 'passwordHash' | 'password' | undefined;

/**
 * Writes a file of people with unique emails and phones.
 * @param tag makes them different from those of other files
 * @param renamed gives every person of the same file another name
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
