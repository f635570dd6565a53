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

/** A course of one trainer. Its fields are in schemas/course-fields.ts. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: init() defines the attributes that the table of fields declares
export class Course extends Model<InferAttributes<Course>, InferCreationAttributes<Course>> {
  declare id: string;
  declare trainerId: string;
  declare tagsJson: CreationOptional<string | null>;
  /** Incremented by transactions that rely on the course: see services/locks/row-locks.ts. */
  declare lockVersion: CreationOptional<number>;
  /** The last assigned number on the waiting list. */
  declare waitingCounter: CreationOptional<number>;
  declare searchKey: string;
  /** Sort keys of title and category: see schemas/sort-key.ts. */
  declare titleKey: string;
  declare categoryKey: CreationOptional<string | null>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
  declare trainer?: NonAttribute<User>;
  /** Number of reserved seats; undefined unless the query counts them. */
  declare seatsTaken?: NonAttribute<number>;
  /** Number of requests among them; undefined unless the query counts them. */
  declare pendingCount?: NonAttribute<number>;
  /** Number of trainees on the waiting list; undefined unless the query counts them. */
  declare waitingCount?: NonAttribute<number>;

  /** Null without a limit; undefined if the seats were not counted. */
  get seatsLeft(): NonAttribute<number | null | undefined> {
    if (this.seatsTaken === undefined) return undefined;
    return this.maxStudents === null ? null : Math.max(0, this.maxStudents - this.seatsTaken);
  }

  /** @throws SyntaxError if another program has written invalid JSON */
  get tags(): NonAttribute<string[]> {
    return JSON.parse(this.tagsJson ?? '[]') as string[];
  }
}

export function initCourse(sequelize: Sequelize): typeof Course {
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
