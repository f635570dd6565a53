import type { Command } from 'commander';
import { addCommand, type Choices, commonOptions, type Declaration, type None, type Options } from './declaration.js';
import { addNotesAndExamples } from './help-text.js';
import { asTyped, type Io, withCommandLines } from './output.js';
import type { Outcome, Work } from './run.js';

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

/** What each command declares of the database that it needs. @public used by the tests that walk all commands */
export const databaseNeeds = new WeakMap<Command, Pick<Work<'', None, None>, 'schema' | 'missingDatabase'>>();

/** Registers a command with what commands have: `--json`, `--quiet`, `--verbose` and examples in its help. */
export function define<const Usage extends string, O extends Options = None, const C extends Choices = None>(
  parent: Command,
  { io, outcome }: Registry,
  definition: Definition<Usage, O, C>,
): Command {
  const { usage, summary, options, choices, examples, notes, withoutJson } = definition;
  const { '--json': _, ...others } = commonOptions;
  const command = addCommand(parent, {
    usage,
    options: { ...options, ...(withoutJson ? others : commonOptions) },
    ...(choices && { choices }),
  });
  databaseNeeds.set(command, definition);
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
