import type { Command } from 'commander';
import type { Completable, Suggestion } from '../../../services/completion/completion.js';
import type { None } from '../../core/command/declaration.js';
import { assertDatabaseExists, type Result, type Run } from '../../core/command/run.js';
import { printableLine } from '../../core/output/printable.js';
import { bashWord, readLine } from './bash-words.js';
import { candidatesAt, optionPrefix } from './candidates.js';
import { completionScripts } from './scripts.js';

/** Timeout of the connection to a database server. Short, because the user waits after the Tab key. */
const connectTimeoutMs = '1000';

/** Values of COMP_TYPE (`%` and `*`) for which bash inserts names into the line instead of listing them. */
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
    const open = async () => (await run.context({ DB_POOL_ACQUIRE_MS: connectTimeoutMs })).database;
    const names = await suggestNames({ settings: config.database, open }, kind, typed);
    // The user can't type control characters.
    return names.filter(({ value }) => printableLine(value) === value);
  } catch (error) {
    // An error message after the Tab key doesn't help.
    if (run.options.verbose) throw error;
    return [];
  }
}

type Shell = 'bash' | 'zsh' | 'fish';

/** Prints the script for a shell, or answers a call of that script. */
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
 * Answers the shell's script: "files" if the shell should complete a file name, otherwise "words" and a line per
 * candidate in the format of the shell. Without an accessible database there are no names; with `--verbose` the error is
 * thrown.
 * @param given words after the program's name, the last word at the cursor; for bash the line up to the cursor
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
    // Numbers and ids need a description. Bash inserts the common beginning of its words, which is never a description.
    if (line) return bashWord(option + value, line) + (isList && isCode ? `  (${text})` : '');
    // fish compares the whole word. In zsh, _describe reads "word:description".
    return shell === 'fish' ? `${option}${value}\t${text}` : [value, text].map(withoutColons).join(':');
  });
  return { json: { isFile: isFile === true, words: offers }, text: [isFile ? 'files' : 'words', ...lines].join('\n') };
}

const withoutColons = (text: string) => text.replace(/[\\:]/g, '\\$&');
