import type { Command } from 'commander';
import { addCommand, type Choices, commonOptions, type Declaration, type None, type Options } from './declaration.js';
import { addNotesAndExamples } from './help-text.js';
import { asTyped, type Io, withCommandLines } from './output.js';
import type { MissingDatabase, Outcome, SchemaNeed, Work } from './run.js';

/** What command files register with. */
export interface Registry {
  io: Io;
  outcome: Outcome;
}

interface Definition<Usage extends string, O extends Options, C extends Choices>
  extends Declaration<Usage, O, C>,
    Work<Usage, O, C> {
  summary: string;
  /** Command lines without the leading `coursectl`, each a working example. */
  examples: readonly string[];
  /** There is nothing that `--json` could print. */
  withoutJson?: true;
  /** What the help says below the options: paragraphs, one a line, which are wrapped. */
  notes?: string;
}

/** What commands declare of the database schema. */
const schemaNeeds = new WeakMap<Command, SchemaNeed>();

/** The database schema that a command works on. @public used by the test that walks all commands */
export const schemaNeedOf = (command: Command): SchemaNeed | undefined => schemaNeeds.get(command);

/** What commands declare of a missing database. */
const missingDatabases = new WeakMap<Command, MissingDatabase>();

/** What a command does where there is no database; refusing it isn't declared. @public used by the test that walks all commands */
export const missingDatabaseOf = (command: Command): MissingDatabase | undefined => missingDatabases.get(command);

/** Registers a command with what commands have: `--json`, `--quiet`, `--verbose` and examples in its help. */
export function define<const Usage extends string, O extends Options = None, const C extends Choices = None>(
  parent: Command,
  { io, outcome }: Registry,
  definition: Definition<Usage, O, C>,
): Command {
  const { usage, summary, options, choices, schema, missingDatabase, examples, notes, withoutJson } = definition;
  const { '--json': _, ...others } = commonOptions;
  const command = addCommand(parent, {
    usage,
    options: { ...options, ...(withoutJson ? others : commonOptions) },
    ...(choices && { choices }),
  });
  schemaNeeds.set(command, schema);
  if (missingDatabase) missingDatabases.set(command, missingDatabase);
  command.description(summary);
  addNotesAndExamples(
    command,
    notes === undefined ? undefined : withCommandLines(io, notes),
    examples.map((example) => asTyped(io, example)),
  );
  return command.action(async function (this: Command) {
    // Help and completion need only the declarations: the less is loaded, the sooner they are shown.
    const { runCommand } = await import('./run.js');
    await runCommand(this, io, outcome, definition);
  });
}
