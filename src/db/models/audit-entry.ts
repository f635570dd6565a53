import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';
import { id, primaryKey, timestamp } from './columns.js';

type Values = Readonly<Record<string, unknown>>;

const parseValues = (json: string | null) => (json === null ? null : (JSON.parse(json) as Values));

/**
 * A privileged change: actor, action, time, origin, and the values before and after. Written with the change, and never
 * updated.
 */
export class AuditEntry extends Model<InferAttributes<AuditEntry>, InferCreationAttributes<AuditEntry>> {
  declare id: string;
  declare at: Date;
  declare actorId: string | null;
  declare origin: 'http' | 'cli' | 'program';
  declare ip: string | null;
  /** The operating system's user, for changes at the terminal; null if unknown. */
  declare osUser: CreationOptional<string | null>;
  declare action: string;
  declare targetType: string;
  declare targetId: string | null;
  declare beforeJson: string | null;
  declare afterJson: string | null;
  /**
   * Current names of actor and target (null if there is none), and of ids in the values. See
   * services/audit/audit-names.ts.
   */
  declare actorName?: NonAttribute<string | null>;
  declare targetName?: NonAttribute<string | null>;
  declare names?: NonAttribute<Readonly<Record<string, string>>>;

  get before(): NonAttribute<Values | null> {
    return parseValues(this.beforeJson);
  }

  get after(): NonAttribute<Values | null> {
    return parseValues(this.afterJson);
  }
}

export function initAuditEntry(sequelize: Sequelize): typeof AuditEntry {
  return class extends AuditEntry {}.init(
    {
      id: primaryKey(),
      at: { ...timestamp(), allowNull: false },
      actorId: id(),
      origin: { type: DataTypes.STRING(10), allowNull: false },
      ip: { type: DataTypes.STRING(45) },
      osUser: { type: DataTypes.STRING(100) },
      action: { type: DataTypes.STRING(60), allowNull: false },
      targetType: { type: DataTypes.STRING(30), allowNull: false },
      targetId: id(),
      beforeJson: { type: DataTypes.TEXT('medium') },
      afterJson: { type: DataTypes.TEXT('medium') },
    },
    { sequelize, modelName: 'AuditEntry', tableName: 'audit_entries', timestamps: false },
  );
}
