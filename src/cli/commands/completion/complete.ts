import type { Command } from 'commander';
import type { Completable, Suggestion } from '../../../services/completion/completion.js';
import type { None } from '../../core/command/declaration.js';
import { assertDatabaseExists, type Result, type Run } from '../../core/command/run.js';
import { printableLine } from '../../core/output/printable.js';
import { bashWord, readLine } from './bash-words.js';
import { candidatesAt, optionPrefix } from './candidates.js';
import { completionScripts } from './scripts.js';

/** How long a server may take to let a connection in, in milliseconds: a person waits. */
const databaseMs = '1000';

/** What bash completes otherwise than by listing: it puts one name after the other into the line. */
const insertingTypes = ['37', '42'];

async function namesIn(
  run: Pick<Run, 'config' | 'context' | 'options'>,
  kind: Completable,
  typed: string,
): Promise<Suggestion[]> {
  try {
    const { suggestNames } = await import('../../../services/completion/completion.js');
    const config = await run.config();
    await assertDatabaseExists(config);
    const open = async () => (await run.context({ DB_POOL_ACQUIRE_MS: databaseMs })).database;
    const names = await suggestNames({ settings: config.database, open }, kind, typed);
    // What can't be printed as it is can't be typed, either.
    return names.filter(({ value }) => printableLine(value) === value);
  } catch (error) {
    // At the Tab key no error helps.
    if (run.options.verbose) throw error;
    return [];
  }
}

type Shell = 'bash' | 'zsh' | 'fish';

/** The script for a shell, or what that script asks for. */
export async function completion(
  run: Run<'<shell> [word...]', None, { shell: readonly Shell[] }>,
  program: Command,
): Promise<Result> {
  const { shell, word } = run.arguments;
  if (word) return complete(run, program, shell, word);
  const script = completionScripts[shell](program.name());
  return { json: { shell, script }, text: script };
}

/**
 * Prints what the shell's script asks for: "files" where the shell completes a file, else "words" and a line each, as that shell
 * understands it. Names of which the database can't be read are none; with `--verbose` the error is thrown.
 * @param given the words after the program's name, the last of which is at the cursor; of bash the line up to the cursor
 */
async function complete(
  run: Pick<Run, 'io' | 'config' | 'context' | 'options'>,
  program: Command,
  shell: Shell,
  given: readonly [string, ...string[]],
): Promise<Result> {
  const { COMP_WORDBREAKS = '', COMP_TYPE = '' } = run.io.env;
  const line = shell === 'bash' ? readLine(given[0], COMP_WORDBREAKS) : undefined;
  const before = line ? line.before.slice(1) : given.slice(0, -1);
  const current = line ? line.value : (given.at(-1) ?? '');
  const option = optionPrefix(current);
  const typed = current.slice(option.length);
  const { isFile, names, words = [] } = candidatesAt(program, before, current);
  const offers = names ? await namesIn(run, names, typed) : words.filter(({ value }) => value.startsWith(typed));
  const isList = offers.length > 1 && !insertingTypes.includes(COMP_TYPE);
  const lines = offers.map(({ value, description, isCode }) => {
    const text = printableLine(description.replace(/\s+/g, ' '));
    // Numbers and ids say little. bash inserts what its words have in common, which is never a description.
    if (line) return bashWord(option + value, line) + (isList && isCode ? `  (${text})` : '');
    // fish compares the whole word; of zsh, _describe reads "word:description".
    return shell === 'fish' ? `${option}${value}\t${text}` : [value, text].map(withoutColons).join(':');
  });
  return { json: { isFile: isFile === true, words: offers }, text: [isFile ? 'files' : 'words', ...lines].join('\n') };
}

const withoutColons = (text: string) => text.replace(/[\\:]/g, '\\$&');
