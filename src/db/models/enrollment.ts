import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';
import type { EnrollmentStatus } from '../../schemas/enrollment-statuses.js';
import { id, primaryKey, timestamp } from './columns.js';
import type { Course } from './course.js';
import type { User } from './user.js';

/** A trainee's place in a course. */
export class Enrollment extends Model<InferAttributes<Enrollment>, InferCreationAttributes<Enrollment>> {
  declare id: string;
  declare userId: string;
  declare courseId: string;
  /** Always the course's trainer: ensured by a foreign key with ON UPDATE CASCADE. */
  declare trainerId: string;
  declare status: CreationOptional<EnrollmentStatus>;
  declare progress: CreationOptional<number>;
  declare notes: CreationOptional<string | null>;
  declare enrolledAt: Date;
  declare completedAt: CreationOptional<Date | null>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
  declare course?: NonAttribute<Course>;
  declare user?: NonAttribute<User>;
}

export function initEnrollment(sequelize: Sequelize): typeof Enrollment {
  // A subclass for each connection, because init() binds the class to one.
  return class extends Enrollment {}.init(
    {
      id: primaryKey(),
      userId: { ...id(), allowNull: false },
      courseId: { ...id(), allowNull: false },
      trainerId: { ...id(), allowNull: false },
      status: { type: DataTypes.STRING(20), allowNull: false, defaultValue: 'pending' },
      progress: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      notes: { type: DataTypes.TEXT },
      enrolledAt: { ...timestamp(), allowNull: false },
      completedAt: timestamp(),
      createdAt: { ...timestamp(), allowNull: false },
      updatedAt: { ...timestamp(), allowNull: false },
    },
    { sequelize, modelName: 'Enrollment', tableName: 'enrollments' },
  );
}
