import { Op, type WhereOptions } from 'sequelize';
import { contains } from '../../db/conditions.js';
import type { User } from '../../db/models/user.js';
import { rowsOf } from '../../db/page.js';
import { hasWords, isInAny, partsByWord, type WordParts, type WordSearch } from '../../db/word-conditions.js';
import type { Role } from '../../schemas/fields.js';
import { phoneKey, searchKey } from '../../schemas/keys.js';
import { type PhoneKeys, plainPhoneKeys } from '../../schemas/phone-keys.js';
import { searchedWords } from '../../schemas/search-words.js';
import type { Core } from '../core.js';
import { type FindParts, maxCounted, type Parts, partsWith } from '../paging.js';
import { readPhoneKeys } from '../phone-country.js';
import { areMany, searchBounds, sortingBounds } from '../search-size.js';

/** The condition that accounts match a search. */
export interface AccountSearch {
  /** For a page: none of its rows is looked up in an index of words. */
  where: WhereOptions<User>;
  /** For those who read all that match. */
  all(): Promise<WhereOptions<User>>;
  /** See `Listing`. */
  maxCounted: number;
  /** Of a search by words. */
  findParts?: FindParts<User> | undefined;
  /** All that match, without regard to other filters, where they were read to find them. */
  ids?: readonly string[];
}

const same = (where: WhereOptions<User>, most: number): AccountSearch => ({
  where,
  all: async () => where,
  maxCounted: most,
});

/** The accounts of a search that meet other conditions. */
export function narrowed(found: AccountSearch, and: (where: WhereOptions<User>) => WhereOptions<User>) {
  const { where, maxCounted: most, findParts } = found;
  return {
    where: and(where),
    maxCounted: most,
    findParts: findParts && partsWith<User, User>(findParts, and),
  };
}

/** The accounts that are searched. */
export interface AmongAccounts {
  role?: Role;
}

/** What is searched, and for what. */
interface Wanted extends WordSearch {
  /** See `partsByWord`. */
  onlyIds: boolean;
}

/** Accounts that are counted of a search by words: each may cost reading a row, to see whether it matches other filters. */
const maxCountedByWords = 1000;

/** As many words of a search are looked up, to find the rarest. */
const maxWords = 3;

const hasDigit = /\d/;

/** The keys that phones may begin with: of a number without its plus, too. */
function phonesOf(search: string, { startOf }: PhoneKeys): string[] {
  const key = phoneKey(search);
  if (!hasDigit.test(key)) return [];
  return [...new Set([key, ...(/^\d/.test(key) ? [`+${key}`] : []), startOf(search) ?? key])];
}

/** A word with the accounts that have it. */
interface LookedUp extends WordParts {
  word: string;
}

/** A word of a search that few accounts have, or else one that many have: the longest words are the likeliest. */
async function rareWordOf({ database }: Core, { words, phones, onlyIds }: Wanted): Promise<LookedUp | undefined> {
  const { sequelize, read } = database;
  // Many accounts have each initial.
  const longer = words.filter((word) => word.length > 1);
  const longest = (longer.length > 0 ? longer : words).toSorted((a, b) => b.length - a.length).slice(0, maxWords);
  // There is nothing to choose from one word: the first bound would only be counted for nothing.
  const bounds = longest.length > 1 ? searchBounds.rare : searchBounds.rare.slice(-2);
  const all = new Map<string, LookedUp>();
  for (const few of bounds)
    for (const word of longest) {
      let found = all.get(word);
      if (found?.entries === undefined) {
        found = { word, ...(await read(() => partsByWord(sequelize, word, phones, { few, onlyIds }))) };
        all.set(word, found);
      }
      if (found.entries !== undefined && found.entries <= few) return found;
    }
  return longest[0] === undefined ? undefined : all.get(longest[0]);
}

/** The accounts that have one word, or a phone. */
function accountsWithWord({ database }: Core, word: string, { words, phones, onlyIds }: Wanted): AccountSearch {
  const { sequelize, read } = database;
  const where = { [Op.and]: [hasWords(sequelize, { words, phones })] };
  const findParts: FindParts<User> = async (few, sortedBy) => {
    const options = { few, sortedBy, onlyIds };
    const { parts, largest, entries } = await read(() => partsByWord(sequelize, word, phones, options));
    const [first] = parts;
    const some = first && { where: first.where, entries: largest };
    return { parts, entries, some, rows: first?.isDistinct ? largest : 0 };
  };
  const all = async () => {
    const { collected } = searchBounds;
    const { entries = Number.POSITIVE_INFINITY } = await findParts(collected);
    return entries > collected ? where : { [Op.and]: [isInAny(sequelize, word, phones)] };
  };
  return { where, all, maxCounted: maxCountedByWords, findParts };
}

/** The accounts that have several words, or a phone. */
async function accountsWithWords(core: Core, sought: Wanted): Promise<AccountSearch> {
  const { sequelize, models, read } = core.database;
  const matches = hasWords(sequelize, sought);
  const where = { [Op.and]: [matches] };
  const rare = await rareWordOf(core, sought);
  if (!rare) return same(where, maxCountedByWords);
  const { word, largest } = rare;
  const isRare = rare.entries !== undefined && rare.entries <= Math.max(...searchBounds.rare);
  // The indexes know the word alone. Phones have none of the words.
  const words = sought.phones.length > 0 ? sought.words : sought.words.filter((other) => other !== word);
  const hasOthers = hasWords(sequelize, { ...sought, words });
  const parts = rare.parts.map((part) => ({ ...part, where: { [Op.and]: [part.where, hasOthers] } }));
  const found = { where, maxCounted: maxCountedByWords };
  const all = async () => (isRare ? { [Op.and]: [isInAny(sequelize, word, sought.phones), matches] } : where);
  const [first] = parts;
  const byRareWord: Parts<User> = {
    parts,
    entries: rare.entries,
    inOnePass: true,
    some: first && { where: first.where, entries: largest },
    rows: 0,
  };
  if (!isRare) return { ...found, all, findParts: async () => byRareWord };
  const { named, counted } = searchBounds;
  const readIds = () =>
    read(() => rowsOf(models.User, { where: {}, order: [], parts }).ids(Math.max(counted, named + 1)));
  const byIds = (ids: string[]): Parts<User> => {
    const some = { where: { id: ids }, entries: ids.length };
    if (ids.length > named) return { ...byRareWord, some, rows: ids.length };
    return { parts: [{ where: { id: ids } }], entries: ids.length, inOnePass: true, some, rows: ids.length };
  };
  if (sought.onlyIds) {
    // Once, for the page and the count.
    const ids = await readIds();
    if (ids.length <= named) return { ...same({ id: ids }, maxCountedByWords), ids };
    return { ...found, all, findParts: async () => byIds(ids) };
  }
  let known: Promise<Parts<User>> | undefined;
  const findParts: FindParts<User> = async (_few, sortedBy) => {
    const { sortedOfSeveral } = sortingBounds(sortedBy);
    if (rare.entries !== undefined && rare.entries <= sortedOfSeveral) return byRareWord;
    known ??= readIds().then(byIds);
    return known;
  };
  return { ...found, all, findParts };
}

/**
 * The accounts that a search finds (docs/OPERATIONS.md). Among few it finds text anywhere in their names and emails, by
 * reading them all; among more than `SEARCH_SCAN_ROWS` those that have all its words, by the beginnings of theirs.
 * @param among the accounts that are searched: it decides how many they are
 * @param withPhones whether phones are searched: not for trainers, who aren't shown them
 * @param onlyIds whether rows are found that refer to accounts, without reading those
 */
export async function accountsFound(
  core: Core,
  search: string | undefined,
  { among, withPhones = false, onlyIds = false }: { among: AmongAccounts; withPhones?: boolean; onlyIds?: boolean },
): Promise<AccountSearch> {
  const { sequelize } = core.database;
  const key = searchKey(search);
  if (search === undefined || key === '') return same({}, maxCounted);
  const phoneKeys = withPhones && hasDigit.test(phoneKey(search)) ? await readPhoneKeys(core) : plainPhoneKeys;
  const sought: Wanted = { words: searchedWords(key), phones: withPhones ? phonesOf(search, phoneKeys) : [], onlyIds };
  if (!(await areMany(core, core.database.models.User, { ...among }))) {
    const anywhere = [
      contains(sequelize, 'User.search_key', key),
      ...(withPhones ? [contains(sequelize, 'User.phone_key', phoneKey(search))] : []),
    ];
    return same({ [Op.and]: [{ [Op.or]: [...anywhere, hasWords(sequelize, sought)] }] }, maxCounted);
  }
  const [word, ...others] = sought.words;
  if (word !== undefined && others.length === 0) return accountsWithWord(core, word, sought);
  return accountsWithWords(core, sought);
}
