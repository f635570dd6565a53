import { Op, type WhereOptions } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import { contains } from '../../db/sql/conditions.js';
import { courseHasIndexedWords, courseHasWords } from '../../db/sql/search-words.js';
import { searchKey } from '../../schemas/keys.js';
import { searchedWords } from '../../schemas/search-words.js';
import { exceedsScanLimit } from '../accounts/search.js';
import type { Core } from '../core.js';

/** The courses, few of them, that have a text anywhere in their title, category and tags, or all its words. */
export function scanConditions({ database: { sequelize } }: Core, search: string | undefined): WhereOptions<Course>[] {
  const key = searchKey(search);
  if (key === '') return [];
  const matches = courseHasWords(sequelize, searchedWords(key));
  return [{ [Op.or]: [contains(sequelize, 'Course.search_key', key), matches] }];
}

/**
 * The courses that a search of all finds (docs/OPERATIONS.md): among few as {@link scanConditions}, by reading them all; among more
 * than `SEARCH_SCAN_ROWS` those that have all its words, by the beginnings of theirs.
 */
export async function searchConditions(core: Core, search: string | undefined): Promise<WhereOptions<Course>[]> {
  const key = searchKey(search);
  if (key === '' || !(await exceedsScanLimit(core, core.database.models.Course, {})))
    return scanConditions(core, search);
  return [{ [Op.and]: [courseHasIndexedWords(core.database.sequelize, searchedWords(key))] }];
}
