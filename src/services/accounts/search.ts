import { Op, QueryTypes, type Sequelize, type WhereOptions } from 'sequelize';
import { contains } from '../../db/conditions.js';
import type { User } from '../../db/models/user.js';
import { rowsOf } from '../../db/page.js';
import { hasWords, isAmongThoseWith, type WordSearch, wordCountSql } from '../../db/word-conditions.js';
import type { Role } from '../../schemas/fields.js';
import { phoneKey, searchKey } from '../../schemas/keys.js';
import { searchedWords } from '../../schemas/search-words.js';
import type { Core } from '../core.js';

/** The condition that accounts match a search, twice: for the rows of a page, and to count them. */
export interface AccountSearch {
  where: WhereOptions<User>;
  /** The same accounts. */
  countedWhere: WhereOptions<User>;
}

const same = (where: WhereOptions<User>): AccountSearch => ({ where, countedWhere: where });

/** The accounts that are searched. */
export interface AmongAccounts {
  role?: Role;
}

/** As many accounts that match a word are read to sort them for a page; where more match, the page is found in its order. */
const mostSorted = 5000;
/**
 * As many are read from an index to count them; where more match, counting in the table comes to the bound sooner. Of several
 * words, or with filters, few may match in all, and it would come there late.
 */
const mostCollected = 30_000;
const mostIntersected = 100_000;

/** As many words of a search are looked up, to find the rarest. */
const mostWords = 3;

/** The keys that phones may begin with: of a number without its plus, too. */
function phonesOf(search: string): string[] {
  const key = phoneKey(search);
  if (!/\d/.test(key)) return [];
  return /^\d/.test(key) ? [key, `+${key}`] : [key];
}

interface Rarest {
  word: string;
  accounts: number;
}

/** The word of a search that the fewest accounts have, as far as they are counted: the longest words are the likeliest. */
async function rarestOf(
  { database: { sequelize, read } }: Core,
  { words, phones }: WordSearch,
  most: number,
): Promise<Rarest> {
  let rarest: Rarest = { word: '', accounts: Number.POSITIVE_INFINITY };
  for (const word of words.toSorted((a, b) => b.length - a.length).slice(0, mostWords)) {
    const sql = wordCountSql(sequelize, word, phones, most + 1);
    const [found] = await read(() => sequelize.query<{ total: number }>(sql, { type: QueryTypes.SELECT }));
    const accounts = Number(found?.total);
    if (accounts < rarest.accounts) rarest = { word, accounts };
    if (accounts <= mostSorted) break;
  }
  return rarest;
}

/** How long it is remembered that there are many, in milliseconds: counting them takes longer than most searches. */
const rememberedMs = 60_000;

/** Until when accounts are remembered to be many, by their condition. */
const remembered = new WeakMap<Sequelize, Map<string, number>>();

/** Whether there are more accounts than a search may read. */
async function areMany({ database, config, now }: Core, among: AmongAccounts): Promise<boolean> {
  const { sequelize, models, read } = database;
  const until = remembered.get(sequelize) ?? new Map<string, number>();
  remembered.set(sequelize, until);
  const name = among.role ?? '';
  const time = now().getTime();
  if ((until.get(name) ?? 0) > time) return true;
  const most = config.search.scannedAccounts;
  const isMany = (await read(() => rowsOf(models.User, { where: { ...among }, order: [] }).count(most + 1))) > most;
  if (isMany) until.set(name, time + rememberedMs);
  return isMany;
}

/**
 * The accounts that a search finds (docs/OPERATIONS.md). Among few it finds text anywhere in their names and emails, by
 * reading them all; among more than `SEARCH_SCAN_ACCOUNTS` those that have all its words, by the beginnings of theirs.
 * @param among the accounts that are searched: it decides how many they are
 * @param others whether the accounts found are further filtered
 * @param withPhones whether phones are searched: not for trainers, who aren't shown them
 */
export async function accountsFound(
  core: Core,
  search: string | undefined,
  { among, others = false, withPhones = false }: { among: AmongAccounts; others?: boolean; withPhones?: boolean },
): Promise<AccountSearch> {
  const { sequelize } = core.database;
  const key = searchKey(search);
  if (search === undefined || key === '') return same({});
  const sought: WordSearch = { words: searchedWords(key), phones: withPhones ? phonesOf(search) : [] };
  const byWords = hasWords(sequelize, 'User', sought);
  if (!(await areMany(core, among))) {
    const anywhere = [
      contains(sequelize, 'User.search_key', key),
      ...(withPhones ? [contains(sequelize, 'User.phone_key', phoneKey(search))] : []),
    ];
    return same({ [Op.and]: [{ [Op.or]: [...anywhere, byWords] }] });
  }
  const where = { [Op.and]: [byWords] };
  const isIntersected = others || sought.words.length > 1;
  const most = isIntersected ? mostIntersected : mostCollected;
  const { word, accounts } = await rarestOf(core, sought, most);
  if (accounts > most) return same(where);
  const inIndex = isAmongThoseWith(sequelize, '`User`.`id`', word, sought.phones);
  // The index knows all of a single word.
  const collected = { [Op.and]: sought.words.length > 1 ? [inIndex, byWords] : [inIndex] };
  return { where: accounts <= mostSorted || isIntersected ? collected : where, countedWhere: collected };
}
