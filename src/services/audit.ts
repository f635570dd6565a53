import type { Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import type { User } from '../db/models/user.js';
import type { Actor, Core } from './core.js';

/** What is recorded of a privileged change. `before` and `after` hold no secrets: build them with {@link auditedUser}. */
export interface AuditRecord {
  action:
    | 'setup.complete'
    | 'user.register'
    | 'user.activate'
    | 'user.deactivate'
    | 'user.reset-password'
    | 'import.start'
    | 'import.resume'
    | 'import.cancel'
    | 'import.undo'
    | 'import.credentials';
  targetType: 'user' | 'import';
  targetId: string;
  before?: object;
  after?: object;
}

/** Writes an audit row in the transaction of the change itself: there is never one without the other. */
export async function recordAudit(
  core: Core,
  actor: Actor,
  record: AuditRecord,
  transaction: Transaction,
): Promise<void> {
  await core.database.models.AuditEntry.create(
    {
      id: uuidv7(),
      at: core.now(),
      ...actor,
      action: record.action,
      targetType: record.targetType,
      targetId: record.targetId,
      beforeJson: record.before ? JSON.stringify(record.before) : null,
      afterJson: record.after ? JSON.stringify(record.after) : null,
    },
    { transaction },
  );
}

/** An account as the audit log shows it: everything but the password. */
export function auditedUser(user: User): object {
  const { firstName, lastName, email, phone, role, isActive, requiresPasswordChange } = user;
  return { firstName, lastName, email, phone, role, isActive, requiresPasswordChange };
}
