import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type Sequelize,
} from 'sequelize';
import type { LinkedBy } from '../../schemas/identity.js';
import { id, primaryKey, timestamp } from './columns.js';

/** An account of the organisation's sign-in (OpenID Connect) that signs a person in. */
export class Identity extends Model<InferAttributes<Identity>, InferCreationAttributes<Identity>> {
  declare id: string;
  declare userId: string;
  /** Claim `iss`. */
  declare issuer: string;
  /** Claim `sub`. */
  declare subject: string;
  /** Email of the issuer at the time of linking; null without one. */
  declare email: CreationOptional<string | null>;
  declare linkedBy: LinkedBy;
  declare createdAt: Date;
  declare lastUsedAt: CreationOptional<Date | null>;
}

export function initIdentity(sequelize: Sequelize): typeof Identity {
  return class extends Identity {}.init(
    {
      id: primaryKey(),
      userId: { ...id(), allowNull: false },
      issuer: { type: DataTypes.STRING(255), allowNull: false },
      subject: { type: DataTypes.STRING(255), allowNull: false },
      email: { type: DataTypes.STRING(254) },
      linkedBy: { type: DataTypes.STRING(10), allowNull: false },
      createdAt: { ...timestamp(), allowNull: false },
      lastUsedAt: timestamp(),
    },
    { sequelize, modelName: 'Identity', tableName: 'identities', timestamps: false },
  );
}
