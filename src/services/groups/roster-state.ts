import type { Group } from '../../db/models/group.js';
import type { ImportOptions } from '../../schemas/import.js';
import type { RecordedHold } from '../../schemas/roster.js';
import type { Core } from '../core.js';

/** State that a roster remembers of its last sync. */
export interface RosterState {
  /** Options of the next syncs, as an import stores them. */
  options: Partial<ImportOptions>;
  /** Digest of the last rejected rows; null if there were none. */
  rejects: string | null;
}

/** Returns the state that a roster remembers; undefined for a group that was never synchronised. */
export function rosterStateOf({ syncJson }: Pick<Group, 'syncJson'>): RosterState | undefined {
  // Written by rosters.ts only.
  return syncJson === null ? undefined : (JSON.parse(syncJson) as RosterState);
}

export function heldSyncOf({ heldJson }: Pick<Group, 'heldJson'>): RecordedHold | null {
  // Written by rosters.ts only.
  return heldJson === null ? null : (JSON.parse(heldJson) as RecordedHold);
}

/** Adds the details of its syncs to a group. */
export async function addRoster({ database }: Core, group: Group): Promise<void> {
  const { syncedAt } = group;
  const state = rosterStateOf(group);
  if (!state || syncedAt === null) {
    group.roster = null;
    return;
  }
  const where = { groupId: group.id };
  const formerMembers = await database.read(() => database.models.FormerMember.count({ where }));
  // The group has its name: a remembered one may be a former name.
  const { roster: _, ...options } = state.options;
  group.roster = { options, syncedAt, formerMembers, held: heldSyncOf(group) };
}
