import { DataTypes, type InferAttributes, type InferCreationAttributes, Model, type Sequelize } from 'sequelize';
import type { LinkPurpose } from '../../schemas/mail.js';
import { id, timestamp } from './columns.js';

/** A link that was mailed; using it deletes the row. */
export class Link extends Model<InferAttributes<Link>, InferCreationAttributes<Link>> {
  /** SHA-256 of the token, in hexadecimal digits. */
  declare tokenHash: string;
  declare userId: string;
  declare purpose: LinkPurpose;
  /** The address that the link was sent to; for `email` the address that the link confirms. */
  declare email: string;
  declare expiresAt: Date;
  /** Time when the mail was queued. */
  declare createdAt: Date;
}

export function initLink(sequelize: Sequelize): typeof Link {
  return class extends Link {}.init(
    {
      tokenHash: { type: DataTypes.STRING(64), primaryKey: true, allowNull: false },
      userId: { ...id(), allowNull: false },
      purpose: { type: DataTypes.STRING(15), allowNull: false },
      email: { type: DataTypes.STRING(254), allowNull: false },
      expiresAt: { ...timestamp(), allowNull: false },
      createdAt: { ...timestamp(), allowNull: false },
    },
    { sequelize, modelName: 'Link', tableName: 'links', timestamps: false },
  );
}
