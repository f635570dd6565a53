import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type Sequelize,
} from 'sequelize';
import { id, primaryKey, timestamp } from './columns.js';

/** A run of a CSV import and how far it came; its rows' outcomes are {@link ImportRow}s. */
export class Import extends Model<InferAttributes<Import>, InferCreationAttributes<Import>> {
  declare id: string;
  declare status: 'running' | 'interrupted' | 'completed';
  declare fileName: string;
  declare fileSha256: string;
  declare optionsJson: string;
  declare rowsDone: CreationOptional<number>;
  declare rowsTotal: number;
  declare createdCount: CreationOptional<number>;
  declare updatedCount: CreationOptional<number>;
  declare skippedCount: CreationOptional<number>;
  declare rejectedCount: CreationOptional<number>;
  declare enrolledCount: CreationOptional<number>;
  declare credentialsFile: CreationOptional<string | null>;
  declare credentialsBytes: CreationOptional<number>;
  declare rejectsFile: CreationOptional<string | null>;
  declare rejectsBytes: CreationOptional<number>;
  declare createdBy: CreationOptional<string | null>;
  declare createdAt: Date;
  declare finishedAt: CreationOptional<Date | null>;
}

const count = () => ({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 });
const length = () => ({ type: DataTypes.BIGINT, allowNull: false, defaultValue: 0 });

export function initImport(sequelize: Sequelize): typeof Import {
  // A class of its own for each connection: init() ties a class to one.
  return class extends Import {}.init(
    {
      id: primaryKey(),
      status: { type: DataTypes.STRING(20), allowNull: false },
      fileName: { type: DataTypes.STRING(255), allowNull: false },
      fileSha256: { type: DataTypes.STRING(64), allowNull: false },
      optionsJson: { type: DataTypes.TEXT, allowNull: false },
      rowsDone: count(),
      rowsTotal: { type: DataTypes.INTEGER, allowNull: false },
      createdCount: count(),
      updatedCount: count(),
      skippedCount: count(),
      rejectedCount: count(),
      enrolledCount: count(),
      credentialsFile: { type: DataTypes.STRING(1000) },
      credentialsBytes: length(),
      rejectsFile: { type: DataTypes.STRING(1000) },
      rejectsBytes: length(),
      createdBy: id(),
      createdAt: { ...timestamp(), allowNull: false },
      finishedAt: timestamp(),
    },
    { sequelize, modelName: 'Import', tableName: 'imports', timestamps: false },
  );
}
