import type { ImportOptions } from '../../../schemas/import.js';
import { FileProblem } from '../../../tables/encoding/source-file.js';
import { shownText } from '../../../tables/table/text.js';
import type { Core } from '../../core.js';
import { comparableTitle } from '../../courses/find-course.js';
import { groupLimits } from '../../groups/limits.js';
import { countMemberships } from '../../groups/members.js';
import { quoteValue } from '../read/rows/row-problems.js';
import type { AcceptedPeople } from './accepted-people.js';
import {
  accountOf,
  type Decision,
  type ExistingAccount,
  groupsOf,
  isSamePerson,
  type PlannedGroup,
  rejection,
} from './outcomes.js';
import type { RosterPlan } from './roster.js';

/** Maximum number of new groups in a file. More of them mean that a wrong column was mapped. */
const maxNewGroups = 50;

/** Memberships of the accounts of a batch. */
interface Memberships {
  /** `user group` of each membership. */
  known: ReadonlySet<string>;
  /** Number of groups by account. */
  counts: ReadonlyMap<string, number>;
  /** Accounts that the roster of the import has deactivated. */
  deactivated: ReadonlySet<string>;
}

const noMemberships: Memberships = { known: new Set(), counts: new Map(), deactivated: new Set() };

/** Adds groups to decisions, and rejects rows whose people can't be added. */
export class GroupDecider {
  readonly #core: Core;
  readonly #ofAll: readonly string[];
  readonly #rosterKey: string | undefined;
  readonly #roster: RosterPlan | undefined;
  readonly #people: AcceptedPeople;
  /** Ids of the groups by name key. */
  #ids: ReadonlyMap<string, string> = new Map();
  readonly #new = new Map<string, string>();

  /** @param people people of earlier rows */
  constructor(
    core: Core,
    { group, roster: name }: Pick<ImportOptions, 'group' | 'roster'>,
    people: AcceptedPeople,
    roster: RosterPlan | undefined,
  ) {
    this.#core = core;
    this.#ofAll = [group, name].filter((one) => one !== undefined);
    this.#rosterKey = name === undefined ? undefined : comparableTitle(name);
    this.#roster = roster;
    this.#people = people;
  }

  /** Names of the groups that the import creates, in the order of the file. */
  get newGroups(): string[] {
    return [...this.#new.values()];
  }

  /** Reads the groups again. */
  async reload(): Promise<void> {
    const { Group } = this.#core.database.models;
    const groups = await this.#core.database.read(() => Group.findAll({ attributes: ['id', 'nameKey'], raw: true }));
    this.#ids = new Map(groups.map(({ id, nameKey }) => [nameKey, id]));
  }

  /**
   * Adds the new groups of their people to the decisions.
   * @param sizes numbers of members by the keys of groups, including planned members
   */
  async decide(all: readonly Decision[], sizes: Map<string, number>): Promise<readonly Decision[]> {
    const decisions = all.map((one) => this.#rejectRenamed(one));
    const named = decisions.map((one) => (one.outcome === 'rejected' ? [] : this.#namedBy(one)));
    if (named.every((groups) => groups.length === 0)) return decisions;
    const members = await this.#membershipsOf(decisions.filter((_, at) => named[at]?.length));
    await this.#countMembers(named.flat(), sizes);
    return decisions.map((one, at) => this.#addGroups(one, named[at] ?? [], members, sizes));
  }

  #namedBy({ row }: Exclude<Decision, { outcome: 'rejected' }>): PlannedGroup[] {
    const names = [...(row.person.groups ?? []), ...this.#ofAll];
    const groups = new Map<string, PlannedGroup>();
    for (const name of names) {
      const key = comparableTitle(name);
      const id = this.#ids.get(key);
      if (!groups.has(key)) groups.set(key, { key, name, ...(id !== undefined && { id }) });
    }
    return [...groups.values()];
  }

  async #membershipsOf(decisions: readonly Decision[]): Promise<Memberships> {
    const { GroupMember } = this.#core.database.models;
    const userId = decisions.flatMap((one) => (one.outcome === 'rejected' ? [] : (accountOf(one)?.id ?? [])));
    if (userId.length === 0) return noMemberships;
    const found = await this.#core.database.read(() =>
      GroupMember.findAll({ attributes: ['userId', 'groupId'], where: { userId }, raw: true }),
    );
    const counts = new Map<string, number>();
    for (const { userId } of found) counts.set(userId, (counts.get(userId) ?? 0) + 1);
    const known = new Set(found.map(({ userId, groupId }) => `${userId} ${groupId}`));
    return { known, counts, deactivated: await this.#deactivatedAmong(userId) };
  }

  /** Counts the members of groups that were not counted yet. */
  async #countMembers(groups: readonly PlannedGroup[], sizes: Map<string, number>): Promise<void> {
    const uncounted = new Map(groups.flatMap(({ id, key }) => (id === undefined || sizes.has(key) ? [] : [[id, key]])));
    if (uncounted.size === 0) return;
    const counts = await this.#core.database.read(() =>
      countMemberships(this.#core, 'groupId', [...uncounted.keys()], null),
    );
    for (const [id, key] of uncounted) sizes.set(key, counts.get(id) ?? 0);
  }

  async #deactivatedAmong(userId: string[]): Promise<ReadonlySet<string>> {
    const groupId = this.#rosterId;
    if (groupId === undefined) return new Set();
    const { FormerMember } = this.#core.database.models;
    const where = { groupId, userId, deactivated: true };
    const former = await this.#core.database.read(() =>
      FormerMember.findAll({ attributes: ['userId'], where, raw: true }),
    );
    return new Set(former.map((one) => one.userId));
  }

  get #rosterId(): string | undefined {
    return this.#rosterKey === undefined ? undefined : this.#ids.get(this.#rosterKey);
  }

  /** Rejects a newcomer with the name or the phone of a member who would leave: both may be the same person. */
  #rejectRenamed(decision: Decision): Decision {
    const { row } = decision;
    const isNew = decision.outcome === 'created' || ('code' in row && row.code === 'ACCOUNTS_DIFFER');
    const member = isNew ? this.#roster?.renamed.get(row.line) : undefined;
    if (!member) return decision;
    const name = `${member.firstName} ${member.lastName} <${member.email}>`;
    return rejection(
      row,
      'RENAMED_PERHAPS',
      `${name} is a member and not in the file. ${renamedAdvice}`,
      member.userId,
    );
  }

  /** Adds what the sync has to know of a member, and returns accounts that the roster has deactivated. */
  #inRoster(decision: Accepted, account: ExistingAccount, { known, deactivated }: Memberships): Accepted {
    if (this.#roster === undefined) return decision;
    const changes = decision.outcome === 'updated' ? decision.changes : {};
    if (changes.isActive ?? account.isActive)
      return known.has(`${account.id} ${this.#rosterId}`) ? { ...decision, roster: 'member' } : decision;
    if (isSamePerson(decision)) return { ...decision, roster: 'inactive' };
    if (deactivated.has(account.id)) {
      const { row, enrollments } = decision;
      const isActive = { ...changes, isActive: true };
      return { outcome: 'updated', row, account, changes: isActive, resetPassword: false, enrollments };
    }
    const inactive = { ...decision, roster: 'inactive' } as const;
    return inactive.outcome === 'skipped' ? { ...inactive, code: 'KEPT_INACTIVE' } : inactive;
  }

  #addGroups(
    before: Decision,
    named: readonly PlannedGroup[],
    members: Memberships,
    sizes: Map<string, number>,
  ): Decision {
    if (before.outcome === 'rejected' || named.length === 0) return before;
    const { known, counts } = members;
    const account = accountOf(before);
    const decision = account ? this.#inRoster(before, account, members) : before;
    const { row } = decision;
    if (account?.role === 'super_admin') {
      // The option leaves out people who can't be members, as `course` leaves out trainers.
      return row.person.groups === undefined
        ? decision
        : rejection(
            row,
            'PROTECTED_ACCOUNT',
            "The super admin can't be in a group: leave the group empty.",
            account.id,
          );
    }
    const isKnown = ({ id, key }: PlannedGroup) =>
      (id !== undefined && known.has(`${account?.id} ${id}`)) ||
      (isSamePerson(decision) && this.#people.isInGroup(row.person.email, key, row.line));
    const groups = named.filter((group) => !isKnown(group));
    if ((counts.get(account?.id ?? '') ?? 0) + groups.length > groupLimits.ofPerson)
      return rejection(row, 'GROUP_LIMIT', tooManyGroups, account?.id);
    const full = groups.find(({ key }) => (sizes.get(key) ?? 0) >= groupLimits.members);
    if (full) {
      const reason = quoteValue('group', groupFull, row.mayQuoteCells ? full.name : '');
      return rejection(row, 'GROUP_LIMIT', reason, account?.id);
    }
    for (const { key } of groups) sizes.set(key, (sizes.get(key) ?? 0) + 1);
    return groups.length === 0 ? decision : { ...decision, groups };
  }

  /**
   * Remembers the groups that a final decision creates.
   * @throws AppError `IMPORT_FILE_INVALID` with the reason `GROUPS_TOO_MANY`
   */
  noteNewGroups(decision: Decision): void {
    for (const { id, key, name } of groupsOf(decision))
      if (id === undefined && !this.#new.has(key)) this.#new.set(key, name);
    const most = Math.min(maxNewGroups, groupLimits.groups - this.#ids.size);
    if (this.#new.size <= most) return;
    const [first, second] = this.newGroups.map((one) => `"${shownText(one)}"`);
    throw new FileProblem(
      'GROUPS_TOO_MANY',
      most < maxNewGroups
        ? `There can be at most ${groupLimits.groups} groups, and the file names more new ones. Delete groups, or names in the file.`
        : `The file names more than ${maxNewGroups} new groups, such as ${first} and ${second}. If the column names something else, leave it out. Otherwise create the groups first.`,
    );
  }
}

type Accepted = Exclude<Decision, { outcome: 'rejected' }>;

const renamedAdvice =
  'If it is the same person, change the email of that account, or sync once with --match phone --on-existing update. If it is another person, remove the member from the group, and end their enrollments.';

export const renamedPerhaps = `A member with this name or phone is not in the file. ${renamedAdvice}`;

const tooManyGroups = `A person can be in at most ${groupLimits.ofPerson} groups.`;
const groupFull = `Group has ${groupLimits.members.toLocaleString('en-US')} members, and can't have more. Choose another group.`;
export const groupLimitReached = `A group has ${groupLimits.members.toLocaleString('en-US')} members already, or the person is in ${groupLimits.ofPerson} groups already.`;
