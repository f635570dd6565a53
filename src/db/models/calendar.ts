import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type Sequelize,
} from 'sequelize';
import { id, timestamp } from './columns.js';

/** The private address of a person's calendar. */
export class Calendar extends Model<InferAttributes<Calendar>, InferCreationAttributes<Calendar>> {
  declare userId: string;
  /** SHA-256 of the key in the address, in hexadecimal digits. */
  declare keyHash: string;
  declare createdAt: Date;
  /** Rounded to the hour; null before the first use. */
  declare lastUsedAt: CreationOptional<Date | null>;
}

export function initCalendar(sequelize: Sequelize): typeof Calendar {
  return class extends Calendar {}.init(
    {
      userId: { ...id(), primaryKey: true, allowNull: false },
      keyHash: { type: DataTypes.STRING(64), allowNull: false },
      createdAt: { ...timestamp(), allowNull: false },
      lastUsedAt: timestamp(),
    },
    { sequelize, modelName: 'Calendar', tableName: 'calendars', timestamps: false },
  );
}
