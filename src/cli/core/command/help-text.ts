import type { Command } from 'commander';

/** What a line of the help is at most, in characters, where standard output is no terminal. */
export const defaultHelpWidth = 80;

/** How far the further lines of an example are indented. */
const indent = ' '.repeat(6);

/** The words of a command line, each option with its value, each redirection with its file. */
const partsOf = (line: string) => line.match(/(?:--?[\w-]+ (?![-<>])|[<>] )?(?:"[^"]*"|[^\s"]+)+/g) ?? [line];

/** A command line in lines that are no wider than this, where its words aren't, as a shell continues them. */
function exampleText(line: string, width: number): string {
  const lines: string[] = [];
  let current = '';
  for (const part of partsOf(line)) {
    const longer = current === '' ? `  ${part}` : `${current} ${part}`;
    // Two characters are for the backslash.
    if (current !== '' && longer.length > width - 2) {
      lines.push(`${current} \\`);
      current = indent + part;
    } else current = longer;
  }
  return [...lines, current].join('\n');
}

/**
 * Adds what the help says below the options: notes, then examples, wrapped as the options are.
 * @param notes paragraphs, one a line
 * @param examples whole command lines
 */
export function addNotesAndExamples(command: Command, notes: string | undefined, examples: readonly string[]): void {
  const text = (toStderr: boolean) => {
    const { getOutHelpWidth, getErrHelpWidth } = command.configureOutput();
    const width = (toStderr ? getErrHelpWidth : getOutHelpWidth)?.() ?? defaultHelpWidth;
    const wrapped = notes === undefined ? '' : `\n${command.createHelp().boxWrap(notes, width)}\n`;
    // What fits is left alone: only a longer line needs room for the backslash.
    const shown = examples.map((one) => (one.length + 2 <= width ? `  ${one}` : exampleText(one, width)));
    return `${wrapped}\nExamples:\n${shown.join('\n')}`;
  };
  command.addHelpText('after', ({ error }) => text(error));
}
