import type { presentAuditEntry } from '../../../presenters/audit-entry.js';
import type { Column } from '../../core/columns.js';

export const auditColumns: readonly Column<ReturnType<typeof presentAuditEntry>>[] = [
  { name: 'at', heading: 'TIME', value: ({ at }) => at, priority: 0 },
  { name: 'actor', value: ({ actorName, actorId }) => actorName ?? actorId ?? 'terminal', priority: 2 },
  { name: 'action', value: ({ action }) => action, fit: 'whole', priority: 0 },
  { name: 'targetType', heading: 'TARGET', value: ({ targetType }) => targetType, fit: 'whole', priority: 3 },
  {
    name: 'target',
    heading: 'NAME',
    value: ({ targetName, targetId }) => targetName ?? targetId,
    minimum: 20,
    priority: 0,
  },
  { name: 'origin', value: ({ origin }) => origin, fit: 'whole', priority: 'on request' },
  { name: 'ip', heading: 'ADDRESS', value: ({ ip }) => ip, fit: 'whole', priority: 'on request' },
  { name: 'actorId', value: ({ actorId }) => actorId, fit: 'id', priority: 'on request' },
  { name: 'targetId', value: ({ targetId }) => targetId, fit: 'id', priority: 'on request' },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 'on request' },
];
