import { type ImportOptions, importOptionsSchema } from '../../../schemas/import.js';
import { validate } from '../../../schemas/validate.js';
import { commandLine, type Io } from '../../core/output.js';

/** Options as words of a command line: `onExisting` as `--on-existing`, lists as the option several times. */
function optionWords(options: object): string[] {
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? [option] : [value].flat().flatMap((one) => [option, String(one)]);
  });
}

/** The command that imports a file. @param options as on the command line */
export function importCommand(io: Io, file: string, options: object): string {
  // A name that begins with a dash would be taken for an option; a dash alone is standard input.
  const named = file.startsWith('-') && file !== '-' ? `./${file}` : file;
  return commandLine(io, ['users', 'import', named, ...optionWords(options)]);
}

/** The options of an import that differ from the defaults, as on the command line. */
export function givenOptions(options: ImportOptions): object {
  const defaults: Readonly<Record<string, unknown>> = { ...validate(importOptionsSchema, {}) };
  const given = Object.entries(options).filter(([name, value]) => value !== defaults[name]);
  return Object.fromEntries(given.map(([name, value]) => [name, value === '\t' ? 'tab' : value]));
}

/**
 * How to import the corrected file of rejected rows: without the options of the import, its people would get another role or
 * course. Nothing where the options are the defaults.
 */
export function correctedText(io: Io, rejectsFile: string | null, options: ImportOptions): string[] {
  const given = givenOptions(options);
  if (rejectsFile === null || Object.keys(given).length === 0) return [];
  return ['To import the corrected rows with the same options:', `  ${importCommand(io, rejectsFile, given)}`];
}
