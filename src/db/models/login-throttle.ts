import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type Sequelize,
} from 'sequelize';
import { id, timestamp } from './columns.js';

/**
 * Counts failed logins of an account, of an identifier without an account, of an address, or of an account at an address;
 * also the phone numbers that an account tries, and the links and forgotten passwords of an address.
 */
export class LoginThrottle extends Model<InferAttributes<LoginThrottle>, InferCreationAttributes<LoginThrottle>> {
  declare subject: string;
  /** The account that can't sign in while the row is locked, as a whole or at an address; null for other subjects. */
  declare accountId: string | null;
  /** Failed attempts, and those whose outcome isn't known yet. */
  declare failures: number;
  declare windowStartedAt: Date;
  /** For an account at an address: its last login from there. */
  declare signedInAt: CreationOptional<Date | null>;
  declare lockedUntil: CreationOptional<Date | null>;
  /** The number of consecutive locks. */
  declare locks: number;
}

export function initLoginThrottle(sequelize: Sequelize): typeof LoginThrottle {
  // A subclass for each connection, because init() binds the class to one.
  return class extends LoginThrottle {}.init(
    {
      subject: { type: DataTypes.STRING(100), primaryKey: true, allowNull: false },
      accountId: id(),
      failures: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      windowStartedAt: { ...timestamp(), allowNull: false },
      signedInAt: timestamp(),
      lockedUntil: timestamp(),
      locks: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
    },
    { sequelize, modelName: 'LoginThrottle', tableName: 'login_throttle', timestamps: false },
  );
}
