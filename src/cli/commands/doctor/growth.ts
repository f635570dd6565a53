import type { Context } from '../../../context.js';
import { growthOf } from '../../../services/maintenance/retention.js';

const megabyte = 1_000_000;

const sizeText = (bytes: number) =>
  bytes < megabyte ? 'under 1 MB' : `${Math.round(bytes / megabyte).toLocaleString('en')} MB`;

const dayOf = (moment: Date) => moment.toISOString().slice(0, 10);

/** What the growing tables hold, roughly, and what is deleted from them: information, never a problem. */
export async function growth(context: Context): Promise<{ status: 'ok'; detail: string }> {
  const { tables, oldestAudit, oldestLedger } = await growthOf(context);
  const sizes = tables.map(
    ({ name, rows, bytes }) => `${name} about ${rows.toLocaleString('en')} rows (${sizeText(bytes)})`,
  );
  const { auditDays, importDays } = context.config.retention;
  const oldest = [
    ...(oldestAudit === null ? [] : [`oldest audit entry of ${dayOf(oldestAudit)}`]),
    ...(oldestLedger === null ? [] : [`oldest import with rows of ${dayOf(oldestLedger)}`]),
  ];
  const retention = [
    auditDays === undefined
      ? 'AUDIT_RETENTION_DAYS is not set: audit entries stay'
      : `AUDIT_RETENTION_DAYS is ${auditDays}`,
    importDays === undefined
      ? 'IMPORT_RETENTION_DAYS is not set: rows of imports stay'
      : `IMPORT_RETENTION_DAYS is ${importDays}`,
  ];
  return { status: 'ok', detail: [...sizes, ...oldest, ...retention].join('; ') };
}
