import { hasLedger } from '../../db/conditions.js';
import { type TableSize, tableSizes } from '../../db/table-sizes.js';
import type { Core } from '../core.js';

/** The tables that grow with the use of the service, and not with the number of people and courses alone. */
const growingTables = ['audit_entries', 'import_rows', 'enrollments', 'users'];

/** How large the growing tables are. */
export interface Growth {
  tables: TableSize[];
  /** The time of the oldest audit entry; null when there is none. */
  oldestAudit: Date | null;
  /** When the oldest import began that has rows; null when there is none. */
  oldestLedger: Date | null;
}

/** Estimates how large the growing tables are, without reading them. */
export async function growthOf({ database }: Core): Promise<Growth> {
  const { AuditEntry, Import } = database.models;
  const tables = await tableSizes(database, growingTables);
  const oldest = await database.read(() => AuditEntry.findOne({ attributes: ['at'], order: ['at', 'id'] }));
  const ledger = await database.read(() =>
    Import.findOne({ attributes: ['createdAt'], where: hasLedger(database.sequelize), order: ['number'] }),
  );
  return { tables, oldestAudit: oldest?.at ?? null, oldestLedger: ledger?.createdAt ?? null };
}
