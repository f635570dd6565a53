import Joi from 'joi';
import { auditActions, auditListingSchema, auditTargetTypes } from '../../../schemas/audit.js';
import { component } from '../json-schema.js';
import { itemBytes, ok, operations, superAdmin } from '../operation.js';
import * as shapes from '../response-schemas.js';

const auditEntry = component(
  'AuditEntry',
  'A privileged change',
  Joi.object({
    id: shapes.id,
    at: shapes.timestamp,
    action: Joi.valid(...auditActions).required(),
    actorId: shapes.nullableText,
    actorName: shapes.nullableText,
    origin: Joi.valid('http', 'cli', 'program').required(),
    ip: shapes.nullableText,
    osUser: shapes.nullableText,
    targetType: Joi.valid(...auditTargetTypes).required(),
    targetId: shapes.nullableText,
    targetName: shapes.nullableText,
    before: Joi.object().unknown().allow(null).required(),
    after: Joi.object().unknown().allow(null).required(),
    names: Joi.object().unknown().required(),
  }),
);

const operation = operations('Audit');

export const auditOperations = {
  listAudit: operation.get('/api/audit', {
    summary: 'Privileged changes, newest first: actor, action, time, origin, and values before and after',
    access: superAdmin,
    query: auditListingSchema,
    itemBytes: itemBytes.auditEntry,
    success: ok('One page of the log', shapes.pageOf('entries', auditEntry)),
  }),
};
