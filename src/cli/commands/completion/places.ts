import type { Command } from 'commander';
import type { Completable } from '../../../services/completion.js';
import { isNameKind } from './kinds.js';

export interface Word {
  name: string;
  description: string;
}

/**
 * A place on the command line and what may stand there. `path` is the command as it is typed, such as "users import", and
 * empty for the program itself; `slot` is the number of the argument, an option that needs a value, or "-" for the options.
 */
export interface Place {
  path: string;
  slot: string;
  words: readonly Word[];
  isFile: boolean;
  /** Names in the database that may stand there. */
  names?: Completable;
  /** The last argument of a command, which may be given several times. */
  isRepeated?: boolean;
}

/** @param subjects what the command's arguments may be when it doesn't say so itself */
export function placesOf(command: Command, path = '', subjects: readonly string[] = []): Place[] {
  // Commander's own help knows what is hidden, and whether there are a help command and a help option.
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const declared = children.filter((child) => command.commands.includes(child)).map((child) => child.name());
  const place = (slot: string, words: readonly Word[], isFile = false): Place => ({ path, slot, words, isFile });
  const places: Place[] = command.registeredArguments.map((argument, position) => ({
    ...place(`${position}`, (argument.argChoices ?? subjects).map(bare), ['file', 'folder'].includes(argument.name())),
    ...named(argument.name()),
    isRepeated: argument.variadic,
  }));
  const commands = children.map((child) => word(child.name(), help.subcommandDescription(child)));
  if (commands.length > 0) places.push(place('0', commands));
  const flags: Word[] = [];
  for (const option of help.visibleOptions(command)) {
    const names = [option.short, option.long].filter((name) => name !== undefined);
    flags.push(...names.map((name) => word(name, option.description)));
    if (!option.required && !option.optional) continue;
    const choices = (option.argChoices ?? []).map(bare);
    const value = /[<[]([\w-]+)/.exec(option.flags)?.[1] ?? '';
    places.push(...names.map((name) => ({ ...place(name, choices, value === 'file'), ...named(value) })));
  }
  const below = children.flatMap((child) => {
    // The help command that commander adds isn't declared; what it takes are the names of those that are.
    const names = declared.includes(child.name()) ? [] : declared;
    return placesOf(child, `${path} ${child.name()}`.trimStart(), names);
  });
  return [...places, place('-', flags), ...below];
}

const named = (name: string) => (isNameKind(name) ? { names: name } : {});

const word = (name: string, description: string): Word => ({ name, description: description.replace(/\s+/g, ' ') });
const bare = (name: string): Word => ({ name, description: '' });

/** The place is the value of an option. */
export const isValue = ({ slot }: Place) => /^-./.test(slot);

/** What a script must know to follow a command line, as "path:word": the subcommands, and the options with a value. */
export function wordsToFollow(places: readonly Place[]): { commands: string[]; valued: string[] } {
  const below = places.filter(({ path, slot }) => path !== '' && slot === '-');
  return {
    commands: below.map(({ path }) => path.replace(/ ?(\S+)$/, ':$1')),
    valued: places.filter(isValue).map(({ path, slot }) => `${path}:${slot}`),
  };
}
