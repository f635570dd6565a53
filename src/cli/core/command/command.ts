import type { Command } from 'commander';
import { asTyped, type Io, withCommandLines } from '../output/output.js';
import { addCommand, type Choices, commonOptions, type Declaration, type None, type Options } from './declaration.js';
import { addNotesAndExamples } from './help-text.js';
import type { Needs, Outcome, Work } from './run.js';

/** Input of the register() functions of command files. */
export interface Registry {
  io: Io;
  outcome: Outcome;
}

interface Definition<Usage extends string, O extends Options, C extends Choices>
  extends Declaration<Usage, O, C>,
    Needs {
  summary: string;
  /** Working command lines, without the leading `coursectl`. */
  examples: readonly string[];
  /** The command has no data to print, and no option `--json`. */
  withoutJson?: true;
  /** Help text below the options, one paragraph per line. */
  notes?: string;
  /** Imports the implementation when the command runs. Help and completion need only the declaration. */
  load: () => Promise<Work<NoInfer<Usage>, NoInfer<O>, NoInfer<C>>>;
}

/** Database needs of each command. @public used by the tests that walk all commands */
export const databaseNeeds = new WeakMap<Command, Needs>();

/** Registers a command with the common options, and with examples in its help. */
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
