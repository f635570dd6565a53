import type { presentGroup } from '../../../presenters/group.js';
import type { Column } from '../../core/listing/columns.js';

export const groupColumns: readonly Column<ReturnType<typeof presentGroup>>[] = [
  { name: 'name', value: ({ name }) => name, fit: 'wrap', minimum: 20, priority: 0 },
  { name: 'activeMembers', value: ({ activeMembers }) => activeMembers, priority: 1 },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 2 },
];
