import { dryRunOption, yesOption } from './declaration.js';

/** Options of commands that change several things at once. @param headings the columns that a list with headings may have */
export const bulkOptions = (headings: readonly string[]) => ({
  '--from <file>': `those in this file, or on standard input (-): a name a line, or CSV with a column ${headings.join(', ')}`,
  ...dryRunOption,
  ...yesOption,
});

/** What the help of these commands says below the options. */
export const bulkNotes = (many: string) =>
  `Several ${many} are shown first, and changed after a question or with --yes.
One that can't be found or changed is listed with the reason, and doesn't stop
the others: the exit code is then 3, or 1 if nothing could be done. In a list,
empty lines and lines that begin with # don't count.`;
