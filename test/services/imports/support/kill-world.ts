import { existsSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { Op } from 'sequelize';
import type { Enrollment } from '../../../../src/db/models/enrollment.js';
import type { UndoNote } from '../../../../src/db/models/import-row.js';
import { insertAccounts, type NewAccount } from '../../../../src/services/accounts/rows.js';
import type { Context } from '../../../../src/services/context.js';
import { operator } from '../../../../src/services/core.js';
import { courseKeys } from '../../../../src/services/courses/commands.js';
import { insertGroup } from '../../../../src/services/groups/commands.js';
import { groupLimits } from '../../../../src/services/groups/limits.js';
import { emptyDatabase } from '../../../support/harness.js';
import { reportOf, workbookOf } from './importing.js';

/** Rows of the file and of a batch. */
export const rows = 600;
export const batchRows = 50;
/** The kinds of rows repeat after this number of rows. */
const cycle = 20;
const cycles = rows / cycle;

/** Returns a fixed id, so that messages about accounts and courses are the same in every run. */
const idOf = (group: number, index: number) =>
  `00000000-0000-7000-8000-${String(group).padStart(4, '0')}${String(index).padStart(8, '0')}`;

/** Groups of existing accounts, one for each kind of row. */
const groups = ['changed', 'same', 'other', 'unknown', 'ambiguous', 'bound'] as const;
type Group = (typeof groups)[number];
const emailOf = (group: Group, index: number) => `${group}.${index}@example.org`;
const phoneOf = (group: Group, index: number) => `+1 ${groups.indexOf(group) + 1}00 ${index}`;

/** Reasons for rejecting rows about "bound" accounts, one after the other. */
const bonds = [
  ...(['super admin', 'has courses', 'has enrollments', 'no trainee', 'inactive', 'cancelled'] as const),
  'in many groups',
] as const;
const bondOf = (index: number) => bonds[index % bonds.length] ?? 'inactive';
const isTrainer = (index: number) => ['has courses', 'no trainee'].includes(bondOf(index));

function accountOf(group: Group, index: number, passwordHash: string): NewAccount {
  const isBound = group === 'bound';
  const role = isBound && index === 0 ? 'super_admin' : isBound && isTrainer(index) ? 'trainer' : 'trainee';
  return {
    firstName: 'Given',
    lastName: 'Family',
    email: emailOf(group, index),
    phone: phoneOf(group, index),
    role,
    isActive: !(isBound && bondOf(index) === 'inactive'),
    passwordHash,
    requiresPasswordChange: false,
    initialPasswordExpiresAt: null,
  };
}

const courses = {
  knots: { id: idOf(90, 1), title: 'Knots', maxStudents: null },
  few: { id: idOf(90, 2), title: 'Few seats', maxStudents: 40 },
  twice: { id: idOf(90, 3), title: 'Twice', maxStudents: null },
  again: { id: idOf(90, 4), title: 'Twice', maxStudents: null },
  splices: { id: idOf(90, 5), title: 'Splices', maxStudents: null },
};

/** Empties the database, and creates the accounts and courses of the file, always the same. */
export async function settle(context: Context): Promise<void> {
  await emptyDatabase(context);
  await context.database.sequelize.query('DELETE FROM leases');
  const { Course, Enrollment, GroupMember } = context.database.models;
  const passwordHash = await context.hasher.hash('a password of the world', 4);
  await context.database.inTransaction(async (transaction) => {
    for (const [number, group] of groups.entries()) {
      const indexes = Array.from({ length: cycles }, (_, index) => index);
      const accounts = indexes.map((index) => accountOf(group, index, passwordHash));
      const ids = indexes.map((index) => idOf(number + 1, index));
      await insertAccounts(context, accounts, transaction, ids);
    }
    const bound = groups.indexOf('bound') + 1;
    const trainerId = idOf(bound, 1);
    const rowOf = <C extends { title: string }>(course: C) => ({
      description: 'What it is about.',
      trainerId,
      ...courseKeys(course),
      ...course,
    });
    await Course.bulkCreate(
      Object.values(courses).map((course) => rowOf(course)),
      { transaction },
    );
    const indexes = Array.from({ length: cycles }, (_, index) => index);
    await Course.bulkCreate(
      indexes
        .filter((index) => bondOf(index) === 'has courses')
        .map((index) => rowOf({ id: idOf(91, index), title: `Own ${index}`, trainerId: idOf(bound, index) })),
      { transaction },
    );
    await Enrollment.bulkCreate(
      indexes
        .filter((index) => ['has enrollments', 'cancelled'].includes(bondOf(index)))
        .map((index) => ({
          id: idOf(92, index),
          userId: idOf(bound, index),
          courseId: courses.knots.id,
          trainerId,
          status: bondOf(index) === 'cancelled' ? ('cancelled' as const) : ('active' as const),
          enrolledAt: new Date(0),
        })),
      { transaction },
    );
    const inMany = indexes.filter((index) => bondOf(index) === 'in many groups').map((index) => idOf(bound, index));
    for (let number = 0; number < groupLimits.ofPerson; number += 1) {
      const { id } = await insertGroup(context, operator, { name: `Many ${number}` }, transaction);
      const members = inMany.map((userId) => ({ groupId: id, userId, source: 'hand' as const, addedAt: new Date(0) }));
      await GroupMember.bulkCreate(members, { transaction });
    }
  });
}

/** Returns a row whose change a bound account doesn't allow. */
function boundRow(index: number): string {
  const [email, phone] = [emailOf('bound', index), phoneOf('bound', index)];
  const person = (last: string, role: string, course: string) => `Given,${last},${email},${phone},${role},${course},`;
  switch (bondOf(index)) {
    case 'super admin':
      return person('Changed', '', '');
    case 'has courses':
      return person('Changed', 'trainee', '');
    case 'has enrollments':
      return person('Changed', 'trainer', '');
    case 'no trainee':
      return person('Changed', '', 'Knots');
    case 'inactive':
      return person('Changed', '', 'Knots');
    case 'cancelled':
      return person('Family', '', 'Knots');
    case 'in many groups':
      return person('Family', '', '');
  }
}

/**
 * Returns the row at a position of the file. Every few batches contain every outcome and code. Some rows match accounts of rows
 * several batches before, changed or not, by the other key.
 */
function rowAt(position: number): string {
  const [round, kind] = [Math.floor(position / cycle), position % cycle];
  const earlier = Math.max(0, round - 4);
  const fresh = (course = '', notes = '') =>
    `Given,Family,new.${position}@example.org,+44 ${position},,${course},${notes}`;
  const meets = (group: Group, lastName: string, phone: string, course = '') =>
    `Given,${lastName},${emailOf(group, round)},${phone},,${course},`;
  switch (kind) {
    case 0:
      // Another course of the person of kind 7 in the previous round.
      return round === 0 ? fresh() : `Given,Family,new.${position - 13}@example.org,+44 ${position - 13},,Splices,`;
    case 5:
    case 6:
      return fresh('Few seats');
    case 7:
      return fresh('Knots', 'by hand');
    case 8:
      return meets('changed', 'Changed', `+49 ${round}`);
    case 9:
      return meets('same', 'Family', phoneOf('same', round));
    case 10:
      return `A,B,nobody${position},,,,`;
    case 11:
      return `Given,Twin,new.${position - 5}@example.org,+44 ${position},,,`;
    case 12:
      // The phone of another account.
      return meets('other', 'Changed', phoneOf('bound', cycles - 1 - round));
    case 13:
      return meets('unknown', 'Changed', phoneOf('unknown', round), 'Nowhere');
    case 14:
      return meets('ambiguous', 'Changed', phoneOf('ambiguous', round), 'Twice');
    case 15:
      return boundRow(round);
    case 16:
      return `Given,Phone,phone.${position}@example.org,${phoneOf('changed', earlier)},,,`;
    case 17:
      return `Given,Phone,phone.${position}@example.org,${phoneOf('unknown', earlier)},,,`;
    case 18:
      return `Given,Phone,phone.${position}@example.org,${phoneOf('bound', earlier)},,,`;
    case 19:
      return `Given,Phone,phone.${position}@example.org,${phoneOf('ambiguous', earlier)},,,`;
    default:
      return fresh();
  }
}

/** An import can't make a cancelled enrollment pending. */
const statusAt = (position: number): string =>
  position % cycle === 15 && bondOf(Math.floor(position / cycle)) === 'cancelled' ? 'pending' : '';

/** Rows of new people name a group that exists, a new group, or both. A row about a person of many groups names another group. */
function groupsAt(position: number): string {
  const [round, kind] = [Math.floor(position / cycle), position % cycle];
  if (kind === 15) return bondOf(round) === 'in many groups' ? 'One more' : '';
  return kind === 0 ? `Team ${round % 4}; Many 0` : kind < 10 && kind % 3 === 0 ? `team  ${round % 4}` : '';
}

function fileOf(positions: readonly number[]): string {
  const lines = positions.map((position) => `${rowAt(position)},${statusAt(position)},${groupsAt(position)}`);
  return `${['firstName,lastName,email,phone,role,course,reply,enrollmentStatus,group', ...lines].join('\n')}\n`;
}

const positions = Array.from({ length: rows }, (_, position) => position);

/** A file in which each row has one outcome, which may depend on earlier rows. */
const mixed = fileOf(positions);

/** A file without bad rows at its start: an import that stops at the first bad row takes several batches. */
const goodAtFirst = fileOf(positions.filter((position) => position % cycle < 10 || position >= rows / 2));

/** A file and the options of its import. */
export interface Policy {
  /** Name of the file, which determines the kind of its reports. */
  file: 'people.csv' | 'people.xlsx';
  flags: readonly string[];
  csv: string;
  /** Whether the import stops at a bad row before the end of the file. */
  stops: boolean;
}

const whole = (...flags: string[]): Policy => ({ file: 'people.csv', flags, csv: mixed, stops: false });

/** Policies that together produce every outcome and code. */
export const policies: readonly Policy[] = [
  whole('--on-existing', 'update', '--reset-passwords', '--match', 'phone'),
  { file: 'people.csv', flags: ['--on-existing', 'update', '--on-error', 'stop'], csv: goodAtFirst, stops: true },
  whole('--on-existing', 'skip', '--match', 'phone', '--course', 'Knots'),
  whole('--on-existing', 'fail', '--match', 'phone', '--enrollment-status', 'pending'),
  whole('--on-existing', 'update'),
];

/** {@link policies} with workbooks. */
export const workbookPolicies: readonly Policy[] = policies.map((policy) => ({
  ...policy,
  file: 'people.xlsx',
  flags: [...policy.flags, '--credentials', 'people.credentials.xlsx'],
}));

/** Returns the bytes of the file to import. */
export const contentOf = async ({ file, csv }: Policy): Promise<Buffer> =>
  file === 'people.csv' ? Buffer.from(csv) : workbookOf(parse(csv) as string[][]);

/** Reads a report of the imported file. After a kill at the end of the import, the report may still be CSV. */
const reportBeside = (file: string, kind: 'credentials' | 'rejected') => {
  const { dir, name, ext } = path.parse(file);
  const report = path.join(dir, `${name}.${kind}${ext}`);
  return reportOf(existsSync(`${report}.csv`) ? `${report}.csv` : report);
};

/** Returns the results of an import, except for ids, hashes and times. */
export async function leftBehind({ database }: Context, file: string) {
  const { AuditEntry, Enrollment, Group, GroupMember, Import, ImportRow, User } = database.models;
  const imports = await Import.findAll({ raw: true });
  const users = await User.findAll({ order: ['email'], raw: true });
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  for (const { id } of imports) emails.set(id, 'the import');
  const ledger = await ImportRow.findAll({ order: ['importId', 'line'], raw: true });
  const enrollments = await Enrollment.findAll({ raw: true });
  const groupNames = new Map((await Group.findAll({ raw: true })).map(({ id, nameKey }) => [id, nameKey]));
  const members = await GroupMember.findAll({ raw: true });
  const recorded = { [Op.or]: [{ targetType: 'user' }, { action: 'import.finish' }] };
  const audit = await AuditEntry.findAll({ where: recorded, raw: true });
  const nameOf = (id: string | null) => (id === null ? null : (emails.get(id) ?? id));
  const credentials = await reportBeside(file, 'credentials');
  return {
    imports: imports.map(({ status, rowsDone, rowsTotal, createdCount, updatedCount, skippedCount, ...rest }) => ({
      status,
      rowsDone,
      rowsTotal,
      createdCount,
      updatedCount,
      skippedCount,
      rejectedCount: rest.rejectedCount,
      enrolledCount: rest.enrolledCount,
      waitingCount: rest.waitingCount,
      leftOutCount: rest.leftOutCount,
    })),
    ledger: ledger.map(({ line, outcome, code, reason, userId, undoJson }) => ({
      line,
      outcome,
      code,
      reason,
      account: nameOf(userId),
      note: withoutMoments(undoJson),
    })),
    accounts: users.map(
      ({ passwordHash, id, createdAt, updatedAt, initialPasswordExpiresAt, lockVersion, ...rest }) => ({
        ...rest,
        expires: initialPasswordExpiresAt !== null,
      }),
    ),
    enrollments: enrollments
      .map(({ userId, courseId, status, notes }: Enrollment) => `${nameOf(userId)} ${courseId} ${status} ${notes}`)
      .sort(),
    groups: [...groupNames.values()].sort(),
    members: members.map(({ userId, groupId }) => `${nameOf(userId)} ${groupNames.get(groupId)}`).sort(),
    audit: audit
      .map(({ action, targetId, beforeJson, afterJson }) =>
        `${nameOf(targetId)} ${action} ${beforeJson} ${afterJson}`.replace(/"importId":"[^"]*"/, ''),
      )
      .sort(),
    rejects: await reportBeside(file, 'rejected'),
    credentials: credentials.map(({ password, ...others }) => others),
  };
}

/** Returns the undo data of the ledger without values that differ between runs. */
function withoutMoments(undoJson: string | null): string | null {
  if (undoJson === null) return null;
  const { before, enrollments = [], groups = [], newGroups = [] } = JSON.parse(undoJson) as UndoNote;
  const { updatedAt: _, passwordHash: __, ...fields } = { updatedAt: '', passwordHash: '', ...before };
  return JSON.stringify({
    ...fields,
    enrollments: enrollments.length,
    groups: groups.length,
    newGroups: newGroups.length,
  });
}

/** Returns the accounts whose password in the credentials file is wrong, or is missing. */
export async function wrongPasswords({ database, hasher }: Context, file: string): Promise<string[]> {
  const users = await database.models.User.findAll({ where: { requiresPasswordChange: true }, raw: true });
  const hashes = new Map(users.map(({ email, passwordHash }) => [email, passwordHash]));
  const wrong: string[] = [];
  const records = await reportBeside(file, 'credentials');
  // The hasher refuses too many requests at the same time.
  for (let at = 0; at < records.length; at += 100)
    await Promise.all(
      records.slice(at, at + 100).map(async ({ email = '', password = '' }) => {
        if (!(await hasher.compare(password, hashes.get(email) ?? ''))) wrong.push(email);
      }),
    );
  const listed = new Set(records.map(({ email }) => email));
  return [...wrong, ...users.map(({ email }) => email).filter((email) => !listed.has(email))];
}
