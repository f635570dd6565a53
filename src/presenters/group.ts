import type { Group } from '../db/models/group.js';
import { loaded, pick } from './pick.js';

export const presentGroupName = (group: Group) => pick(group, ['id', 'name']);

/** Presents a group to trainers and the super admin. */
export const presentGroup = (group: Group) => ({
  ...presentGroupName(group),
  activeMembers: loaded(group.activeMembers),
  ...(group.activeMembersCapped && { activeMembersCapped: true }),
  syncedAt: group.syncedAt,
  isHeld: group.heldJson !== null,
});

/** Presents a group to the super admin. */
export const presentGroupDetails = (group: Group) => ({
  ...presentGroup(group),
  ...pick(group, ['note', 'createdAt', 'updatedAt']),
  roster: loaded(group.roster),
});
