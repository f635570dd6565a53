import { Op, type Utils, type WhereOptions } from 'sequelize';
import { contains } from '../../db/conditions.js';
import type { User } from '../../db/models/user.js';
import { countByWord, hasWords, type WordCount, type WordSearch } from '../../db/word-conditions.js';
import type { Role } from '../../schemas/fields.js';
import { phoneKey, searchKey } from '../../schemas/keys.js';
import { searchedWords } from '../../schemas/search-words.js';
import type { Core } from '../core.js';
import { mostCounted } from '../paging.js';
import { areMany } from '../search-size.js';

/** The condition that accounts match a search. */
export interface AccountSearch {
  /** For the rows of a page. */
  where: WhereOptions<User>;
  /** To count them up to a bound: see `Listing.counted`. */
  counted: WhereOptions<User>[];
  mostCounted: number;
  /** Of a search by words: how many accounts have the rarest word, as far as they were counted, and whether it has no other. */
  byWords?: { accounts: number; isWhole: boolean };
  /** All that match, without regard to other filters, where they were read to find them. */
  ids?: readonly string[];
}

const same = (where: WhereOptions<User>, most: number): AccountSearch => ({
  where,
  counted: [where],
  mostCounted: most,
});

/** The accounts that are searched. */
export interface AmongAccounts {
  role?: Role;
}

/**
 * As many accounts that match a word are collected from the indexes, to sort or to count them. Where more match, a page is
 * found in its order.
 */
const mostCollected = 10_000;
/** Of several words all of which have more, few accounts may match all, and in the order of a page they would come late. */
const mostIntersected = 100_000;

/** Accounts that are counted of a search by words: each may cost reading a row, to see whether it matches other filters. */
const mostCountedByWords = 1000;

/** Up to so many accounts are named by their ids in a query. */
const mostNamed = 1000;

/** As many words of a search are looked up, to find the rarest. */
const mostWords = 3;

/** The keys that phones may begin with: of a number without its plus, too. */
function phonesOf(search: string): string[] {
  const key = phoneKey(search);
  if (!/\d/.test(key)) return [];
  return /^\d/.test(key) ? [key, `+${key}`] : [key];
}

/** The word of a search that the fewest accounts have, as far as they are counted: the longest words are the likeliest. */
async function rarestOf(
  { database }: Core,
  { words, phones }: WordSearch,
  most: number,
): Promise<WordCount | undefined> {
  let rarest: WordCount | undefined;
  for (const word of words.toSorted((a, b) => b.length - a.length).slice(0, mostWords)) {
    const counted = await database.read(() => countByWord(database.sequelize, word, phones, most + 1));
    if (rarest === undefined || counted.accounts < rarest.accounts) rarest = counted;
    if (rarest.accounts <= mostCollected) break;
  }
  return rarest;
}

/**
 * The accounts that a search finds (docs/OPERATIONS.md). Among few it finds text anywhere in their names and emails, by
 * reading them all; among more than `SEARCH_SCAN_ROWS` those that have all its words, by the beginnings of theirs.
 * @param among the accounts that are searched: it decides how many they are
 * @param withPhones whether phones are searched: not for trainers, who aren't shown them
 */
export async function accountsFound(
  core: Core,
  search: string | undefined,
  { among, withPhones = false }: { among: AmongAccounts; withPhones?: boolean },
): Promise<AccountSearch> {
  const { sequelize } = core.database;
  const key = searchKey(search);
  if (search === undefined || key === '') return same({}, mostCounted);
  const sought: WordSearch = { words: searchedWords(key), phones: withPhones ? phonesOf(search) : [] };
  const matches = hasWords(sequelize, sought);
  if (!(await areMany(core, core.database.models.User, { ...among }))) {
    const anywhere = [
      contains(sequelize, 'User.search_key', key),
      ...(withPhones ? [contains(sequelize, 'User.phone_key', phoneKey(search))] : []),
    ];
    return same({ [Op.and]: [{ [Op.or]: [...anywhere, matches] }] }, mostCounted);
  }
  const [where, hasOthers] = [{ [Op.and]: [matches] }, sought.words.length > 1];
  // The indexes know all of a single word.
  const and = (condition: Utils.Literal) => ({ [Op.and]: hasOthers ? [condition, matches] : [condition] });
  let rarest = await rarestOf(core, sought, mostCollected);
  if (hasOthers && rarest && rarest.accounts > mostCollected) rarest = await rarestOf(core, sought, mostIntersected);
  if (!rarest) return same(where, mostCountedByWords);
  const collected = and(rarest.inAny);
  const { accounts } = rarest;
  const byWords = { accounts, isWhole: !hasOthers };
  if (hasOthers && accounts <= mostIntersected) {
    // Once, for the page and the count.
    const { models, read } = core.database;
    const users = await read(() =>
      models.User.findAll({ attributes: ['id'], where: collected, limit: mostNamed + 1, raw: true }),
    );
    const ids = users.map(({ id }) => id);
    if (ids.length <= mostNamed) return { ...same({ id: ids }, mostCountedByWords), ids };
    return { ...same(collected, mostCountedByWords), byWords };
  }
  const isCollected = accounts <= mostCollected;
  return {
    where: isCollected ? collected : where,
    counted: [and(rarest.inLargest), collected],
    mostCounted: mostCountedByWords,
    byWords,
  };
}
