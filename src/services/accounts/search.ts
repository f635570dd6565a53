import { type Model, type ModelStatic, Op, type WhereOptions } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { contains } from '../../db/sql/conditions.js';
import { rowQuery } from '../../db/sql/page.js';
import { accountHasWords, lookUpWords, type WordSearch } from '../../db/sql/search-words.js';
import type { Role } from '../../schemas/fields.js';
import { phoneKey, searchKey } from '../../schemas/keys.js';
import { minNational, type PhoneKeys, plainPhoneKeys } from '../../schemas/phone-keys.js';
import { searchedWords } from '../../schemas/search-words.js';
import type { Core } from '../core.js';
import { type IndexedParts, maxCounted, narrowParts, searchBounds } from '../paging.js';
import { readPhoneKeys } from '../phone-country.js';

/** Condition of a search for accounts, and how to find and count its matches: see `Listing` in paging.ts. */
export interface AccountSearch {
  where: WhereOptions<User>;
  maxCounted: number;
  parts?: IndexedParts<User> | undefined;
  /** Condition for reading all matches instead of a page. */
  all: WhereOptions<User>;
}

const unindexedSearch = (where: WhereOptions<User>, most: number): AccountSearch => ({
  where,
  all: where,
  maxCounted: most,
});

/** Adds conditions to a search. */
export function narrowSearch(
  { where, parts, all, ...found }: AccountSearch,
  and: (where: WhereOptions<User>) => WhereOptions<User>,
): AccountSearch {
  return { ...found, where: and(where), parts: parts && narrowParts<User, User>(parts, and), all: and(all) };
}

/** Whether there are more rows than a search may read (`SEARCH_SCAN_ROWS`). @param among condition of the searched rows */
export async function exceedsScanLimit<M extends Model>(
  { database, config }: Core,
  model: ModelStatic<M>,
  among: WhereOptions<M>,
): Promise<boolean> {
  const most = config.search.scannedRows;
  return (await database.read(() => rowQuery(model, { where: among, order: [] }).count(most + 1))) > most;
}

/** Maximum number of counted matches of a search by words: other filters may have to read the row of each match. */
const maxCountedByWords = 1000;

/** Number of words that are looked up to find the rarest one. The longest words are used, because they are likely rare. */
const maxWords = 3;

const hasDigit = /\d/;

/** Beginnings of the keys of phones that a search finds, also for a number without its plus. Empty without a digit. */
async function phoneStarts(search: string, { startsOf }: PhoneKeys): Promise<string[]> {
  const key = phoneKey(search);
  if (!hasDigit.test(key)) return [];
  return [...new Set([key, ...(/^\d/.test(key) ? [`+${key}`] : []), ...(await startsOf(search))])];
}

/** Texts that a scan finds anywhere in the keys of phones: the international form has no national zero. */
function phoneTexts(search: string): string[] {
  const key = phoneKey(search);
  const [, national = ''] = /^0+(\d+)$/.exec(key) ?? [];
  return [key, ...(national.length < minNational ? [] : [national])];
}

/**
 * Matches accounts that contain a text anywhere in their names and email, or have all its words. Reads every account, so use
 * it only for few accounts.
 */
export function scanForAccounts({ database: { sequelize } }: Core, search: string): WhereOptions<User> {
  const hasWords = accountHasWords(sequelize, { words: searchedWords(search), phones: [] });
  return { [Op.or]: [contains(sequelize, 'User.search_key', searchKey(search)), hasWords] };
}

/**
 * Plans a search for accounts that have all words, or a phone, by the indexes of the rarest word.
 * @param few see {@link planAccountSearch}
 */
async function planWordSearch({ database }: Core, sought: WordSearch, few: number): Promise<AccountSearch> {
  const { sequelize, read } = database;
  const { words, phones } = sought;
  const matches = accountHasWords(sequelize, sought);
  const where = { [Op.and]: [matches] };
  const { counted } = searchBounds;
  const longest = words.toSorted(([one], [other]) => other.length - one.length).slice(0, maxWords);
  const found = await read(() => lookUpWords(sequelize, longest, phones, counted + 1));
  const rarest = found.toSorted((one, other) => one.entries - other.entries)[0];
  if (!rarest) return unindexedSearch(where, maxCountedByWords);
  // The index matches the rarest word, so only the other words are checked. With phones, the index also finds accounts
  // without this word, so all words are checked.
  const others = phones.length > 0 ? words : words.filter((word) => word !== rarest.word);
  const and = words.length > 1 ? [accountHasWords(sequelize, { words: others, phones })] : [];
  return {
    where,
    maxCounted: maxCountedByWords,
    parts: {
      parts: rarest.parts.map((part) => ({ where: { [Op.and]: [part, ...and] } })),
      areFew: rarest.entries <= (words.length > 1 ? counted : few),
    },
    all: rarest.entries <= counted ? { [Op.and]: [rarest.isInAny, matches] } : where,
  };
}

/**
 * Plans a search for accounts (docs/OPERATIONS.md). Among up to `SEARCH_SCAN_ROWS` accounts, it reads all of them and
 * finds text anywhere in names and emails. Among more accounts, each word of the search must begin a word of the
 * account.
 * @param among restricts the searched accounts
 * @param withPhones whether phones are searched; false for trainers, who don't see phones
 * @param few maximum number of accounts with the rarest word that may be read to find a page
 */
export async function planAccountSearch(
  core: Core,
  search: string | undefined,
  {
    among,
    withPhones = false,
    few = searchBounds.counted,
  }: { among: { role?: Role }; withPhones?: boolean; few?: number },
): Promise<AccountSearch> {
  const { sequelize, models } = core.database;
  const key = searchKey(search);
  if (search === undefined || key === '') return unindexedSearch({}, maxCounted);
  const phoneKeys = withPhones && hasDigit.test(phoneKey(search)) ? await readPhoneKeys(core) : plainPhoneKeys;
  const phones = withPhones ? await phoneStarts(search, phoneKeys) : [];
  if (await exceedsScanLimit(core, models.User, among))
    return planWordSearch(core, { words: searchedWords(search), phones }, few);
  const byPhone = [
    ...phoneTexts(search).map((text) => contains(sequelize, 'User.phone_key', text)),
    accountHasWords(sequelize, { words: [], phones }),
  ];
  return unindexedSearch(
    { [Op.and]: [{ [Op.or]: [scanForAccounts(core, search), ...(withPhones ? byPhone : [])] }] },
    maxCounted,
  );
}
