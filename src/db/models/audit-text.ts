import { DataTypes, type InferAttributes, type InferCreationAttributes, Model, type Sequelize } from 'sequelize';

/** A long text of audit entries, which refer to it by its hash. Written once, never changed: see services/audit-texts.ts. */
export class AuditText extends Model<InferAttributes<AuditText>, InferCreationAttributes<AuditText>> {
  /** SHA-256 of the text, in base64url. */
  declare id: string;
  declare content: string;
}

export function initAuditText(sequelize: Sequelize): typeof AuditText {
  // A subclass for each connection, because init() binds the class to one.
  return class extends AuditText {}.init(
    {
      id: { type: DataTypes.STRING(43), primaryKey: true, allowNull: false },
      content: { type: DataTypes.TEXT('medium'), allowNull: false },
    },
    { sequelize, modelName: 'AuditText', tableName: 'audit_texts', timestamps: false },
  );
}
