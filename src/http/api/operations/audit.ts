import { auditListingSchema } from '../../../schemas/audit.js';
import { itemBytes, operation, superAdmin } from '../operation.js';
import * as shapes from '../response-schemas.js';

/** The audit log. */
export const auditOperations = {
  listAudit: operation({
    method: 'get',
    path: '/api/audit',
    tag: 'Audit',
    summary: 'Privileged changes, newest first: who, what, when, from where, before and after',
    access: superAdmin,
    query: auditListingSchema,
    itemBytes: itemBytes.auditEntry,
    success: {
      status: 200,
      description: 'One page of the log',
      body: shapes.pageOf('entries', shapes.auditEntry),
    },
  }),
};
