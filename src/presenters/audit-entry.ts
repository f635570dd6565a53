import type { AuditEntry } from '../db/models/audit-entry.js';
import { loaded, pick } from './pick.js';

/** Presents an entry of the audit log with the names of its ids. */
export function presentAuditEntry(entry: AuditEntry) {
  return {
    ...pick(entry, ['id', 'at', 'action', 'actorId']),
    actorName: loaded(entry.actorName),
    ...pick(entry, ['origin', 'ip', 'osUser', 'targetType', 'targetId']),
    targetName: loaded(entry.targetName),
    before: entry.before,
    after: entry.after,
    names: loaded(entry.names),
  };
}
