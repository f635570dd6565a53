import type { Command, Option } from 'commander';
import type { Completable, Suggestion } from '../../../services/completion/completion.js';

/**
 * Names of arguments and option values that are completed from the database. Declared here, because an import would load
 * more code.
 */
const nameKinds = ['course', 'user', 'group', 'enrollment', 'import'] as const satisfies readonly Completable[];

/** Candidates at the cursor. Only one field is set. */
interface Candidates {
  words?: readonly Suggestion[];
  isFile?: boolean;
  /** Kind of names from the database. */
  names?: Completable | undefined;
}

const word = (value: string, description = ''): Suggestion => ({ value, description, isCode: false });

function valuesOf(name: string, choices: readonly string[] | undefined): Candidates {
  if (choices) return { words: choices.map((choice) => word(choice)) };
  return { isFile: name === 'file' || name === 'folder', names: nameKinds.find((kind) => kind === name) };
}

/** Returns the option with this flag, if it takes a value. */
const valuedOption = ({ options }: Command, flag: string) =>
  options.find(({ short, long, required, optional }) => (required || optional) && (flag === short || flag === long));

function subcommands(command: Command, isHelp: boolean): Suggestion[] {
  const help = command.createHelp();
  // Commander's own help command has no help itself.
  const visible = help.visibleCommands(command).filter((child) => !isHelp || command.commands.includes(child));
  return visible.map((child) => word(child.name(), help.subcommandDescription(child)));
}

function flagsOf(command: Command): Suggestion[] {
  const options = command.createHelp().visibleOptions(command);
  return options.flatMap(({ short, long, description }) =>
    [short, long].flatMap((flag) => (flag === undefined ? [] : [word(flag, description)])),
  );
}

/**
 * Returns the candidates at the cursor, from the declarations of the commands.
 * @param before words between the program's name and the cursor's word
 * @param current typed part of the cursor's word
 */
export function candidatesAt(program: Command, before: readonly string[], current: string): Candidates {
  let command = program;
  let position = 0;
  let isHelp = false;
  let option: Option | undefined;
  for (const typed of before) {
    const child = command.commands.find((one) => one.name() === typed || one.aliases().includes(typed));
    if (option) option = undefined;
    else if (typed.startsWith('-')) option = valuedOption(command, typed);
    else if (child && position === 0) command = child;
    else if (typed === 'help' && position === 0 && command.commands.length > 0) isHelp = true;
    else position += 1;
  }
  const joined = optionPrefix(current).slice(0, -1);
  option ??= valuedOption(command, joined);
  if (option) return valuesOf(/[<[]([\w-]+)/.exec(option.flags)?.[1] ?? '', option.argChoices);
  if (current.startsWith('-')) return { words: joined === '' && !isHelp ? flagsOf(command) : [] };
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[position] ?? (last?.variadic ? last : undefined);
  if (argument) return valuesOf(argument.name(), argument.argChoices);
  if (position === 0 && command.commands.length > 0) return { words: subcommands(command, isHelp) };
  // Without a known argument, only options remain.
  return { words: isHelp ? [] : flagsOf(command) };
}

/** Returns the option of "--option=value" with the equals sign, or an empty text. */
export const optionPrefix = (current: string): string => /^--[\w-]+=/.exec(current)?.[0] ?? '';
