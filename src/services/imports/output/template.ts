import { readFile } from 'node:fs/promises';
import { mailLanguages } from '../../../config/mail-settings.js';
import { packageFile } from '../../../package-root.js';
import { initialStatuses } from '../../../schemas/enrollment-statuses.js';
import { type ImportColumn, importableRoles, importColumns } from '../../../schemas/import.js';
import { smallTable, type Table, type TableColumn } from '../../../tables/write/table.js';

const examples: readonly Partial<Record<ImportColumn, string>>[] = [
  { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org', phone: '+44 20 7946 0001' },
  {
    firstName: 'Alan',
    lastName: 'Turing',
    email: 'alan@example.org',
    phone: '+44 20 7946 0002',
    role: 'trainer',
    isActive: 'true',
  },
];

/** Values of the drop-down lists. People may enter other words, too. */
const choices: Partial<Record<ImportColumn, readonly string[]>> = {
  role: importableRoles,
  isActive: ['true', 'false'],
  language: mailLanguages,
  enrollmentStatus: initialStatuses,
};

/** Cells store entered values as text: phones keep their zeros, and names don't become dates. */
const columns: readonly TableColumn[] = importColumns.map((heading) => {
  const offered = choices[heading];
  return { heading, isText: true, ...(offered && { choices: offered }) };
});

/** Returns a file to fill in: the header with all columns, and two example rows. */
export const templateTable = (): Table => ({
  ...smallTable(
    'People',
    columns,
    examples.map((example) => importColumns.map((column) => example[column] ?? '')),
  ),
  omitsByteOrderMark: true,
});

/** Reads the example file of the package, with which people can try an import. */
export const exampleText = (): Promise<string> => readFile(packageFile('examples/trainees.csv'), 'utf8');
