import type { Command, CommanderError } from 'commander';
import { wrapHanging } from '../output/fit.js';
import { asTyped, commandLine, type Io, widthOf } from '../output/output.js';
import { printable } from '../output/printable.js';
import { commandsMeant, optionMeant } from './suggestions.js';

/** The command that words lead to, by way of the groups that it is in; without words that lead nowhere. */
function commandsIn(program: Command, words: readonly string[]): Command[] {
  const found: Command[] = [];
  for (const word of words) {
    const next = (found.at(-1) ?? program).commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (!next) break;
    found.push(next);
  }
  return found;
}

/** The message for an unknown command: suggestions, and all commands. */
function unknownCommand(io: Io, program: Command, argv: readonly string[]): string {
  const group = commandsIn(program, argv);
  const [word = '', ...others] = argv.slice(group.length);
  const path = group.map((one) => one.name()).join(' ');
  const meant = commandsMeant(program, group, word);
  const firstOption = others.findIndex((one) => one.startsWith('-'));
  const operands = others.slice(0, firstOption === -1 ? undefined : firstOption);
  const lines = meant.map(({ words, last }) => {
    // The others belong to one command only.
    const [before, after] = meant.length === 1 ? [operands, others.slice(operands.length)] : [[], []];
    return `  ${commandLine(io, [...words, ...before, ...last, ...after])}`;
  });
  const names = (group.at(-1) ?? program).commands.map((one) => one.name()).join(', ');
  return [
    `unknown command '${word}'${path === '' ? '' : ` of ${asTyped(io, path)}`}`,
    ...(meant.length === 0 ? [] : [`Did you mean ${meant.length === 1 ? 'this' : 'one of these'}?`, ...lines]),
    ...(path === '' && meant.length > 0 ? [] : [`There are: ${names}`]),
  ].join('\n');
}

/** The message for an error of commander, with what may have been meant, in lines. */
export function usageProblem(
  io: Io,
  program: Command,
  argv: readonly string[],
  { code, message }: CommanderError,
): string {
  // Commander shows the help when a subcommand is missing.
  if (code === 'commander.help') return 'A command is missing. Add --help to list the commands.';
  if (code === 'commander.unknownCommand') return unknownCommand(io, program, argv);
  const text = message.replace(/^error: /, '');
  const [, flag = ''] = /^unknown option '([^']+)'/.exec(text) ?? [];
  const command = commandsIn(program, argv).at(-1) ?? program;
  const meant = optionMeant(command, flag);
  return meant === undefined ? text : `unknown option '${flag}'\n(Did you mean ${meant}?)`;
}

/** A mistake in usage, for people: lines that are broken between words. */
export function usageProblemText(io: Io, problem: string): string {
  const lines = `error: ${problem}\nAdd --help to see how it is used.`.split('\n');
  return printable(lines.flatMap((line) => wrapHanging(line, widthOf(io.stderr))).join('\n'));
}
