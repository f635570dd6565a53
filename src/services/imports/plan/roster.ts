import type { Import } from '../../../db/models/import.js';
import { selectRows } from '../../../db/sql/rows.js';
import { AppError } from '../../../errors.js';
import { seatStatuses } from '../../../schemas/enrollment-statuses.js';
import { defaultMaxLeaving, type ImportOptions } from '../../../schemas/import.js';
import { searchKey } from '../../../schemas/keys.js';
import type { PhoneKeys } from '../../../schemas/phone-keys.js';
import type { HeldSync } from '../../../schemas/roster.js';
import type { Core } from '../../core.js';
import { groupLimits } from '../../groups/limits.js';
import { findRoster } from '../../groups/rosters.js';
import { type FileRow, isRejected } from '../read/rows/rows.js';
import { readLeaving } from './leaving.js';

/** A person of the file of a roster. The name and the phone are keys to compare. */
interface RosterPerson {
  line: number;
  email: string;
  name: string;
  phone: string | undefined;
}

/** The people whom the file of a roster names. */
export interface RosterPeople {
  people: readonly RosterPerson[];
  /** Addresses of people whose rows are rejected. */
  rejected: ReadonlySet<string>;
  /** Lines of rejected rows with both names and no readable address: they may be about any member. */
  unsure: readonly number[];
}

export interface PlannedLeaver {
  userId: string;
  firstName: string;
  lastName: string;
  email: string;
  /** Number of enrollments that are cancelled. */
  ended: number;
  isDeactivated: boolean;
}

/** The effects of a sync on the members of its group. */
export interface RosterPlan {
  /** Null if the import creates the group. */
  groupId: string | null;
  /** Whether the group was never synchronised: then nobody leaves. */
  isFirst: boolean;
  /** Number of members whom files added. */
  members: number;
  /** Members who leave, by name in descending order. */
  leaving: readonly PlannedLeaver[];
  /** Lines that may be about any member. While there are some, nobody leaves. */
  unsure: readonly number[];
  /** Number of members who would leave without these lines. */
  postponed: number;
  /** Set if the sync needs an approval. */
  held: HeldSync | null;
  /** Members who may be the newcomers of these lines, under a new address. They stay, and the lines are rejected. */
  renamed: ReadonlyMap<number, PlannedLeaver>;
  /** Seats and places on waiting lists that become free, by course. */
  freed: ReadonlyMap<string, { seats: number; waiting: number }>;
}

const nameKey = (one: { firstName: string; lastName: string }) => searchKey(one.firstName, one.lastName);

/**
 * Reads the people of a roster's file.
 * @throws AppError `IMPORT_FILE_INVALID` if the file has more people than a group can have
 */
export async function readRosterPeople(
  batches: AsyncIterable<readonly FileRow[]>,
  { keyOf }: PhoneKeys,
): Promise<RosterPeople> {
  const people: RosterPerson[] = [];
  const rejected = new Set<string>();
  const unsure: number[] = [];
  for await (const batch of batches) {
    for (const row of batch) {
      if (isRejected(row)) {
        if (row.named?.email) rejected.add(row.named.email);
        else if (row.named?.hasNames) unsure.push(row.line);
        continue;
      }
      const { email, phone } = row.person;
      people.push({ line: row.line, email, name: nameKey(row.person), phone: phone && keyOf(phone) });
    }
    if (people.length > groupLimits.members)
      throw new AppError(
        'IMPORT_FILE_INVALID',
        `The file has more than ${groupLimits.members} people, and a group can't have more members. Divide it into several rosters.`,
      );
  }
  return { people, rejected, unsure };
}

/** Accounts per query. */
const chunk = 500;

function* chunksOf<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += chunk) yield items.slice(at, at + chunk);
}

type Member = PlannedLeaver & { phoneKey: string | null };

async function readMembers({ database }: Core, groupId: string): Promise<Member[]> {
  const { GroupMember, User } = database.models;
  const where = { groupId, source: 'file' } as const;
  const found = await database.read(() => GroupMember.findAll({ attributes: ['userId'], where, raw: true }));
  const members: Member[] = [];
  for (const among of chunksOf(found.map(({ userId }) => userId))) {
    const attributes = ['id', 'firstName', 'lastName', 'email', 'phoneKey'] as const;
    const users = await database.read(() => selectRows(User, attributes, { by: 'id', among }));
    for (const { id, ...user } of users) members.push({ userId: id, ...user, ended: 0, isDeactivated: false });
  }
  return members;
}

/** Returns the lines of newcomers with the name or the phone of a leaving member, and these members. */
async function findRenamed(
  { database }: Core,
  leaving: readonly Member[],
  { people }: RosterPeople,
): Promise<Map<number, Member>> {
  const byName = new Map(leaving.map((member) => [nameKey(member), member]));
  const byPhone = new Map(leaving.flatMap((member) => (member.phoneKey === null ? [] : [[member.phoneKey, member]])));
  const suspects = people.flatMap((person) => {
    const member = (person.phone === undefined ? undefined : byPhone.get(person.phone)) ?? byName.get(person.name);
    return member ? [{ ...person, member }] : [];
  });
  const known = new Set<string>();
  for (const some of chunksOf(suspects)) {
    const among = some.map(({ email }) => email);
    const accounts = await database.read(() => selectRows(database.models.User, ['email'], { by: 'email', among }));
    for (const { email } of accounts) known.add(email);
  }
  return new Map(suspects.flatMap(({ line, email, member }) => (known.has(email) ? [] : [[line, member]])));
}

/** Returns the number of members who may leave without an approval. */
function leavingLimit(maxLeaving: string, members: number): number {
  const number = Number.parseInt(maxLeaving, 10);
  const limit = maxLeaving.endsWith('%') ? Math.max(5, Math.floor((members * number) / 100)) : number;
  return Math.min(limit, Math.floor(members / 2));
}

const none = {
  groupId: null,
  isFirst: true,
  members: 0,
  leaving: [],
  postponed: 0,
  held: null,
  renamed: new Map(),
  freed: new Map(),
};

/**
 * Plans which members leave a roster.
 * @param unfinished the import that the plan resumes: its leaving members were approved
 */
export async function planRoster(
  core: Core,
  name: string,
  options: ImportOptions,
  file: RosterPeople,
  unfinished: Pick<Import, 'rowsDone' | 'leftCount'> | null,
): Promise<RosterPlan> {
  const group = await findRoster(core, name);
  const { unsure } = file;
  if (!group) return { ...none, unsure };
  const groupId = group.id;
  if (group.syncedAt === null) return { ...none, groupId, unsure };
  const members = await readMembers(core, groupId);
  const named = new Set([...file.people.map(({ email }) => email), ...file.rejected]);
  const phones = new Set(options.match === 'phone' ? file.people.map(({ phone }) => phone) : []);
  const missing = members.filter(({ email, phoneKey }) => !named.has(email) && !phones.has(phoneKey ?? undefined));
  const renamed = await findRenamed(core, missing, file);
  const stay = new Set([...renamed.values()].map(({ userId }) => userId));
  const isOver = (unfinished?.rowsDone ?? 0) > 0;
  const missed = isOver ? [] : missing.filter(({ userId }) => !stay.has(userId));
  const isPostponed = unsure.length > 0;
  const leaving = isPostponed ? [] : missed;
  const freed = new Map<string, { seats: number; waiting: number }>();
  for (const some of chunksOf(leaving)) await addEffects(core, groupId, some, options, freed);
  leaving.sort((one, other) => (nameOrder(one) < nameOrder(other) ? 1 : -1));
  const limit = leavingLimit(options.maxLeaving ?? defaultMaxLeaving, members.length);
  const isApproved = (unfinished?.leftCount ?? 0) > 0;
  const held =
    !isApproved && leaving.length > limit ? { leaving: leaving.length, members: members.length, limit } : null;
  const postponed = isPostponed ? missed.length : 0;
  const count = members.length;
  return { groupId, isFirst: false, members: count, leaving, unsure, postponed, held, renamed, freed };
}

const nameOrder = ({ firstName, lastName, email }: PlannedLeaver) => `${searchKey(lastName, firstName)} ${email}`;

async function addEffects(
  core: Core,
  groupId: string,
  members: readonly Member[],
  options: ImportOptions,
  freed: Map<string, { seats: number; waiting: number }>,
): Promise<void> {
  const ids = members.map(({ userId }) => userId);
  const effects = new Map((await readLeaving(core, groupId, ids, options)).map((one) => [one.user.id, one]));
  for (const member of members) {
    const { ended = [], isDeactivated = false } = effects.get(member.userId) ?? {};
    Object.assign(member, { ended: ended.length, isDeactivated });
    for (const { courseId, status } of ended) {
      const { seats, waiting } = freed.get(courseId) ?? { seats: 0, waiting: 0 };
      const hasSeat = seatStatuses.some((one) => one === status);
      freed.set(courseId, { seats: seats + Number(hasSeat), waiting: waiting + Number(!hasSeat) });
    }
  }
}

/** @param held the sync that needs an approval */
export function syncHeldError(name: string, { leaving, members, limit }: HeldSync): AppError {
  const who = leaving === 1 ? '1 member' : `${leaving} members`;
  return new AppError(
    'SYNC_HELD',
    `${who} of ${members} would leave "${name}", and ${limit} may. Nothing was written. Check the file. If it is right, approve exactly this number: at a terminal with --allow-leaving ${leaving}.`,
    { params: { leaving, members, limit } },
  );
}
