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

const bothRoles = ['trainer', 'super_admin'] as const;
const ofOwner = { kind: 'owner', of: 'import', roles: bothRoles } as const;

export const importOperations = {
  importTemplate: operation.get('/api/imports/template.csv', {
    summary: 'A template to fill in',
    access: { kind: 'roles', roles: bothRoles },
    query: tableQuerySchema,
    success: table('The header with all columns that the caller can import, and two example rows to replace'),
  }),
  importExample: operation.get('/api/imports/example.csv', {
    summary: 'An example file for an import: `examples/trainees.csv` of the package',
    access: superAdmin,
    success: streamed('A spreadsheet of 40 people', 'text/csv'),
  }),
  createImport: operation.post('/api/imports', {
    summary: 'Import accounts from a workbook or a CSV file in the background, or plan the import',
    description:
      'With `plan`, nothing is written: the import is `planning`, then `planned`, until the plan is applied, discarded or expires. A file that is not importable with any options is refused.',
    access: { kind: 'roles', roles: bothRoles },
    upload: { field: 'file', fields: importFormSchema, maxBytes: ({ imports }) => imports.uploadBytes },
    success: accepted('The import is queued, or is being planned; `Location` is its URL', { import: importWithPlan }),
    failures: ['MAIL_NOT_SET_UP', 'PASSWORD_LOGIN_OFF', 'PLAN_LIMIT', 'STORAGE_UNAVAILABLE', 'BODY_INCOMPLETE'],
  }),
  listImports: operation.get('/api/imports', {
    summary: 'Imports, newest first, including imports of the terminal',
    access: { kind: 'scoped', roles: bothRoles },
    query: importListingSchema,
    success: ok('One page of imports', shapes.pageOf('imports', importRecord)),
  }),
  showImport: operation.get('/api/imports/:id', {
    summary: 'An import, its plan and its progress',
    access: ofOwner,
    params: Joi.object({ id: shapes.idOf('import') }),
    success: ok('The import', { import: importWithPlan }),
    failures: ['NOT_FOUND'],
  }),
  watchImport: operation.get('/api/imports/:id/events', {
    summary:
      'Server-sent events: `progress` with the import at each change, `end` when the import has ended or is planned',
    access: ofOwner,
    params: Joi.object({ id: shapes.idOf('import') }),
    success: streamed('The events, until the import has ended or is planned', 'text/event-stream'),
    failures: ['NOT_FOUND'],
  }),
  importRejects: operation.get('/api/imports/:id/rejected.csv', {
    summary: 'The rejected rows as in the file, with line, code and reason',
    access: ofOwner,
    params: Joi.object({ id: shapes.idOf('import') }),
    query: reportQuerySchema,
    exportsRows: true,
    success: table('The rejected rows, by default in the format of the imported file'),
    failures: ['NOT_FOUND', 'NOT_READY'],
  }),
  importOutcome: operation.get('/api/imports/:id/outcome.csv', {
    summary: 'The outcome of every row, with the current accounts',
    access: ofOwner,
    params: Joi.object({ id: shapes.idOf('import') }),
    query: tableQuerySchema,
    exportsRows: true,
    success: table('One line per row'),
    failures: ['NOT_FOUND', 'IMPORT_ROWS_DELETED'],
  }),
  importCredentials: operation.get('/api/imports/:id/credentials.csv', {
    summary: 'The generated passwords. They can be downloaded only once, and are then deleted',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('import') }),
    query: tableQuerySchema,
    success: table('The generated passwords'),
    failures: ['NOT_FOUND', 'CREDENTIALS_FETCHED', 'IMPORT_CONFLICT', 'IMPORT_BUSY', 'NOT_READY'],
  }),
  planImport: operation.post('/api/imports/:id/plan', {
    summary: 'Plan the uploaded file again with other options or columns',
    description:
      'Absent options have their default values. Works for imports that are planned or being planned, and for imports that failed or were cancelled before their first row.',
    access: ofOwner,
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
      'PASSWORD_LOGIN_OFF',
      'COURSE_LOST',
      'ACCOUNT_INACTIVE',
    ],
  }),
  applyImport: operation.post('/api/imports/:id/apply', {
    summary: 'Apply the plan of an import in the background',
    description:
      'If the file, the matching accounts or the courses have changed since the plan, nothing is written. The import is then `planned` again, with the `problem` PLAN_OUTDATED.',
    access: ofOwner,
    params: Joi.object({ id: shapes.idOf('import') }),
    body: applySchema,
    success: accepted('The import is queued', { import: importWithPlan }),
    failures: [
      'NOT_FOUND',
      'IMPORT_CONFLICT',
      'PLAN_EXPIRED',
      'IMPORT_REFUSED',
      'PLAN_OUTDATED',
      'SYNC_HELD',
      'INVITE_LIMIT',
      'COURSE_LOST',
      'ACCOUNT_INACTIVE',
    ],
  }),
  listImportRows: operation.get('/api/imports/:id/rows', {
    summary: 'Rows of an import: of its plan until the plan is applied, then with their outcomes',
    access: ofOwner,
    params: Joi.object({ id: shapes.idOf('import') }),
    query: importRowListingSchema,
    itemBytes: itemBytes.importRow,
    success: ok('One page of rows', shapes.pageOf('rows', importRow)),
    failures: ['NOT_FOUND', 'IMPORT_ROWS_DELETED'],
  }),
  cancelImport: operation.post('/api/imports/:id/cancel', {
    summary: 'Cancel a queued or running import at the next batch of rows; committed rows stay',
    description: 'A planned import is discarded with its file.',
    access: ofOwner,
    params: Joi.object({ id: shapes.idOf('import') }),
    success: ok('The import is cancelled or discarded, or will be cancelled at the next batch of rows', {
      message: shapes.message('Import cancelled.', 'Plan discarded.', 'Import will end at the next batch of rows.'),
      import: importRecord.required(),
    }),
    failures: ['NOT_FOUND', 'IMPORT_CONFLICT'],
  }),
  resumeImport: operation.post('/api/imports/:id/resume', {
    summary: 'Resume an import that failed, was interrupted or cancelled',
    access: ofOwner,
    params: Joi.object({ id: shapes.idOf('import') }),
    success: accepted('The import is queued again', { import: importRecord.required() }),
    failures: [
      'NOT_FOUND',
      'IMPORT_CONFLICT',
      'IMPORT_AT_TERMINAL',
      'IMPORT_ROWS_DELETED',
      'INVITE_LIMIT',
      'COURSE_LOST',
      'ACCOUNT_INACTIVE',
    ],
  }),
  undoImport: operation.post('/api/imports/:id/undo', {
    summary: 'Remove the accounts that an import created and restore those that it updated',
    access: ofOwner,
    params: Joi.object({ id: shapes.idOf('import') }),
    query: undoQuerySchema,
    databaseDeadline: 'none',
    success: freeingSeats(
      ok(
        'The outcome of the undo, or its preview with `dryRun`. Accounts that were used or changed since the import are kept and listed. The import can be undone again once these reasons no longer apply',
        {
          message: shapes.message(
            'Import undone.',
            'Import undone in part.',
            'Nothing was undone: all accounts are kept.',
            'Nothing was undone. This is a preview.',
          ),
          undo: undo.required(),
          keptReasons,
          import: importRecord.required(),
        },
      ),
    ),
    failures: ['NOT_FOUND', 'IMPORT_CONFLICT', 'IMPORT_BUSY', 'IMPORT_ROWS_DELETED', 'COURSE_LOST', 'ACCOUNT_INACTIVE'],
  }),
};
