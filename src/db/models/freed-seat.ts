import { type InferAttributes, type InferCreationAttributes, Model, type Sequelize } from 'sequelize';
import { id, primaryKey } from './columns.js';

/** That a seat of a course was freed since it was stored whether the course is full: see services/capacity.ts. */
export class FreedSeat extends Model<InferAttributes<FreedSeat>, InferCreationAttributes<FreedSeat>> {
  declare id: string;
  /** No foreign key: it would lock the course. */
  declare courseId: string;
}

export function initFreedSeat(sequelize: Sequelize): typeof FreedSeat {
  // A subclass for each connection, because init() binds the class to one.
  return class extends FreedSeat {}.init(
    { id: primaryKey(), courseId: { ...id(), allowNull: false } },
    { sequelize, modelName: 'FreedSeat', tableName: 'freed_seats', timestamps: false },
  );
}
