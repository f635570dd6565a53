import type { presentGroup } from '../../../presenters/group.js';
import type { Column } from '../../core/listing/columns.js';

/** Returns the number of active members as text: `1000+` if there are more. */
export const activeMembers = ({
  activeMembers: count,
  activeMembersCapped,
}: Pick<ReturnType<typeof presentGroup>, 'activeMembers' | 'activeMembersCapped'>) =>
  activeMembersCapped ? `${count}+` : String(count);

export const groupColumns: readonly Column<ReturnType<typeof presentGroup>>[] = [
  { name: 'name', value: ({ name }) => name, fit: 'wrap', minimum: 20, priority: 0 },
  { name: 'activeMembers', value: activeMembers, priority: 1 },
  { name: 'syncedAt', heading: 'LAST SYNC', value: ({ syncedAt }) => syncedAt, priority: 3, hideEmpty: true },
  { name: 'isHeld', heading: 'SYNC', value: ({ isHeld }) => (isHeld ? 'held' : ''), priority: 1, hideEmpty: true },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 2 },
];
