import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';
import { courseFields } from '../../schemas/course-fields.js';
import { searchKeyLength } from '../../schemas/keys.js';
import { categoryMaximum, sortKeyLength, titleMaximum } from '../../schemas/sort-key.js';
import { attributeDefinitions, type FieldAttributes, id, primaryKey, timestamp } from './columns.js';
import type { User } from './user.js';

export interface Course extends FieldAttributes<typeof courseFields> {}

/** A course and its one trainer, with the fields of schemas/course-fields.ts. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: init() defines the attributes that the table of fields declares
export class Course extends Model<InferAttributes<Course>, InferCreationAttributes<Course>> {
  declare id: string;
  declare trainerId: string;
  /** A JSON array of strings. */
  declare tagsJson: CreationOptional<string | null>;
  /** Incremented by transactions that rely on the course: see services/locks/row-locks.ts. */
  declare lockVersion: CreationOptional<number>;
  /** The last number given on the waiting list. */
  declare waitingCounter: CreationOptional<number>;
  declare searchKey: string;
  /** Title and category as they are sorted: see schemas/sort-key.ts. */
  declare titleKey: string;
  declare categoryKey: CreationOptional<string | null>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
  declare trainer?: NonAttribute<User>;
  /** The number of reserved seats, where a query has counted them. */
  declare seatsTaken?: NonAttribute<number>;
  /** The number of trainees on the waiting list, counted with the seats. */
  declare waitingCount?: NonAttribute<number>;

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
      ...attributeDefinitions(courseFields),
      tagsJson: { type: DataTypes.TEXT },
      lockVersion: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      waitingCounter: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      searchKey: { type: DataTypes.STRING(searchKeyLength), allowNull: false },
      titleKey: { type: DataTypes.STRING(sortKeyLength(titleMaximum)), allowNull: false, defaultValue: '' },
      categoryKey: { type: DataTypes.STRING(sortKeyLength(categoryMaximum)) },
      createdAt: { ...timestamp(), allowNull: false },
      updatedAt: { ...timestamp(), allowNull: false },
    },
    { sequelize, modelName: 'Course', tableName: 'courses' },
  );
}
