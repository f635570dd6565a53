import type { AuditEntry } from '../db/models/audit-entry.js';
import { pick } from './pick.js';

/** An entry of the audit log, with the target's fields before and after the change. */
export function presentAuditEntry(entry: AuditEntry) {
  const { beforeJson, afterJson } = entry;
  return {
    ...pick(entry, ['id', 'at', 'action', 'actorId', 'origin', 'ip', 'targetType', 'targetId']),
    before: beforeJson === null ? null : (JSON.parse(beforeJson) as object),
    after: afterJson === null ? null : (JSON.parse(afterJson) as object),
  };
}
