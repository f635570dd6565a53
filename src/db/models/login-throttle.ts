import { DataTypes, type InferAttributes, type InferCreationAttributes, Model, type Sequelize } from 'sequelize';
import { id, timestamp } from './columns.js';

/** The start of each pending login attempt, in milliseconds since 1970, by its id. */
export type Attempts = Readonly<Record<string, number>>;

/**
 * Counts failed logins of an account, of an identifier without an account, of an address, or of an account at an address;
 * also the phone numbers that an account tries.
 */
export class LoginThrottle extends Model<
  InferAttributes<LoginThrottle, { omit: 'attempts' }>,
  InferCreationAttributes<LoginThrottle, { omit: 'attempts' }>
> {
  declare subject: string;
  /** The account that can't sign in while the row is locked, as a whole or at an address; null for other subjects. */
  declare accountId: string | null;
  declare failures: number;
  declare windowStartedAt: Date;
  declare attemptsJson: string | null;
  /** For an account at an address: its last login from there. */
  declare signedInAt: Date | null;
  declare lockedUntil: Date | null;
  /** The number of consecutive locks. */
  declare locks: number;

  /** Attempts whose outcome isn't known yet. */
  get attempts(): Attempts {
    // Written by the setter alone.
    return this.attemptsJson === null ? {} : (JSON.parse(this.attemptsJson) as Attempts);
  }
  set attempts(attempts: Attempts) {
    this.attemptsJson = Object.keys(attempts).length === 0 ? null : JSON.stringify(attempts);
  }
}

export function initLoginThrottle(sequelize: Sequelize): typeof LoginThrottle {
  // A subclass for each connection, because init() binds the class to one.
  return class extends LoginThrottle {}.init(
    {
      subject: { type: DataTypes.STRING(100), primaryKey: true, allowNull: false },
      accountId: id(),
      failures: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      windowStartedAt: { ...timestamp(), allowNull: false },
      attemptsJson: { type: DataTypes.TEXT },
      signedInAt: timestamp(),
      lockedUntil: timestamp(),
      locks: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
    },
    { sequelize, modelName: 'LoginThrottle', tableName: 'login_throttle', timestamps: false },
  );
}
