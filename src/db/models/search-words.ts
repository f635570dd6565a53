import { DataTypes, type InferAttributes, type InferCreationAttributes, Model, type Sequelize } from 'sequelize';
import { wordLength } from '../../schemas/search-words.js';
import { id } from './columns.js';

/** A word by which an account is found: see schemas/search-words.ts. */
export class AccountWord extends Model<InferAttributes<AccountWord>, InferCreationAttributes<AccountWord>> {
  declare word: string;
  /** No foreign key: it would need an index of its own, and inserting accounts would take longer. */
  declare accountId: string;
}

export function initAccountWord(sequelize: Sequelize): typeof AccountWord {
  // A subclass for each connection, because init() binds the class to one.
  return class extends AccountWord {}.init(
    {
      word: { type: DataTypes.STRING(wordLength), primaryKey: true, allowNull: false },
      accountId: { ...id(), primaryKey: true, allowNull: false },
    },
    { sequelize, modelName: 'AccountWord', tableName: 'account_words', timestamps: false },
  );
}

/** A word by which a course is found: see schemas/search-words.ts. It is deleted with the course. */
export class CourseWord extends Model<InferAttributes<CourseWord>, InferCreationAttributes<CourseWord>> {
  declare word: string;
  declare courseId: string;
}

export function initCourseWord(sequelize: Sequelize): typeof CourseWord {
  // A subclass for each connection, because init() binds the class to one.
  return class extends CourseWord {}.init(
    {
      word: { type: DataTypes.STRING(wordLength), primaryKey: true, allowNull: false },
      courseId: { ...id(), primaryKey: true, allowNull: false },
    },
    { sequelize, modelName: 'CourseWord', tableName: 'course_words', timestamps: false },
  );
}
