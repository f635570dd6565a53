import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type Sequelize,
} from 'sequelize';
import { timestamp } from './columns.js';

/**
 * A long text of audit entries, which refer to it by its hash. Written once, never changed, removed when nothing refers to it:
 * see services/audit-texts.ts.
 */
export class AuditText extends Model<InferAttributes<AuditText>, InferCreationAttributes<AuditText>> {
  /** SHA-256 of the text, in base64url. */
  declare id: string;
  declare content: string;
  /** When it was last referred to, at most an hour too early; null where that isn't known. */
  declare usedAt: CreationOptional<Date | null>;
}

export function initAuditText(sequelize: Sequelize): typeof AuditText {
  // A subclass for each connection, because init() binds the class to one.
  return class extends AuditText {}.init(
    {
      id: { type: DataTypes.STRING(43), primaryKey: true, allowNull: false },
      content: { type: DataTypes.TEXT('medium'), allowNull: false },
      usedAt: timestamp(),
    },
    { sequelize, modelName: 'AuditText', tableName: 'audit_texts', timestamps: false },
  );
}
