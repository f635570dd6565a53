import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type Sequelize,
} from 'sequelize';
import { searchKeyLength } from '../../schemas/keys.js';
import { id } from './columns.js';

/** An entry of the ledger: the outcome of one row of an imported file. */
export class ImportRow extends Model<InferAttributes<ImportRow>, InferCreationAttributes<ImportRow>> {
  declare importId: string;
  /** Number of the line in the file on which the row begins, from 1. */
  declare line: number;
  declare outcome: 'created' | 'updated' | 'skipped' | 'rejected';
  declare code: string | null;
  /** The codes of the further faults of the row, each between spaces; null when it has one at most. */
  declare otherCodes: string | null;
  declare userId: string | null;
  declare reason: string | null;
  /** What a rejected row says, to be found by: other rows are found by their accounts. */
  declare searchKey: CreationOptional<string | null>;
  declare undoJson: string | null;
  declare undoOutcome: 'removed' | 'restored' | 'kept' | null;
  declare undoCode: string | null;
}

export function initImportRow(sequelize: Sequelize): typeof ImportRow {
  // A subclass for each connection, because init() binds the class to one.
  return class extends ImportRow {}.init(
    {
      importId: { ...id(), primaryKey: true, allowNull: false },
      line: { type: DataTypes.INTEGER, primaryKey: true, allowNull: false },
      outcome: { type: DataTypes.STRING(10), allowNull: false },
      code: { type: DataTypes.STRING(40) },
      otherCodes: { type: DataTypes.STRING(255) },
      userId: id(),
      reason: { type: DataTypes.TEXT },
      searchKey: { type: DataTypes.STRING(searchKeyLength) },
      undoJson: { type: DataTypes.TEXT },
      undoOutcome: { type: DataTypes.STRING(10) },
      undoCode: { type: DataTypes.STRING(20) },
    },
    { sequelize, modelName: 'ImportRow', tableName: 'import_rows', timestamps: false },
  );
}
