import { presentAuditEntry } from '../../presenters/audit-entry.js';
import { listAudit } from '../../services/audit/audit.js';
import type { Handlers } from '../routing/handler.js';

export const auditHandlers = {
  async listAudit({ context, query }) {
    const { items, pagination } = await listAudit(context, query);
    return { entries: items.map(presentAuditEntry), pagination };
  },
} satisfies Partial<Handlers>;
