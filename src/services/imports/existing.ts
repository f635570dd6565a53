import { phoneKey } from '../../schemas/fields.js';
import type { Core } from '../core.js';
import { type CandidateRow, type FileRow, isRejected, type RejectedRow } from './rows.js';

/** What is to become of a row, now that the accounts are known. */
export type Decision =
  | { outcome: 'created'; row: CandidateRow }
  | { outcome: 'skipped'; row: CandidateRow; code: 'ALREADY_EXISTS'; userId: string }
  | { outcome: 'rejected'; row: RejectedRow };

interface Holders {
  emails: ReadonlyMap<string, string>;
  phones: ReadonlyMap<string, string>;
}

/** The accounts that hold the emails and phones of the rows: two queries a batch, each on its own index. */
async function holdersOf(core: Core, rows: readonly CandidateRow[]): Promise<Holders> {
  if (rows.length === 0) return { emails: new Map(), phones: new Map() };
  const { User } = core.database.models;
  const [byEmail, byPhone] = await core.database.read(() =>
    Promise.all([
      User.findAll({ attributes: ['id', 'email'], where: { email: rows.map((row) => row.person.email) }, raw: true }),
      User.findAll({
        attributes: ['id', 'phoneKey'],
        where: { phoneKey: rows.map((row) => phoneKey(row.person.phone)) },
        raw: true,
      }),
    ]),
  );
  return {
    emails: new Map(byEmail.map((user) => [user.email, user.id])),
    phones: new Map(byPhone.map((user) => [user.phoneKey, user.id])),
  };
}

function decideRow(row: FileRow, holders: Holders): Decision {
  if (isRejected(row)) return { outcome: 'rejected', row };
  const emailHolder = holders.emails.get(row.person.email);
  const phoneHolder = holders.phones.get(phoneKey(row.person.phone));
  if (emailHolder !== undefined && phoneHolder !== undefined && emailHolder !== phoneHolder) {
    const reason = `Email belongs to account ${emailHolder}, phone to account ${phoneHolder}.`;
    return { outcome: 'rejected', row: { line: row.line, cells: row.cells, code: 'ACCOUNTS_DIFFER', reason } };
  }
  const userId = emailHolder ?? phoneHolder;
  return userId === undefined
    ? { outcome: 'created', row }
    : { outcome: 'skipped', row, code: 'ALREADY_EXISTS', userId };
}

/** Decides on the rows of a batch, in their order, by the accounts that there are now. */
export async function decide(core: Core, rows: readonly FileRow[]): Promise<Decision[]> {
  const holders = await holdersOf(
    core,
    rows.filter((row): row is CandidateRow => !isRejected(row)),
  );
  return rows.map((row) => decideRow(row, holders));
}
