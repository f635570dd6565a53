import Joi from 'joi';
import {
  applySchema,
  importFormSchema,
  importListingSchema,
  importRowListingSchema,
  replanSchema,
  reportQuerySchema,
  undoQuerySchema,
} from '../../../schemas/import.js';
import { tableQuerySchema } from '../../../schemas/table-format.js';
import { importRecord, importRow, importWithPlan, keptReasons, undo } from '../import-shapes.js';
import { accepted, freeingSeats, itemBytes, ok, operations, streamed, superAdmin, table } from '../operation.js';
import * as shapes from '../response-schemas.js';

const operation = operations('Imports');

/** Imports of accounts. */
export const importOperations = {
  importTemplate: operation.get('/api/imports/template.csv', {
    summary: 'A file to fill in',
    access: superAdmin,
    query: tableQuerySchema,
    success: table('The header with all columns, and two rows to be replaced'),
  }),
  importExample: operation.get('/api/imports/example.csv', {
    summary: 'A file to try an import with: `examples/trainees.csv` of the package',
    access: superAdmin,
    success: streamed('A spreadsheet of 40 people', 'text/csv'),
  }),
  createImport: operation.post('/api/imports', {
    summary: 'Import accounts from a workbook or a CSV file, in the background, or plan that',
    description:
      'With `plan` nothing is written: the import is `planning`, then `planned`, until the plan is applied, discarded or expires. A file that no options make importable, such as a workbook, is refused.',
    access: superAdmin,
    upload: { field: 'file', fields: importFormSchema, maxBytes: ({ imports }) => imports.uploadBytes },
    success: accepted('The import is queued, or is being planned; `Location` is its URL', { import: importWithPlan }),
    failures: ['MAIL_NOT_SET_UP', 'PLAN_LIMIT', 'STORAGE_UNAVAILABLE', 'BODY_INCOMPLETE'],
  }),
  listImports: operation.get('/api/imports', {
    summary: 'Imports, newest first, those of the terminal too',
    access: superAdmin,
    query: importListingSchema,
    success: ok('One page of imports', shapes.pageOf('imports', importRecord)),
  }),
  showImport: operation.get('/api/imports/:id', {
    summary: 'An import, its plan and its progress',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('import') }),
    success: ok('The import', { import: importWithPlan }),
    failures: ['NOT_FOUND'],
  }),
  watchImport: operation.get('/api/imports/:id/events', {
    summary:
      'Server-sent events: `progress` with the import whenever it changes, `end` when it has ended or is planned',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('import') }),
    success: streamed('The events, until the import has ended or is planned', 'text/event-stream'),
    failures: ['NOT_FOUND'],
  }),
  importRejects: operation.get('/api/imports/:id/rejected.csv', {
    summary: 'The rejected rows as they were, with line, code and reason',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('import') }),
    query: reportQuerySchema,
    exportsRows: true,
    success: table('The rejected rows, by default as the imported file was'),
    failures: ['NOT_FOUND', 'NOT_READY'],
  }),
  importOutcome: operation.get('/api/imports/:id/outcome.csv', {
    summary: 'What became of every row, with the accounts as they are now',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('import') }),
    query: tableQuerySchema,
    exportsRows: true,
    success: table('A line a row'),
    failures: ['NOT_FOUND', 'IMPORT_ROWS_DELETED'],
  }),
  importCredentials: operation.get('/api/imports/:id/credentials.csv', {
    summary: 'The generated passwords, once: they are removed when they have arrived',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('import') }),
    query: tableQuerySchema,
    success: table('The generated passwords'),
    failures: ['NOT_FOUND', 'CREDENTIALS_FETCHED', 'IMPORT_CONFLICT', 'IMPORT_BUSY', 'NOT_READY'],
  }),
  planImport: operation.post('/api/imports/:id/plan', {
    summary: 'Plan the uploaded file again with other options or columns',
    description:
      'Options that are left out have their default values. Works for imports that are planned or being planned, and for those that failed or were cancelled before their first row.',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('import') }),
    body: replanSchema,
    success: accepted('The import is being planned', { import: importWithPlan }),
    failures: [
      'NOT_FOUND',
      'IMPORT_CONFLICT',
      'IMPORT_AT_TERMINAL',
      'IMPORT_HAS_ROWS',
      'IMPORT_ROWS_DELETED',
      'PLAN_LIMIT',
      'MAIL_NOT_SET_UP',
    ],
  }),
  applyImport: operation.post('/api/imports/:id/apply', {
    summary: 'Do what the plan of an import says, in the background',
    description:
      'If the file, the matching accounts or the courses have changed since, nothing is written, and the import is `planned` again, with the `problem` PLAN_OUTDATED.',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('import') }),
    body: applySchema,
    success: accepted('The import is queued', { import: importWithPlan }),
    failures: ['NOT_FOUND', 'IMPORT_CONFLICT', 'PLAN_EXPIRED', 'IMPORT_REFUSED', 'PLAN_OUTDATED'],
  }),
  listImportRows: operation.get('/api/imports/:id/rows', {
    summary: 'Rows of an import: of its plan until that is applied, then what became of them',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('import') }),
    query: importRowListingSchema,
    itemBytes: itemBytes.importRow,
    success: ok('One page of rows', shapes.pageOf('rows', importRow)),
    failures: ['NOT_FOUND', 'IMPORT_ROWS_DELETED'],
  }),
  cancelImport: operation.post('/api/imports/:id/cancel', {
    summary: 'Cancel a queued or running import at the next batch of rows; committed rows stay',
    description: 'An import that is only planned is discarded with its file.',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('import') }),
    success: ok('The import is cancelled or discarded, or will be cancelled at the next batch of rows', {
      message: shapes.message('Import cancelled.', 'Plan discarded.', 'Import will end at the next batch of rows.'),
      import: importRecord.required(),
    }),
    failures: ['NOT_FOUND', 'IMPORT_CONFLICT'],
  }),
  resumeImport: operation.post('/api/imports/:id/resume', {
    summary: 'Resume an import that failed, was interrupted or cancelled',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('import') }),
    success: accepted('The import is queued again', { import: importRecord.required() }),
    failures: ['NOT_FOUND', 'IMPORT_CONFLICT', 'IMPORT_AT_TERMINAL', 'IMPORT_ROWS_DELETED'],
  }),
  undoImport: operation.post('/api/imports/:id/undo', {
    summary: 'Remove the accounts that an import created and restore those that it updated',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('import') }),
    query: undoQuerySchema,
    databaseDeadline: 'none',
    success: freeingSeats(
      ok(
        'What was undone, or would be with `dryRun`. Accounts that were used or changed since are kept and named; the import can be undone again once the reasons no longer apply',
        {
          message: shapes.message(
            'Import undone.',
            'Import undone in part.',
            'Nothing was undone: all accounts are kept.',
            'Nothing was undone: this is what would be.',
          ),
          undo: undo.required(),
          keptReasons,
          import: importRecord.required(),
        },
      ),
    ),
    failures: ['NOT_FOUND', 'IMPORT_CONFLICT', 'IMPORT_BUSY', 'IMPORT_ROWS_DELETED'],
  }),
};
