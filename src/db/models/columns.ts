import { DataTypes } from 'sequelize';

// Functions, because Sequelize writes into the definitions that it is given: a shared object would mix up the columns.

/** A UUIDv7 made by the program. */
export const id = () => ({ type: DataTypes.CHAR(36) });

/** The id that a row is known by. */
export const primaryKey = () => ({ ...id(), primaryKey: true, allowNull: false });

/** A moment in UTC, to the millisecond. */
export const timestamp = () => ({ type: DataTypes.DATE(3) });
