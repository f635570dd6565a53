import { type ImportOptions, importOptionsSchema, serializeImportOptions } from '../../../schemas/import.js';
import { isWorkbookName } from '../../../schemas/table-format.js';
import { validate } from '../../../schemas/validate.js';
import type { Context } from '../../../services/context.js';
import type { ImportPlan } from '../../../services/imports/plan/plan.js';
import { findInterrupted } from '../../../services/imports/store/find-import.js';
import { resultOf } from '../../../services/imports/store/repository.js';
import { asTyped, commandLine, counted, type Io } from '../../core/output/output.js';
import { printableLine } from '../../core/output/printable.js';

/** Converts options to words of a command line: `onExisting` becomes `--on-existing`, and a list repeats its option. */
function optionWords(options: object): string[] {
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    if (value === false) return [];
    if (name === 'otherCourses') return [value].flat().flatMap((course) => ['--course', String(course)]);
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? [option] : [value].flat().flatMap((one) => [option, String(one)]);
  });
}

/** Returns the command that imports a file. @param options by names in camel case */
export function importCommand(io: Io, file: string, options: object): string {
  // A name that begins with a dash would count as an option. A dash alone is standard input.
  const named = file.startsWith('-') && file !== '-' ? `./${file}` : file;
  if (!('roster' in options)) return commandLine(io, ['users', 'import', named, ...optionWords(options)]);
  // A sync takes `onError` from the remembered options only.
  const { onError: _, ...others } = options as { onError?: unknown };
  return commandLine(io, ['users', 'sync', named, ...optionWords(others)]);
}

/** Returns the options of an import that differ from the defaults, with values as on the command line. */
export function givenOptions({ trainerId: _, ...options }: ImportOptions): object {
  const defaults: Readonly<Record<string, unknown>> = { ...validate(importOptionsSchema, {}) };
  const given = Object.entries(options).filter(([name, value]) => value !== defaults[name]);
  return Object.fromEntries(given.map(([name, value]) => [name, value === '\t' ? 'tab' : value]));
}

/**
 * Returns the options that an import of the rejected rows needs. The file of rejected rows has one sheet, and a workbook
 * needs no encoding and delimiter.
 */
function optionsForRejects(options: ImportOptions, isWorkbook: boolean): { withPasswords?: boolean } {
  const unneeded = ['sheet', ...(isWorkbook ? ['encoding', 'delimiter'] : [])];
  return Object.fromEntries(Object.entries(givenOptions(options)).filter(([name]) => !unneeded.includes(name)));
}

/**
 * Returns the command that imports the corrected file of rejected rows with the same options. Otherwise its people would
 * get another role or course. Returns no lines if all options are defaults.
 */
export function correctionHint(io: Io, rejectsFile: string | null, options: ImportOptions): string[] {
  const { withPasswords, ...given } = optionsForRejects(options, rejectsFile !== null && isWorkbookName(rejectsFile));
  if (rejectsFile === null || Object.keys(given).length === 0) return [];
  // A sync of the rejected rows alone would take all other members out.
  if (options.roster !== undefined) return ['Correct these rows in the whole file, then synchronise that file again.'];
  // `--credentials` requests passwords in addition to invitations.
  const credentials = withPasswords
    ? { credentials: rejectsFile.replace(/(\.(csv|xlsx))?$/i, '.credentials.csv') }
    : {};
  return [
    'To import the corrected rows with the same options:',
    `  ${importCommand(io, rejectsFile, { ...given, ...credentials })}`,
  ];
}

/** Interrupted import of the same file that a plan doesn't resume, because its options or the content of the file differ. */
export interface InterruptedImport {
  number: number;
  rowsDone: number;
  text: string;
}

/** Finds an interrupted import of the same file that the plan doesn't resume. */
export async function findInterruptedOfSameFile(
  io: Io,
  context: Context,
  plan: ImportPlan,
): Promise<InterruptedImport | null> {
  const record = plan.unfinished === null ? await findInterrupted(context, plan) : null;
  if (record === null) return null;
  const { number, rowsDone, optionsJson } = record;
  const command = (name: string) => asTyped(io, `imports ${name} ${number}`);
  const after = `is interrupted after ${counted(rowsDone, 'row')}`;
  if (record.fileSha256 === plan.fileSha256) {
    const text = `Import ${number} of this file with other options ${after}. To resume it instead: ${command('resume')}`;
    return { number, rowsDone, text };
  }
  const { credentialsFile } = resultOf(record);
  const passwords = credentialsFile === null ? '' : ` (passwords: ${credentialsFile}, keep it)`;
  const others =
    optionsJson === serializeImportOptions(plan.options) ? '' : ` It has other options: ${command('show')}`;
  const text = `Import ${number} of an earlier version of this file ${after}${passwords}.${others}`;
  return { number, rowsDone, text: printableLine(text) };
}
