import type { ErrorSubject } from '../../../errors.js';
import { foldCase } from '../../../schemas/keys.js';
import { listUsers } from '../../../services/accounts/queries.js';
import { type Completable, type SuggestionSource, suggestNames } from '../../../services/completion/completion.js';
import type { Context } from '../../../services/context.js';
import { shellWord } from '../../../shell-quote.js';
import { mostSimilar } from './suggestions.js';

const kinds: Readonly<Partial<Record<ErrorSubject, Completable>>> = {
  Course: 'course',
  User: 'user',
  Group: 'group',
  Trainer: 'user',
  Trainee: 'user',
};

const maxNames = 3;

/** Returns existing names with a spelling similar to the entered name. Tries the longest common beginning first. */
async function similarlySpelled(source: SuggestionSource, kind: Completable, typed: string): Promise<string[]> {
  const characters = Array.from(typed);
  for (let length = characters.length; length > 0; length -= 1) {
    const names = await suggestNames(source, kind, characters.slice(0, length).join(''));
    const byKey = new Map(names.filter(({ isCode }) => !isCode).map(({ value }) => [foldCase(value), value]));
    const found = mostSimilar(foldCase(typed), [...byKey.keys()]).flatMap((key) => byKey.get(key) ?? []);
    if (found.length > 0) return found.slice(0, maxNames);
  }
  return [];
}

/** Returns the emails and names of people who match a search. */
async function peopleNamed(context: Context, typed: string): Promise<string[]> {
  const { items } = await listUsers(context, { search: typed, limit: maxNames });
  return items.map(({ email, firstName, lastName }) => `${email} (${firstName} ${lastName})`);
}

/** Quotes a name for the shell if necessary. Letters of all languages need no quotes. */
const asTypeable = (name: string) => (/^[\p{L}\p{N}@%+=:,./_-]+$/u.test(name) ? name : shellWord(name));

/** Returns the names of records that are similar to an unknown name. */
export async function similarNames(context: Context, subject: ErrorSubject, typed: string): Promise<string[]> {
  const kind = kinds[subject];
  if (kind === undefined) return [];
  const source = { settings: context.config.database, open: async () => context.database };
  try {
    if (kind === 'user' && !typed.includes('@')) return await peopleNamed(context, typed);
    return (await similarlySpelled(source, kind, typed)).map(asTypeable);
  } catch {
    // The caller reports the original failure, which is more useful.
    return [];
  }
}
