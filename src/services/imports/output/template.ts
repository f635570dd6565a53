import { readFile } from 'node:fs/promises';
import { mailLanguages } from '../../../config/mail-settings.js';
import { packageFile } from '../../../package-root.js';
import { initialStatuses } from '../../../schemas/enrollment-statuses.js';
import { fieldsReadBy, type ImportColumn, importableRoles, importColumns } from '../../../schemas/import.js';
import { smallTable, type Table, type TableColumn } from '../../../tables/write/table.js';
import type { Identity } from '../../core.js';

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
function columnFor(heading: ImportColumn): TableColumn {
  const offered = choices[heading];
  return { heading, isText: true, ...(offered && { choices: offered }) };
}

/** Returns a file to fill in: the header with all columns that the reader can import, and two example rows. */
export function templateTable(reader: Identity): Table {
  const allowed = fieldsReadBy(reader.role === 'trainer' ? { trainerId: reader.actorId } : {});
  const headings = importColumns.filter((column) => allowed.includes(column));
  const rows = examples.map((example) => headings.map((column) => example[column] ?? ''));
  return { ...smallTable('People', headings.map(columnFor), rows), omitsByteOrderMark: true };
}

/** Reads the example file of the package, with which people can try an import. */
export const exampleText = (): Promise<string> => readFile(packageFile('examples/trainees.csv'), 'utf8');
