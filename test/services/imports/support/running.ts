import { expect } from 'chai';
import type { Context } from '../../../../src/services/context.js';
import { operator } from '../../../../src/services/core.js';
import { planImport } from '../../../../src/services/imports/plan/plan.js';
import { applyImport } from '../../../../src/services/imports/queue/apply.js';
import type { AppliedImport, ApplyOptions } from '../../../../src/services/imports/run/run-import.js';
import { type Importing, recordsOf } from './importing.js';

/** Rows of a batch. */
export const batchRows = 50;

/** Plans and applies an import in this process. */
export async function importFile(
  context: Context,
  file: string,
  options: Partial<ApplyOptions> = {},
  importOptions: object = {},
): Promise<AppliedImport> {
  const plan = await planImport(context, { file, options: importOptions, signal: new AbortController().signal });
  return applyImport(context, operator, plan, applyOptions(options));
}

export const applyOptions = (options: Partial<ApplyOptions> = {}): ApplyOptions => ({
  signal: new AbortController().signal,
  ...options,
});

/** Starts an import, and interrupts it after its first batch, as Ctrl-C does. */
export async function importFirstBatch(
  context: Context,
  file: string,
  options: Partial<ApplyOptions> = {},
  importOptions: object = {},
): Promise<AppliedImport> {
  const breaking = new AbortController();
  const result = await importFile(
    context,
    file,
    {
      ...options,
      signal: breaking.signal,
      onProgress: (rows) => {
        if (rows >= context.config.imports.batchRows) breaking.abort();
      },
    },
    importOptions,
  );
  expect(result).to.include({ status: 'interrupted' });
  expect(result.counts.rows).to.be.at.least(context.config.imports.batchRows);
  return result;
}

/** Expects that every account was created once, and that its password works in exactly one line of the credentials files. */
export async function expectAllAccounts(
  importing: Importing,
  emails: readonly string[],
  ...credentialsFiles: (string | null)[]
): Promise<void> {
  const { database, hasher } = importing.context;
  const users = await database.models.User.findAll({ raw: true });
  expect(users.map((user) => user.email).sort()).to.deep.equal([...emails].sort());
  const credentials = credentialsFiles.flatMap(recordsOf);
  expect(credentials.map(({ email }) => email).sort()).to.deep.equal([...emails].sort());
  const hashes = new Map(users.map((user) => [user.email, user.passwordHash]));
  // The hasher refuses too many requests at the same time.
  for (let at = 0; at < credentials.length; at += 100) {
    const works = await Promise.all(
      credentials
        .slice(at, at + 100)
        .map(async ({ email = '', password = '' }) =>
          (await hasher.compare(password, hashes.get(email) ?? '')) ? null : email,
        ),
    );
    expect(works.filter(Boolean), 'accounts whose password is not the one in the file').to.deep.equal([]);
  }
  for (const record of [credentials[0], credentials.at(-1)]) {
    const { email, phone, password } = record ?? {};
    for (const identifier of [email, phone])
      await importing.api('post', '/api/auth/login').send({ identifier, password }).expect(200);
  }
}

/** Expects one outcome for each line in the ledger, with sums that equal the counts of the import. */
export async function expectWholeLedger(importing: Importing, id: string, rows: number): Promise<void> {
  const { Import, ImportRow, User } = importing.context.database.models;
  const ledger = await ImportRow.findAll({ where: { importId: id }, order: ['line'], raw: true });
  expect(ledger.map(({ line }) => line)).to.deep.equal(Array.from({ length: rows }, (_, index) => index + 2));
  const record = await Import.findByPk(id, { rejectOnEmpty: true });
  expect(record).to.include({ status: 'completed', rowsDone: rows, rowsTotal: rows });
  const count = (outcome: string) => ledger.filter((row) => row.outcome === outcome).length;
  expect({ created: record.createdCount, skipped: record.skippedCount, rejected: record.rejectedCount }).to.deep.equal({
    created: count('created'),
    skipped: count('skipped'),
    rejected: count('rejected'),
  });
  const known = new Set((await User.findAll({ attributes: ['id'], raw: true })).map((user) => user.id));
  expect(ledger.filter(({ outcome, userId }) => (outcome === 'rejected') === known.has(userId ?? ''))).to.deep.equal(
    [],
  );
}
