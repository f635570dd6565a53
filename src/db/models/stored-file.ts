import { DataTypes, type InferAttributes, type InferCreationAttributes, Model, type Sequelize } from 'sequelize';
import type { FileKind, FileState } from '../../schemas/file.js';
import { id, primaryKey, timestamp } from './columns.js';

/** A file in the storage. The row is created before the file and deleted after it. */
export class StoredFile extends Model<InferAttributes<StoredFile>, InferCreationAttributes<StoredFile>> {
  declare id: string;
  declare kind: FileKind;
  declare state: FileState;
  declare storageKey: string;
  declare courseId: string | null;
  declare userId: string | null;
  /** The sanitized name from the upload. */
  declare name: string;
  declare contentType: string;
  declare bytes: number;
  declare uploadedBy: string | null;
  declare createdAt: Date;
}

export function initStoredFile(sequelize: Sequelize): typeof StoredFile {
  return class extends StoredFile {}.init(
    {
      id: primaryKey(),
      kind: { type: DataTypes.STRING(20), allowNull: false },
      state: { type: DataTypes.STRING(10), allowNull: false },
      storageKey: { type: DataTypes.STRING(100), allowNull: false },
      courseId: id(),
      userId: id(),
      name: { type: DataTypes.STRING(255), allowNull: false },
      contentType: { type: DataTypes.STRING(150), allowNull: false },
      bytes: { type: DataTypes.BIGINT, allowNull: false },
      uploadedBy: id(),
      createdAt: { ...timestamp(), allowNull: false },
    },
    { sequelize, modelName: 'StoredFile', tableName: 'files', timestamps: false },
  );
}
