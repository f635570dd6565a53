import type { ImportOptions } from '../../../schemas/import.js';
import { FileProblem } from '../../../tables/encoding/source-file.js';
import { shownText } from '../../../tables/table/text.js';
import type { Core } from '../../core.js';
import { comparableTitle } from '../../courses/find-course.js';
import { groupLimits } from '../../groups/limits.js';
import { countMemberships } from '../../groups/members.js';
import { quoteValue } from '../read/rows/row-problems.js';
import type { AcceptedPeople } from './accepted-people.js';
import { accountOf, type Decision, groupsOf, isSamePerson, type PlannedGroup, rejection } from './outcomes.js';

/** Maximum number of new groups in a file. More of them mean that a wrong column was mapped. */
const maxNewGroups = 50;

/** Memberships of the accounts of a batch. */
interface Memberships {
  /** `user group` of each membership. */
  known: ReadonlySet<string>;
  /** Number of groups by account. */
  counts: ReadonlyMap<string, number>;
}

/** Adds groups to decisions, and rejects rows whose people can't be added. */
export class GroupDecider {
  readonly #core: Core;
  readonly #ofAll: string | undefined;
  readonly #people: AcceptedPeople;
  /** Ids of the groups by name key. */
  #ids: ReadonlyMap<string, string> = new Map();
  readonly #new = new Map<string, string>();

  /** @param people people of earlier rows */
  constructor(core: Core, { group }: Pick<ImportOptions, 'group'>, people: AcceptedPeople) {
    this.#core = core;
    this.#ofAll = group;
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
  async decide(decisions: readonly Decision[], sizes: Map<string, number>): Promise<readonly Decision[]> {
    const named = decisions.map((one) => (one.outcome === 'rejected' ? [] : this.#namedBy(one)));
    if (named.every((groups) => groups.length === 0)) return decisions;
    const members = await this.#membershipsOf(decisions.filter((_, at) => named[at]?.length));
    await this.#countMembers(named.flat(), sizes);
    return decisions.map((one, at) => this.#addGroups(one, named[at] ?? [], members, sizes));
  }

  #namedBy({ row }: Exclude<Decision, { outcome: 'rejected' }>): PlannedGroup[] {
    const names = [...(row.person.groups ?? []), ...(this.#ofAll === undefined ? [] : [this.#ofAll])];
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
    if (userId.length === 0) return { known: new Set(), counts: new Map() };
    const found = await this.#core.database.read(() =>
      GroupMember.findAll({ attributes: ['userId', 'groupId'], where: { userId }, raw: true }),
    );
    const counts = new Map<string, number>();
    for (const { userId } of found) counts.set(userId, (counts.get(userId) ?? 0) + 1);
    return { known: new Set(found.map(({ userId, groupId }) => `${userId} ${groupId}`)), counts };
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

  #addGroups(
    decision: Decision,
    named: readonly PlannedGroup[],
    { known, counts }: Memberships,
    sizes: Map<string, number>,
  ): Decision {
    if (decision.outcome === 'rejected' || named.length === 0) return decision;
    const { row } = decision;
    const account = accountOf(decision);
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

const tooManyGroups = `A person can be in at most ${groupLimits.ofPerson} groups.`;
const groupFull = `Group has ${groupLimits.members.toLocaleString('en-US')} members, and can't have more. Choose another group.`;
export const groupLimitReached = `A group has ${groupLimits.members.toLocaleString('en-US')} members already, or the person is in ${groupLimits.ofPerson} groups already.`;
