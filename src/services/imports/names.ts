import { validationError } from '../../errors.js';
import type { Core } from '../core.js';
import { idEndingWith } from '../short-ids.js';

/** A number of an import, as people write it. */
const writtenNumber = /^[1-9]\d{0,9}$/;

async function idNumbered({ database }: Core, typed: string): Promise<string | undefined> {
  if (!writtenNumber.test(typed)) return undefined;
  const where = { number: Number(typed) };
  return (await database.read(() => database.models.Import.findOne({ attributes: ['id'], where })))?.id;
}

/**
 * The id of the import that a text names: its number, or the end of its id. Any other text, as a whole id, is returned as it
 * is: the operation finds it, or refuses it.
 * @throws AppError `VALIDATION` for the end of several ids, and for digits that are a number and the end of another id
 */
export async function importIdOf(core: Core, reference: string): Promise<string> {
  const typed = reference.trim();
  const numbered = await idNumbered(core, typed);
  const ending = await idEndingWith(core, 'Import', typed);
  if (numbered !== undefined && ending !== undefined && numbered !== ending) {
    const message = `Import: ${typed} is the number of one import and the end of the id of another. Give the whole id: ${numbered} (number ${typed}), ${ending}.`;
    throw validationError([{ path: 'id', message }]);
  }
  return numbered ?? ending ?? reference;
}
