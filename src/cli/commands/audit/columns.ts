import type { presentAuditEntry } from '../../../presenters/audit-entry.js';
import { type Column, listingOptions } from '../../core/listing/columns.js';

type AuditEntry = ReturnType<typeof presentAuditEntry>;

function actor({ actorName, actorId, osUser, origin }: AuditEntry): string {
  if (origin === 'program') return 'the service';
  return actorName ?? actorId ?? (osUser === null ? 'terminal' : `terminal (${osUser})`);
}

function recordedName({ before, after }: AuditEntry): string | undefined {
  const { title, firstName, lastName, email } = { ...after, ...before };
  if (typeof title === 'string') return title;
  return typeof email === 'string' && typeof firstName === 'string'
    ? `${firstName} ${String(lastName)} (${email})`
    : undefined;
}

export const auditColumns: readonly Column<AuditEntry>[] = [
  { name: 'at', heading: 'TIME', value: ({ at }) => at, priority: 0 },
  { name: 'actor', value: actor, fit: 'wrap', minimum: 16, priority: 2 },
  { name: 'action', value: ({ action }) => action, fit: 'whole', priority: 0 },
  { name: 'targetType', heading: 'TARGET', value: ({ targetType }) => targetType, fit: 'whole', priority: 3 },
  {
    name: 'target',
    heading: 'NAME',
    value: (entry) => entry.targetName ?? recordedName(entry) ?? entry.targetId,
    fit: 'wrap',
    minimum: 24,
    priority: 0,
  },
  { name: 'origin', value: ({ origin }) => origin, fit: 'whole', priority: 'on request' },
  { name: 'ip', heading: 'ADDRESS', value: ({ ip }) => ip, fit: 'whole', priority: 'on request' },
  { name: 'osUser', heading: 'OS USER', value: ({ osUser }) => osUser, fit: 'whole', priority: 'on request' },
  { name: 'actorId', value: ({ actorId }) => actorId, fit: 'id', priority: 'on request' },
  { name: 'targetId', value: ({ targetId }) => targetId, fit: 'id', priority: 'on request' },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 'on request' },
];

export const auditListOptions = {
  '--action <action>': 'only this action, such as user.update or course.delete',
  '--actor <user>': 'only changes by this account: email, phone or id',
  '--target-type <type>': 'only changes to a user, address, import, course or enrollment',
  '--target <name>':
    'only changes to the target with this id, its last 8 characters, or this email; with --target-type also a title, phone or number',
  '--from <time>': 'only changes since this date or time, such as 2026-01-31 or 2026-01-31T08:00:00Z',
  '--to <time>': 'only changes before this date or time',
  ...listingOptions('entries', auditColumns),
};
