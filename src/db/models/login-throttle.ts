import { DataTypes, type InferAttributes, type InferCreationAttributes, Model, type Sequelize } from 'sequelize';
import { timestamp } from './columns.js';

/** When an attempt to log in began, in milliseconds since 1970, by its id. */
export type Attempts = Readonly<Record<string, number>>;

/**
 * How often logging in has failed, of late, for an account, a text that means none, an address, or an account at an
 * address. Other things that can be tried out are counted likewise.
 */
export class LoginThrottle extends Model<
  InferAttributes<LoginThrottle, { omit: 'attempts' }>,
  InferCreationAttributes<LoginThrottle, { omit: 'attempts' }>
> {
  declare subject: string;
  declare failures: number;
  declare windowStartedAt: Date;
  declare attemptsJson: string | null;
  /** Of an account at an address: when it last signed in from there. */
  declare signedInAt: Date | null;
  declare lockedUntil: Date | null;
  /** How often in a row it was locked. */
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
  // A class of its own for each connection: init() ties a class to one.
  return class extends LoginThrottle {}.init(
    {
      subject: { type: DataTypes.STRING(100), primaryKey: true, allowNull: false },
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
