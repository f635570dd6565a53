import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';
import type { Role } from '../../schemas/fields.js';
import { searchKeyLength } from '../../schemas/keys.js';
import { nameMaximum, sortKeyLength } from '../../schemas/sort-key.js';
import { primaryKey, timestamp } from './columns.js';
import type { LoginThrottle } from './login-throttle.js';

/**
 * An account (specification, section 2). Only migrations declare the generated columns: `super_admin_marker`, by which there is
 * one super admin, `email_domain`, by which accounts are found, and `trainer_key`, by which trainers are sorted.
 */
export class User extends Model<InferAttributes<User>, InferCreationAttributes<User>> {
  declare id: string;
  declare firstName: string;
  declare lastName: string;
  declare email: string;
  /** Empty for none, which only imports make. */
  declare phone: string;
  declare phoneKey: string | null;
  /** The key that is to replace it, while another country for phones is chosen: see services/accounts/rekey-phones.ts. */
  declare nextPhoneKey: CreationOptional<string | null>;
  declare passwordHash: string;
  declare role: Role;
  declare isActive: CreationOptional<boolean>;
  declare avatar: CreationOptional<string | null>;
  declare lastLogin: CreationOptional<Date | null>;
  declare requiresPasswordChange: CreationOptional<boolean>;
  declare initialPasswordExpiresAt: CreationOptional<Date | null>;
  declare searchKey: string;
  /** The names as they are sorted: see schemas/sort-key.ts. */
  declare lastNameKey: string;
  declare firstNameKey: string;
  /** Incremented by transactions that rely on the account: see services/row-locks.ts. */
  declare lockVersion: CreationOptional<number>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
  /** The lock that is in force; null for none, absent unless the query asks for it. */
  declare currentLock?: NonAttribute<LoginThrottle | null>;
}

/** The account of a session as plain values: they aren't changed, and an instance of the model takes time to build. */
export type Account = Pick<
  User,
  | 'id'
  | 'firstName'
  | 'lastName'
  | 'email'
  | 'phone'
  | 'phoneKey'
  | 'passwordHash'
  | 'role'
  | 'avatar'
  | 'lastLogin'
  | 'isActive'
  | 'requiresPasswordChange'
>;

export function initUser(sequelize: Sequelize): typeof User {
  // A subclass for each connection, because init() binds the class to one.
  return class extends User {}.init(
    {
      id: primaryKey(),
      firstName: { type: DataTypes.STRING(50), allowNull: false },
      lastName: { type: DataTypes.STRING(50), allowNull: false },
      email: { type: DataTypes.STRING(254), allowNull: false },
      phone: { type: DataTypes.STRING(50), allowNull: false },
      phoneKey: { type: DataTypes.STRING(50) },
      nextPhoneKey: { type: DataTypes.STRING(50) },
      passwordHash: { type: DataTypes.STRING(72), allowNull: false },
      role: { type: DataTypes.STRING(20), allowNull: false },
      isActive: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: true },
      avatar: { type: DataTypes.STRING(255) },
      lastLogin: timestamp(),
      requiresPasswordChange: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
      initialPasswordExpiresAt: timestamp(),
      searchKey: { type: DataTypes.STRING(searchKeyLength), allowNull: false },
      lastNameKey: { type: DataTypes.STRING(sortKeyLength(nameMaximum)), allowNull: false, defaultValue: '' },
      firstNameKey: { type: DataTypes.STRING(sortKeyLength(nameMaximum)), allowNull: false, defaultValue: '' },
      lockVersion: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      createdAt: { ...timestamp(), allowNull: false },
      updatedAt: { ...timestamp(), allowNull: false },
    },
    { sequelize, modelName: 'User', tableName: 'users' },
  );
}
