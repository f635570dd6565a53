import type { Command, CommanderError } from 'commander';
import { wrapHanging } from '../output/fit.js';
import { asTyped, commandLine, type Io, widthOf } from '../output/output.js';
import { printable } from '../output/printable.js';
import { type SuggestedCommand, suggestCommands, suggestOption, suggestValue } from './suggestions.js';

/** Returns the groups and the command that the words name. Stops at the first unknown word. */
function commandChain(program: Command, words: readonly string[]): Command[] {
  const found: Command[] = [];
  for (const word of words) {
    const next = (found.at(-1) ?? program).commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (!next) break;
    found.push(next);
  }
  return found;
}

/** Extends a single suggestion by its subcommand: "user lst" becomes "users list". */
function withSubcommand(
  program: Command,
  suggestions: readonly SuggestedCommand[],
  operands: readonly string[],
): { suggestions: readonly SuggestedCommand[]; rest: readonly string[] } {
  const [one, ...others] = suggestions;
  const [next, ...rest] = operands;
  const group = one && others.length === 0 ? commandChain(program, one.words) : [];
  const { commands = [] } = group.at(-1) ?? {};
  if (!one || next === undefined || commands.length === 0) return { suggestions, rest: operands };
  const isKnown = commandChain(program, [...one.words, next]).length > group.length;
  const found = isKnown ? [{ ...one, words: [...one.words, next] }] : suggestCommands(program, group, next);
  return found.length === 0 ? { suggestions, rest: [] } : withSubcommand(program, found, rest);
}

/** Returns the message for an unknown command, with suggestions and all commands. */
function unknownCommand(io: Io, program: Command, argv: readonly string[]): string {
  const group = commandChain(program, argv);
  const [word = '', ...others] = argv.slice(group.length);
  const path = group.map((one) => one.name()).join(' ');
  const firstOption = others.findIndex((one) => one.startsWith('-'));
  const operands = others.slice(0, firstOption === -1 ? undefined : firstOption);
  const { suggestions, rest } = withSubcommand(program, suggestCommands(program, group, word), operands);
  const lines = suggestions.map(({ words, last }) => {
    // Repeats the other words only if there is a single suggestion.
    const [before, after] = suggestions.length === 1 ? [rest, others.slice(operands.length)] : [[], []];
    return `  ${commandLine(io, [...words, ...before, ...last, ...after])}`;
  });
  const names = (group.at(-1) ?? program).commands.map((one) => one.name()).join(', ');
  return [
    `unknown command '${word}'${path === '' ? '' : ` of ${asTyped(io, path)}`}`,
    ...(suggestions.length === 0
      ? []
      : [`Did you mean ${suggestions.length === 1 ? 'this' : 'one of these'}?`, ...lines]),
    ...(path === '' && suggestions.length > 0 ? [] : [`There are: ${names}`]),
  ].join('\n');
}

/** Returns a hint to quote a name with blanks if the command takes one argument; otherwise an empty text. */
function quotingHint(io: Io, program: Command, argv: readonly string[]): string {
  const group = commandChain(program, argv);
  const words = argv.slice(group.length);
  const isOneName = group.at(-1)?.registeredArguments.length === 1 && !words.some((word) => word.startsWith('-'));
  if (!isOneName) return '';
  const line = `${group.map((one) => one.name()).join(' ')} "${words.join(' ')}"`;
  return `\nA name with blanks needs quotes: ${asTyped(io, line)}`;
}

/** Returns the message for an error of commander, with suggestions on their own lines. */
export function usageProblem(
  io: Io,
  program: Command,
  argv: readonly string[],
  { code, message }: CommanderError,
): string {
  // Commander has printed the help if a subcommand is missing.
  if (code === 'commander.help') return 'A command is missing. Add --help to list the commands.';
  if (code === 'commander.unknownCommand') return unknownCommand(io, program, argv);
  const text = message.replace(/^error: /, '');
  const [, flag = ''] = /^unknown option '([^']+)'/.exec(text) ?? [];
  const command = commandChain(program, argv).at(-1) ?? program;
  if (code === 'commander.excessArguments') return `${text}${quotingHint(io, program, argv)}`;
  const [, typed = '', allowed = ''] = /argument '([^']*)' is invalid\. Allowed choices are (.*)\.$/.exec(text) ?? [];
  const value = typed === '' ? undefined : suggestValue(typed, allowed.split(', '));
  if (value !== undefined) return `${text}\n(Did you mean ${value}?)`;
  const suggestion = suggestOption(command, flag);
  return suggestion === undefined ? text : `unknown option '${flag}'\n(Did you mean ${suggestion}?)`;
}

/** Returns the text of a usage error, wrapped between words. */
export function usageProblemText(io: Io, problem: string): string {
  const lines = `error: ${problem}\nAdd --help to see how it is used.`.split('\n');
  return printable(lines.flatMap((line) => wrapHanging(line, widthOf(io.stderr))).join('\n'));
}
