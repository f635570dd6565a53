import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';
import type { SignInMethod } from '../../schemas/identity.js';
import { id, primaryKey, timestamp } from './columns.js';
import type { User } from './user.js';

/** A session. Its token contains the id as `sid`. The row is deleted when the session ends. */
export class Session extends Model<InferAttributes<Session>, InferCreationAttributes<Session>> {
  declare id: string;
  declare userId: string;
  declare method: CreationOptional<SignInMethod>;
  declare createdAt: Date;
  declare lastUsedAt: CreationOptional<Date | null>;
  declare expiresAt: Date;
  declare ip: CreationOptional<string | null>;
  declare userAgent: CreationOptional<string | null>;
  declare user?: NonAttribute<User>;
}

export function initSession(sequelize: Sequelize): typeof Session {
  return class extends Session {}.init(
    {
      id: primaryKey(),
      userId: { ...id(), allowNull: false },
      method: { type: DataTypes.STRING(10), allowNull: false, defaultValue: 'password' },
      createdAt: { ...timestamp(), allowNull: false },
      lastUsedAt: timestamp(),
      expiresAt: { ...timestamp(), allowNull: false },
      ip: { type: DataTypes.STRING(45) },
      userAgent: { type: DataTypes.STRING(255) },
    },
    { sequelize, modelName: 'Session', tableName: 'sessions', timestamps: false },
  );
}
