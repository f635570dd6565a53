import { DataTypes, type InferAttributes, type InferCreationAttributes, Model, type Sequelize } from 'sequelize';
import { wordLength } from '../../schemas/search-words.js';
import { id } from './columns.js';

/** A search word of an account: see schemas/search-words.ts. */
export class AccountWord extends Model<InferAttributes<AccountWord>, InferCreationAttributes<AccountWord>> {
  declare word: string;
  /** No foreign key: it would need another index, which slows the insertion of accounts. */
  declare accountId: string;
}

export function initAccountWord(sequelize: Sequelize): typeof AccountWord {
  return class extends AccountWord {}.init(
    {
      word: { type: DataTypes.STRING(wordLength), primaryKey: true, allowNull: false },
      accountId: { ...id(), primaryKey: true, allowNull: false },
    },
    { sequelize, modelName: 'AccountWord', tableName: 'account_words', timestamps: false },
  );
}

/** A search word of a course: see schemas/search-words.ts. It is deleted with the course. */
export class CourseWord extends Model<InferAttributes<CourseWord>, InferCreationAttributes<CourseWord>> {
  declare word: string;
  declare courseId: string;
}

export function initCourseWord(sequelize: Sequelize): typeof CourseWord {
  return class extends CourseWord {}.init(
    {
      word: { type: DataTypes.STRING(wordLength), primaryKey: true, allowNull: false },
      courseId: { ...id(), primaryKey: true, allowNull: false },
    },
    { sequelize, modelName: 'CourseWord', tableName: 'course_words', timestamps: false },
  );
}
