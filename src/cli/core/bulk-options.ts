import { dryRunOption, yesOption } from './declaration.js';

/** Options of commands that change several things at once. @param headings the columns that a list with headings may have */
export const bulkOptions = (headings: readonly string[]) => ({
  '--from <file>': `read the names from this file, or from standard input (-): one per line, or CSV with a column ${headings.join(' or ')}`,
  ...dryRunOption,
  ...yesOption,
});

/** What the help of these commands says below the options. */
export const bulkNotes = (many: string) =>
  `For several ${many}, the command first shows what would change, then asks (with --yes it doesn't ask). What can't be found or changed is listed with the reason; the others are still changed. The exit code is then 3, or 1 if there are no others. In the file of --from, empty lines and lines that begin with # are ignored.`;
