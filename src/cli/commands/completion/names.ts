import type { Completable, Name } from '../../../services/completion.js';
import { printableLine } from '../../core/printable.js';
import type { Result, Run } from '../../core/run.js';
import { bashWord, typedWord } from './bash-words.js';

type Shell = 'bash' | 'zsh' | 'fish';
type NamesRun = Pick<Run, 'io' | 'context'> & {
  arguments: { shell: Shell };
  options: { typed?: string; verbose?: true };
};

/** How long the database may take to be free, in milliseconds: a person waits. */
const databaseMs = '1000';

/** What bash completes otherwise than by listing: it puts one name after the other into the line. */
const insertingTypes = ['37', '42'];

/** The names as lines that the shell understands. @param isList bash only lists them */
function linesFor(shell: Shell, names: readonly Name[], isList: boolean): string[] {
  const text = ({ description }: Name) => printableLine(description);
  if (shell === 'fish') return names.map((name) => `${name.value}\t${text(name)}`);
  // As _describe reads them.
  const plain = (words: string) => words.replace(/[\\:]/g, '\\$&');
  if (shell === 'zsh') return names.map((name) => `${plain(name.value)}:${plain(text(name))}`);
  // Numbers and ids say little. bash inserts what its words have in common, which is never a description.
  return names.map((name) => (isList && name.isCode ? `${name.value}  (${text(name)})` : name.value));
}

async function namesIn(run: NamesRun, kind: Completable, typed: string): Promise<Name[]> {
  const { namesBeginning } = await import('../../../services/completion.js');
  const context = await run.context({ DB_POOL_ACQUIRE_MS: databaseMs });
  const names = await namesBeginning(context, kind, typed);
  // What can't be printed as it is can't be typed, either.
  return names.filter(({ value }) => printableLine(value) === value);
}

/**
 * The names that fit what was typed. Nothing, without a word, where they can't be read: at the Tab key no error helps. With
 * `--verbose` it is thrown.
 */
export async function namesFor(run: NamesRun, kind: Completable): Promise<Result> {
  const { shell } = run.arguments;
  const { typed = '', verbose } = run.options;
  const { COMP_WORDBREAKS = '', COMP_TYPE = '' } = run.io.env;
  const word = shell === 'bash' ? typedWord(typed, COMP_WORDBREAKS) : undefined;
  let names: Name[];
  try {
    names = await namesIn(run, kind, word?.typed ?? typed);
  } catch (error) {
    if (verbose) throw error;
    names = [];
  }
  const written = word ? names.map((name) => ({ ...name, value: bashWord(name.value, word) })) : names;
  const isList = names.length > 1 && !insertingTypes.includes(COMP_TYPE);
  return { json: { names }, text: linesFor(shell, written, isList).join('\n') };
}
