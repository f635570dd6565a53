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
 * Counts failed logins. A row is for an account, an unknown identifier, an address, or an account at an address. Other
 * rows count the phone numbers that an account tries, and the links and password resets requested from an address.
 */
export class LoginThrottle extends Model<InferAttributes<LoginThrottle>, InferCreationAttributes<LoginThrottle>> {
  declare subject: string;
  /** The account that can't sign in (everywhere or from an address) while the row is locked; null for other subjects. */
  declare accountId: string | null;
  /** Failed attempts, and attempts without a known outcome. */
  declare failures: number;
  declare windowStartedAt: Date;
  /** Last login of an account from an address; null for other subjects. */
  declare signedInAt: CreationOptional<Date | null>;
  declare lockedUntil: CreationOptional<Date | null>;
  /** Number of consecutive locks. */
  declare locks: number;
}

export function initLoginThrottle(sequelize: Sequelize): typeof LoginThrottle {
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
