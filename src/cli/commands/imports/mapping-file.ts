import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError, isAppError, systemErrorCode } from '../../../errors.js';
import { type ColumnMappings, columnMappingsSchema } from '../../../schemas/import.js';
import { validate } from '../../../schemas/validate.js';
import type { Run } from '../../core/command/run.js';

/** Saved answers of users about the columns of files, for each set of headings in any order. */
export interface MappingFile {
  /** Returns the mappings for these headings; undefined without saved answers. */
  find(headings: readonly string[]): readonly string[] | undefined;
  /** Saves the mappings for these headings. @throws AppError `FILE_UNUSABLE` */
  remember(headings: readonly string[], map: readonly string[]): Promise<void>;
}

const keyOf = (headings: readonly string[]) => JSON.stringify([...headings].sort());

async function storedMappings(file: string, named: string): Promise<ColumnMappings> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return { mappings: [] };
    if (systemErrorCode(error) === undefined) throw error;
    throw new AppError('USAGE', `The file ${named} can't be read (${systemErrorCode(error)}).`, { cause: error });
  }
  try {
    return validate(columnMappingsSchema, JSON.parse(text));
  } catch (error) {
    if (!isAppError(error, 'VALIDATION') && !(error instanceof SyntaxError)) throw error;
    throw new AppError('USAGE', `The file ${named} has no mappings of columns. Name another file, or a new one.`, {
      cause: error,
    });
  }
}

/** @throws AppError `USAGE` for a file without mappings */
export async function openMappingFile({ io }: Pick<Run, 'io'>, named: string): Promise<MappingFile> {
  const file = path.resolve(io.cwd, named);
  const { mappings } = await storedMappings(file, named);
  return {
    find: (headings) => mappings.find((one) => keyOf(one.headings) === keyOf(headings))?.map,
    async remember(headings, map) {
      const others = mappings.filter((one) => keyOf(one.headings) !== keyOf(headings));
      const kept: ColumnMappings = { mappings: [...others, { headings: [...headings], map: [...map] }] };
      try {
        await writeFile(file, `${JSON.stringify(kept, null, 2)}\n`);
      } catch (error) {
        if (systemErrorCode(error) === undefined) throw error;
        throw new AppError('FILE_UNUSABLE', `The file ${named} can't be written (${systemErrorCode(error)}).`, {
          cause: error,
        });
      }
    },
  };
}
