import { Op, type WhereOptions } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import { contains } from '../../db/sql/conditions.js';
import { courseHasIndexedWords, keyHasWords } from '../../db/sql/search-words.js';
import { searchKey } from '../../schemas/keys.js';
import { searchedWords } from '../../schemas/search-words.js';
import { exceedsScanLimit } from '../accounts/search.js';
import type { Core } from '../core.js';

/**
 * Matches courses that contain a text anywhere in their title, category or tags. Also matches courses with words that
 * begin with each word of the text. Reads every row, so use it only for few courses.
 */
export function scanConditions({ database: { sequelize } }: Core, search: string | undefined): WhereOptions<Course>[] {
  const key = searchKey(search);
  if (search === undefined || key === '') return [];
  const matches = keyHasWords(sequelize, '`Course`.`search_key`', searchedWords(search));
  return [{ [Op.or]: [contains(sequelize, 'Course.search_key', key), matches] }];
}

/**
 * Matches a search of all courses (docs/OPERATIONS.md). Up to `SEARCH_SCAN_ROWS` courses are searched as in {@link
 * scanConditions}. Among more, each searched word must be the beginning of a word of the course, which an index finds.
 */
export async function searchConditions(core: Core, search: string | undefined): Promise<WhereOptions<Course>[]> {
  const isEmpty = search === undefined || searchKey(search) === '';
  if (isEmpty || !(await exceedsScanLimit(core, core.database.models.Course, {}))) return scanConditions(core, search);
  return [{ [Op.and]: [courseHasIndexedWords(core.database.sequelize, searchedWords(search))] }];
}
