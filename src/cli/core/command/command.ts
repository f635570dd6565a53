import type { Command } from 'commander';
import { asTyped, type Io, withCommandLines } from '../output/output.js';
import { addCommand, type Choices, commonOptions, type Declaration, type None, type Options } from './declaration.js';
import { addNotesAndExamples } from './help-text.js';
import type { Needs, Outcome, Work } from './run.js';

/** What command files register with. */
export interface Registry {
  io: Io;
  outcome: Outcome;
}

interface Definition<Usage extends string, O extends Options, C extends Choices>
  extends Declaration<Usage, O, C>,
    Needs {
  summary: string;
  /** Command lines without the leading `coursectl`, each a working example. */
  examples: readonly string[];
  /** There is nothing that `--json` could print. */
  withoutJson?: true;
  /** What the help says below the options: paragraphs, one a line, which are wrapped. */
  notes?: string;
  /** Imports what the command does, when it runs: help and completion need only what is declared here. */
  load: () => Promise<Work<NoInfer<Usage>, NoInfer<O>, NoInfer<C>>>;
}

/** What each command declares of the database that it needs. @public used by the tests that walk all commands */
export const databaseNeeds = new WeakMap<Command, Needs>();

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
    const { runCommand } = await import('./run.js');
    await runCommand(this, io, outcome, definition, definition.load);
  });
}
