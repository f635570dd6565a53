import { auditListingSchema } from '../../../schemas/audit.js';
import { itemBytes, ok, operations, superAdmin } from '../operation.js';
import * as shapes from '../response-schemas.js';

const operation = operations('Audit');

/** The audit log. */
export const auditOperations = {
  listAudit: operation.get('/api/audit', {
    summary: 'Privileged changes, newest first: who, what, when, from where, before and after',
    access: superAdmin,
    query: auditListingSchema,
    itemBytes: itemBytes.auditEntry,
    success: ok('One page of the log', shapes.pageOf('entries', shapes.auditEntry)),
  }),
};
