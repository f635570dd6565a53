import type { presentImport, presentImportRow } from '../../../presenters/import.js';
import type { Column } from '../../core/columns.js';

type ImportRecord = ReturnType<typeof presentImport>;
type ImportRow = ReturnType<typeof presentImportRow>;

export const importColumns: readonly Column<ImportRecord>[] = [
  { name: 'number', value: ({ number }) => number, priority: 0 },
  { name: 'file', value: ({ file }) => file, minimum: 15, priority: 0 },
  { name: 'createdAt', heading: 'BEGUN', value: ({ createdAt }) => createdAt, priority: 2 },
  { name: 'origin', heading: 'FROM', value: ({ origin }) => origin, fit: 'whole', priority: 7 },
  { name: 'status', value: ({ status }) => status, fit: 'whole', priority: 0 },
  { name: 'rows', value: ({ counts }) => counts.rows, priority: 3 },
  { name: 'created', value: ({ counts }) => counts.created, priority: 4 },
  { name: 'updated', value: ({ counts }) => counts.updated, priority: 5 },
  { name: 'skipped', value: ({ counts }) => counts.skipped, priority: 6 },
  { name: 'rejected', value: ({ counts }) => counts.rejected, priority: 1 },
  { name: 'finishedAt', heading: 'ENDED', value: ({ finishedAt }) => finishedAt, priority: 'on request' },
  { name: 'undoneAt', heading: 'UNDONE', value: ({ undoneAt }) => undoneAt, priority: 'on request' },
  {
    name: 'ledgerClosedAt',
    heading: 'ROWS DELETED',
    value: ({ ledgerClosedAt }) => ledgerClosedAt,
    priority: 'on request',
  },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 8 },
];

const reason = ({ message, changes }: ImportRow) =>
  message ?? changes?.flatMap((change) => ('field' in change ? String(change.field) : [])).join(', ');

/** What an undo did with the account, and why it was kept. */
const undone = ({ undo }: ImportRow) => undo && [undo.outcome, undo.code].filter((word) => word !== null).join(' ');

export const importRowColumns: readonly Column<ImportRow>[] = [
  { name: 'line', value: ({ line }) => line, priority: 0 },
  { name: 'outcome', value: ({ outcome }) => outcome, fit: 'whole', priority: 0 },
  { name: 'code', value: ({ code }) => code, fit: 'whole', priority: 2 },
  { name: 'account', value: ({ account }) => account?.email, fit: 'whole', priority: 1 },
  { name: 'undo', value: undone, fit: 'whole', priority: 1, hideEmpty: true },
  { name: 'message', heading: 'WHY', value: reason, fit: 'wrap', minimum: 24, priority: 0 },
];
