import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';
import type { CourseLevel, CourseType } from '../../schemas/course.js';
import { searchKeyLength } from '../../schemas/keys.js';
import { categoryMaximum, sortKeyLength, titleMaximum } from '../../schemas/sort-key.js';
import { id, primaryKey, timestamp } from './columns.js';
import type { User } from './user.js';

/** A course and its one trainer. */
export class Course extends Model<InferAttributes<Course>, InferCreationAttributes<Course>> {
  declare id: string;
  declare trainerId: string;
  declare title: string;
  declare description: string;
  declare shortDescription: CreationOptional<string | null>;
  declare category: CreationOptional<string | null>;
  declare level: CreationOptional<CourseLevel | null>;
  declare language: CreationOptional<string | null>;
  declare courseType: CreationOptional<CourseType | null>;
  /** A JSON array of strings. */
  declare tagsJson: CreationOptional<string | null>;
  declare requirements: CreationOptional<string | null>;
  declare learningOutcomes: CreationOptional<string | null>;
  declare maxStudents: CreationOptional<number | null>;
  /** `YYYY-MM-DD`. */
  declare startDate: CreationOptional<string | null>;
  declare endDate: CreationOptional<string | null>;
  declare location: CreationOptional<string | null>;
  declare thumbnail: CreationOptional<string | null>;
  declare isPublished: CreationOptional<boolean>;
  declare isFeatured: CreationOptional<boolean>;
  /** Incremented by transactions that rely on the course: see services/row-locks.ts. */
  declare lockVersion: CreationOptional<number>;
  declare searchKey: string;
  /** Title and category as they are sorted: see schemas/sort-key.ts. */
  declare titleKey: string;
  declare categoryKey: CreationOptional<string | null>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
  declare trainer?: NonAttribute<User>;
  /** The number of reserved seats, where a query has counted them. */
  declare seatsTaken?: NonAttribute<number>;

  /** Null without a limit; undefined where the seats were not counted. */
  get seatsLeft(): NonAttribute<number | null | undefined> {
    if (this.seatsTaken === undefined) return undefined;
    return this.maxStudents === null ? null : Math.max(0, this.maxStudents - this.seatsTaken);
  }

  /** @throws SyntaxError when another program has written invalid JSON */
  get tags(): NonAttribute<string[]> {
    return JSON.parse(this.tagsJson ?? '[]') as string[];
  }
}

export function initCourse(sequelize: Sequelize): typeof Course {
  // A subclass for each connection, because init() binds the class to one.
  return class extends Course {}.init(
    {
      id: primaryKey(),
      trainerId: { ...id(), allowNull: false },
      title: { type: DataTypes.STRING(200), allowNull: false },
      description: { type: DataTypes.TEXT('medium'), allowNull: false },
      shortDescription: { type: DataTypes.STRING(500) },
      category: { type: DataTypes.STRING(100) },
      level: { type: DataTypes.STRING(20) },
      language: { type: DataTypes.STRING(50) },
      courseType: { type: DataTypes.STRING(20) },
      tagsJson: { type: DataTypes.TEXT },
      requirements: { type: DataTypes.TEXT },
      learningOutcomes: { type: DataTypes.TEXT },
      maxStudents: { type: DataTypes.INTEGER },
      startDate: { type: DataTypes.DATEONLY },
      endDate: { type: DataTypes.DATEONLY },
      location: { type: DataTypes.STRING(255) },
      thumbnail: { type: DataTypes.STRING(255) },
      isPublished: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
      isFeatured: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
      lockVersion: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      searchKey: { type: DataTypes.STRING(searchKeyLength), allowNull: false },
      titleKey: { type: DataTypes.STRING(sortKeyLength(titleMaximum)), allowNull: false, defaultValue: '' },
      categoryKey: { type: DataTypes.STRING(sortKeyLength(categoryMaximum)) },
      createdAt: { ...timestamp(), allowNull: false },
      updatedAt: { ...timestamp(), allowNull: false },
    },
    { sequelize, modelName: 'Course', tableName: 'courses' },
  );
}
