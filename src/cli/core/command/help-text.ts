import type { Command } from 'commander';

/** Width of the help without a terminal, in characters. */
export const defaultHelpWidth = 80;

/** Indent of the continuation lines of an example. */
const indent = ' '.repeat(6);

/** Splits a command line into words. An option stays with its value, and a redirection with its file. */
const partsOf = (line: string) => line.match(/(?:--?[\w-]+ (?![-<>])|[<>] )?(?:"[^"]*"|[^\s"]+)+/g) ?? [line];

/** Breaks a command line with backslashes to fit the width. Words are not broken. */
function exampleText(line: string, width: number): string {
  const lines: string[] = [];
  let current = '';
  for (const part of partsOf(line)) {
    const longer = current === '' ? `  ${part}` : `${current} ${part}`;
    // Reserves two characters for the backslash.
    if (current !== '' && longer.length > width - 2) {
      lines.push(`${current} \\`);
      current = indent + part;
    } else current = longer;
  }
  return [...lines, current].join('\n');
}

/**
 * Adds notes and examples to the help, below the options. Wraps both to the width of the help.
 * @param notes one paragraph per line
 * @param examples whole command lines
 */
export function addNotesAndExamples(command: Command, notes: string | undefined, examples: readonly string[]): void {
  const text = (toStderr: boolean) => {
    const { getOutHelpWidth, getErrHelpWidth } = command.configureOutput();
    const width = (toStderr ? getErrHelpWidth : getOutHelpWidth)?.() ?? defaultHelpWidth;
    const wrapped = notes === undefined ? '' : `\n${command.createHelp().boxWrap(notes, width)}\n`;
    // Only a line that doesn't fit needs space for a backslash.
    const shown = examples.map((one) => (one.length + 2 <= width ? `  ${one}` : exampleText(one, width)));
    return `${wrapped}\nExamples:\n${shown.join('\n')}`;
  };
  command.addHelpText('after', ({ error }) => text(error));
}
