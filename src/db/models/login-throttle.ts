import { DataTypes, type InferAttributes, type InferCreationAttributes, Model, type Sequelize } from 'sequelize';
import { timestamp } from './columns.js';

/** How often logging in has failed, of late, for an account, a text that means none, or an address. */
export class LoginThrottle extends Model<InferAttributes<LoginThrottle>, InferCreationAttributes<LoginThrottle>> {
  declare subject: string;
  declare failures: number;
  declare windowStartedAt: Date;
  /** Attempts whose outcome isn't known yet. */
  declare underWay: number;
  declare underWaySince: Date | null;
  declare lockedUntil: Date | null;
  /** How often in a row it was locked. */
  declare locks: number;
}

export function initLoginThrottle(sequelize: Sequelize): typeof LoginThrottle {
  // A class of its own for each connection: init() ties a class to one.
  return class extends LoginThrottle {}.init(
    {
      subject: { type: DataTypes.STRING(100), primaryKey: true, allowNull: false },
      failures: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      windowStartedAt: { ...timestamp(), allowNull: false },
      underWay: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      underWaySince: timestamp(),
      lockedUntil: timestamp(),
      locks: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
    },
    { sequelize, modelName: 'LoginThrottle', tableName: 'login_throttle', timestamps: false },
  );
}
