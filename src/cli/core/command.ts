import type { Command } from 'commander';
import { asTyped, type Io } from './output.js';
import { action, type Outcome, type SchemaNeed, type Work } from './run.js';

/** What a command file is given to register with. */
export interface Registry {
  io: Io;
  outcome: Outcome;
}

interface Definition<Options> extends Work<Options> {
  /** Name and arguments, such as `show <user>`. */
  usage: string;
  summary: string;
  /** Command lines without the leading `coursectl`, each a working example. */
  examples: readonly string[];
  /** Adds the command's own options. */
  options?: (command: Command) => void;
}

/** How people name what commands work on: the same everywhere. */
const named: Readonly<Record<string, string>> = {
  course: 'its id or exact title',
  user: 'id, email address or phone number',
};

/** What commands declare of the database schema. */
const schemaNeeds = new WeakMap<Command, SchemaNeed>();

/** The database schema that a command works on. @public used by the test that walks all commands */
export const schemaNeedOf = (command: Command): SchemaNeed | undefined => schemaNeeds.get(command);

/** Registers a command with what all commands have: `--json`, `--quiet`, `--verbose` and examples in its help. */
export function define<Options = object>(
  parent: Command,
  { io, outcome }: Registry,
  definition: Definition<Options>,
): Command {
  const command = parent.command(definition.usage).description(definition.summary);
  schemaNeeds.set(command, definition.schema);
  for (const argument of command.registeredArguments) argument.description ||= named[argument.name()] ?? '';
  definition.options?.(command);
  return command
    .option('--json', 'print one JSON object on standard output')
    .option('--quiet', 'print results and errors only')
    .option('--verbose', 'print stack traces and debug logs')
    .addHelpText(
      'after',
      `\nExamples:\n${definition.examples.map((example) => `  ${asTyped(io, example)}`).join('\n')}`,
    )
    .action(action(io, outcome, definition));
}
