import { AppError } from '../../../errors.js';
import { pick } from '../../../presenters/pick.js';
import { hasAtSign } from '../../../schemas/fields.js';
import type { Encoding } from '../../../schemas/file-format.js';
import type { ImportOptions } from '../../../schemas/import.js';
import { type ImportField, importFields, importOptionsSchema, requiredColumns } from '../../../schemas/import.js';
import { validate } from '../../../schemas/validate.js';
import type { Context } from '../../../services/context.js';
import { MissingColumns, RepeatedColumn } from '../../../services/imports/read/columns/header-refusals.js';
import { DoubtfulEncoding } from '../../../services/imports/read/doubtful-encoding.js';
import { isRepeatable } from '../../../services/imports/read/fields/header-aliases.js';
import type { FilePreview } from '../../../services/imports/read/preview.js';
import { inspectFile, previewFile } from '../../../services/imports/read/thread/read-file.js';
import { encodingNames } from '../../../tables/encoding/encodings.js';
import type { Run } from '../../core/command/run.js';
import { wrapHanging } from '../../core/output/fit.js';
import { widthOf } from '../../core/output/output.js';
import { printable, printableLine } from '../../core/output/printable.js';
import { createPrompts } from '../../core/prompts/prompts.js';
import { openMappingFile } from './mapping-file.js';
import type { importUsersOptions } from './options.js';

export type ImportRun = Run<'[file]', typeof importUsersOptions> & {
  /** Options of `users sync`, including the remembered ones. `--no-password` is `password: false`, or `noPassword`. */
  options: Partial<Pick<ImportOptions, 'otherCourses' | 'roster' | 'onLeave' | 'maxLeaving' | 'noPassword'>> & {
    allowLeaving?: string | undefined;
  };
};
type Column = FilePreview['columns'][number];

/** Whether a user can answer questions: not with --yes or --plan. */
const canAsk = ({ interactive, options }: ImportRun) => interactive && !options.yes && options.plan === undefined;

/** Known mappings of the columns, in the format of `--map`. */
export interface KnownColumns {
  map: readonly string[];
  /** Whether the user gave the mappings at the terminal. */
  asked?: true;
  /** File of `--mapping`, if it contains the mappings. */
  rememberedIn?: string;
  /** Saves the answers for later files; absent without new answers. @throws AppError `FILE_UNUSABLE` */
  remember?: () => Promise<void>;
}

/**
 * Returns the mappings of `--map`, and those that the file of `--mapping` has for these headings. If the file has none,
 * asks the user for each column.
 * @throws AppError `USAGE` if nobody can answer, `INTERRUPTED`, and the errors of {@link openMappingFile}
 */
export async function mappingsFor(run: ImportRun, context: Context, file: string): Promise<KnownColumns> {
  const { map = [], mapping } = run.options;
  if (mapping === undefined) return { map };
  const mappings = await openMappingFile(run, mapping);
  const { columns } = await previewOf(run, context, file, map);
  const headings = columns.map(({ heading }) => heading);
  const known = mappings.find(headings);
  if (known) {
    // Mappings on the command line take precedence over saved ones.
    const others = known.filter((one) => !map.some((given) => columnOf(given) === columnOf(one)));
    return { map: [...others, ...map], rememberedIn: mapping };
  }
  if (headings.some(hasAtSign)) return { map };
  if (!canAsk(run))
    throw new AppError(
      'USAGE',
      `The file ${mapping} doesn't have these headings: import once at a terminal without --yes, or use --map.`,
    );
  return askedColumns(run, columns);
}

/**
 * Asks the user for the columns of a file whose header was refused. Proposes the known mappings.
 * @param failure rethrown if it is no refused header, or if nobody can answer
 * @throws AppError `USAGE` if saved mappings lack required columns and nobody can answer, `INTERRUPTED`
 */
export async function askMappingsAfter(
  failure: unknown,
  { map, rememberedIn }: KnownColumns,
  run: ImportRun,
  context: Context,
  file: string,
): Promise<KnownColumns> {
  if (!(failure instanceof MissingColumns || failure instanceof RepeatedColumn)) throw failure;
  const lack =
    rememberedIn !== undefined && failure instanceof MissingColumns
      ? `The file ${rememberedIn} maps these headings without ${failure.missing.join(', ')}`
      : undefined;
  if (!canAsk(run)) {
    if (lack === undefined) throw failure;
    throw new AppError('USAGE', `${lack}: import once at a terminal without --yes, or use --map.`, { cause: failure });
  }
  const message = printable(lack === undefined ? failure.message : `${lack}.`);
  run.io.stderr.write(`${wrapHanging(message, widthOf(run.io.stderr)).join('\n')}\n`);
  const { columns } = await previewOf(run, context, file, map);
  return askedColumns(run, columns);
}

/** Asks for the columns. With `--mapping`, the answers can be saved. */
async function askedColumns(run: ImportRun, columns: readonly Column[]): Promise<KnownColumns> {
  const { mapping } = run.options;
  const answers = await askColumns(run, columns);
  const headings = columns.map(({ heading }) => heading);
  // Headings with an @ may be email addresses, which must not be saved.
  if (mapping === undefined || headings.some(hasAtSign)) return { map: answers, asked: true };
  // Reads the file again: other imports may have changed it while the user answered.
  const remember = async () => (await openMappingFile(run, mapping)).remember(headings, answers);
  return { map: answers, asked: true, remember };
}

const columnOf = (map: string) => map.slice(0, map.lastIndexOf('=')).trim();

async function previewOf(
  { options, io }: ImportRun,
  { config }: Context,
  file: string,
  known: readonly string[],
): Promise<FilePreview> {
  const valid = validate(importOptionsSchema, {
    ...pick(options, ['encoding', 'delimiter', 'sheet', 'missingPhone']),
    map: known,
  });
  const source = {
    ...(await inspectFile(file, valid.encoding, io.signal)),
    delimiter: valid.delimiter ?? 'auto',
  } as const;
  return previewFile({ file, source, options: valid, limits: config.imports }, io.signal);
}

/** Answer for a column that isn't imported. */
const ignored = 'ignore';

/** Returns the name of a column for `--map`: its heading, or its number if the heading is blank or not unique. */
function nameOf({ heading, index }: Column, columns: readonly Column[]): string {
  const isUnique = columns.filter((other) => other.heading === heading).length === 1;
  return isUnique && heading !== '' && heading.length < 100 && !heading.startsWith('#') ? heading : `#${index + 1}`;
}

/** Asks for the field of each column, and shows values of the first rows. @returns mappings in the format of `--map` */
async function askColumns(run: ImportRun, columns: readonly Column[]): Promise<string[]> {
  const prompts = await createPrompts(run.io);
  run.io.stderr.write('What are the columns of the file? Enter accepts the proposal.\n');
  const taken = new Set<ImportField>();
  const answers: string[] = [];
  const required = requiredColumns(validate(importOptionsSchema, { missingPhone: run.options.missingPhone }));
  const asked = columns.filter(({ heading, samples }) => heading !== '' || samples.length > 0);
  for (const [position, column] of asked.entries()) {
    const choices = importFields
      .filter((field) => !taken.has(field))
      .map((field): { value: string; name: string } => ({
        value: field,
        name: required.some((one) => one === field) ? `${field} (required)` : field,
      }));
    const heading = column.heading === '' ? 'without a heading' : `"${column.heading}"`;
    const values = column.samples.length === 0 ? 'no values' : column.samples.slice(0, 3).join(', ');
    const likely = column.field ?? column.suggestion;
    const proposal = likely === null || taken.has(likely) ? ignored : likely;
    const answer = await prompts.choose(
      printableLine(`Column ${position + 1} of ${asked.length}, ${heading} (${values})`),
      [{ value: ignored, name: "ignore: don't import it" }, ...choices],
      proposal,
    );
    const field = importFields.find((one) => one === answer);
    if (field !== undefined && !isRepeatable(field)) taken.add(field);
    answers.push(`${nameOf(column, columns)}=${field ?? ''}`);
  }
  return answers;
}

const none = 'none';

/**
 * Asks the user which encoding shows the names of a file correctly.
 * @param failure rethrown if it is no doubtful encoding, or if nobody can answer
 * @throws AppError `IMPORT_FILE_INVALID` if no encoding is correct, `INTERRUPTED`
 */
export async function askEncodingAfter(failure: unknown, run: ImportRun): Promise<Encoding> {
  if (!(failure instanceof DoubtfulEncoding) || !canAsk(run)) throw failure;
  run.io.stderr.write(printable('The file is not UTF-8, and its encoding is not certain.\n'));
  const prompts = await createPrompts(run.io);
  const answer = await prompts.choose<Encoding | typeof none>('Which of these names are correct?', [
    ...failure.candidates.map(({ encoding, names }) => ({
      value: encoding,
      name: printableLine(`${names.join(', ')}: ${encodingNames[encoding]}`),
      short: encodingNames[encoding],
    })),
    { value: none, name: 'none of them' },
  ]);
  if (answer === none)
    throw new AppError(
      'IMPORT_FILE_INVALID',
      'Save the file as "CSV UTF-8" and import that, or name its encoding with --encoding.',
      { cause: failure },
    );
  return answer;
}
