import { readFile } from 'node:fs/promises';
import { csvLine } from '../../../csv/format.js';
import { packageFile } from '../../../package-root.js';
import { importColumns } from '../../../schemas/import.js';

const examples: readonly Partial<Record<(typeof importColumns)[number], string>>[] = [
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

/** A file to fill in: the header with all columns, and two example rows. */
export const templateText = [
  csvLine(importColumns),
  ...examples.map((example) => csvLine(importColumns.map((column) => example[column] ?? ''))),
].join('');

/** A file to try an import with, which comes with the package. */
export const exampleText = (): Promise<string> => readFile(packageFile('examples/trainees.csv'), 'utf8');
