import { Op, QueryTypes } from 'sequelize';
import type { Database } from '../../../db/connection.js';
import { AppError } from '../../../errors.js';
import { isOwnKey } from '../../../storage/storage.js';
import { imageKeyOf } from '../../files/images.js';
import { isId } from '../../ids.js';

/** Maximum number of rows that the message names; the others are counted. */
const namedRows = 5;

/** Splits a path. A program on another operating system may have written it. */
const partsOf = (file: string): string[] => file.split(/[\\/]/);

export const fileNameOf = (file: string): string => partsOf(file).at(-1) ?? '';

/** Any column of SQLite can hold bytes, so texts are checked. */
const isText = (value: unknown): value is string => typeof value === 'string';

const leadsElsewhere = (file: string): boolean => file.includes('\0') || partsOf(file).includes('..');

function isInFolderOf(id: string, file: string): boolean {
  const [folder, name = ''] = partsOf(file).slice(-2);
  return !leadsElsewhere(file) && folder === id && name !== '' && name !== '.';
}

/** Row with a value that this program never writes. */
interface BadRow {
  row: string;
  value: unknown;
}

/**
 * Finds parts of an SQLite schema that this program never creates. Triggers and views can change checked data, and a view
 * may never end. Expressions and conditions of indexes run with each change of a row. `CAST` and `typeof` find types that
 * SQLite accepts but a plain comparison misses.
 */
const foreignPartsSql = `SELECT CAST(type AS TEXT) AS type, name FROM sqlite_master
  WHERE typeof(type) <> 'text' OR type NOT IN ('table', 'index')
  UNION SELECT type || ' table', name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual'
  UNION SELECT 'index with an expression', i.name FROM pragma_table_list t JOIN pragma_index_list(t.name) i
    WHERE t.schema = 'main' AND (i.partial OR EXISTS (SELECT 1 FROM pragma_index_xinfo(i.name) WHERE cid = -2))`;

/**
 * Checks that a restored SQLite file has only plain tables and indexes of columns, before any of them is read. On a server,
 * the operator is responsible for the schema.
 * @param name name of the database for the message
 * @throws AppError `FILE_UNUSABLE`
 */
export async function assertPlainTables({ sequelize, read }: Database, name: string): Promise<void> {
  const options = { type: QueryTypes.SELECT } as const;
  const found = await read(() => sequelize.query<{ type: string; name: string }>(foreignPartsSql, options));
  refuse(
    found.map((part) => ({ row: part.type.toLowerCase(), value: part.name })),
    name,
  );
}

async function badImports({ models: { Import } }: Database): Promise<BadRow[]> {
  // Columns of the first version of the table, because the restored schema may be older than this program.
  const attributes = ['id', 'origin', 'filePath', 'credentialsFile', 'rejectsFile'];
  return (await Import.findAll({ attributes, raw: true })).flatMap((record) => {
    const { id, origin, filePath, credentialsFile, rejectsFile } = record;
    if (!isText(id) || !isId(id)) return [{ row: 'import', value: id }];
    const files = [filePath, credentialsFile, rejectsFile].filter((file) => file !== null);
    // At a terminal, operators choose the folders of files. Over HTTP, the program does.
    const isBad = origin === 'http' ? (file: string) => !isInFolderOf(id, file) : leadsElsewhere;
    return files.filter((file) => !isText(file) || isBad(file)).map((value) => ({ row: `import ${id}`, value }));
  });
}

async function badFiles({ models: { StoredFile } }: Database): Promise<BadRow[]> {
  const files = await StoredFile.findAll({ attributes: ['id', 'storageKey'], raw: true });
  return (
    files
      // Other programs may have objects in the same bucket.
      .filter(({ storageKey }) => !isText(storageKey) || !isOwnKey(storageKey))
      .map(({ id, storageKey }) => ({ row: `file ${id}`, value: storageKey }))
  );
}

async function badImages({ models: { User, Course } }: Database): Promise<BadRow[]> {
  const isBad = (image: string | null): image is string =>
    image !== null && (!isText(image) || imageKeyOf(image) === undefined);
  const given = { [Op.ne]: null };
  const users = await User.findAll({ attributes: ['id', 'avatar'], where: { avatar: given }, raw: true });
  const courses = await Course.findAll({ attributes: ['id', 'thumbnail'], where: { thumbnail: given }, raw: true });
  return [
    ...users.map(({ id, avatar }) => ({ row: `image of user ${id}`, value: avatar })),
    ...courses.map(({ id, thumbnail }) => ({ row: `image of course ${id}`, value: thumbnail })),
  ].flatMap(({ row, value }) => (isBad(value) ? [{ row, value }] : []));
}

/**
 * Checks that a restored database names only files in folders of this program. Otherwise the author of a backup could have
 * other files read or removed.
 * @param name name of the database for the message
 * @throws AppError `FILE_UNUSABLE` with the bad rows
 */
export async function assertOwnFiles(database: Database, name: string): Promise<void> {
  const bad = await database.read(async () => [
    ...(await badImports(database)),
    ...(await badFiles(database)),
    ...(await badImages(database)),
  ]);
  refuse(bad, name);
}

/** Throws an error that names the first bad rows, if any. @throws AppError `FILE_UNUSABLE` */
function refuse(bad: readonly BadRow[], name: string): void {
  if (bad.length === 0) return;
  const named = bad
    .slice(0, namedRows)
    .map(({ row, value }) => `${row}: ${isText(value) ? JSON.stringify(value) : 'bytes'}`);
  const more = bad.length > namedRows ? [`${bad.length - namedRows} more`] : [];
  throw new AppError(
    'FILE_UNUSABLE',
    `${name} has data that this program never writes, and may name files of other programs: ${[...named, ...more].join('; ')}. Nothing was restored. Use another backup, and find out who made this one.`,
  );
}
