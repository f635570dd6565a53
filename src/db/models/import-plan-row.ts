import { DataTypes, type InferAttributes, type InferCreationAttributes, Model, type Sequelize } from 'sequelize';
import { searchKeyLength } from '../../schemas/keys.js';
import { id } from './columns.js';

/** Planned outcome of one row of a file. */
export class ImportPlanRow extends Model<InferAttributes<ImportPlanRow>, InferCreationAttributes<ImportPlanRow>> {
  declare importId: string;
  /** Number of the row's first line in the file, from 1. Negative for members who leave, who have no row. */
  declare line: number;
  declare outcome: 'created' | 'updated' | 'skipped' | 'rejected' | 'left';
  declare code: string | null;
  /** Codes of further faults of the row, each between spaces; null if there are none. */
  declare otherCodes: string | null;
  declare field: string | null;
  declare reason: string | null;
  declare userId: string | null;
  declare searchKey: string;
  declare changesJson: string | null;
  declare cellsJson: string;
}

export function initImportPlanRow(sequelize: Sequelize): typeof ImportPlanRow {
  return class extends ImportPlanRow {}.init(
    {
      importId: { ...id(), primaryKey: true, allowNull: false },
      line: { type: DataTypes.INTEGER, primaryKey: true, allowNull: false },
      outcome: { type: DataTypes.STRING(10), allowNull: false },
      code: { type: DataTypes.STRING(40) },
      otherCodes: { type: DataTypes.STRING(255) },
      field: { type: DataTypes.STRING(20) },
      reason: { type: DataTypes.TEXT },
      userId: id(),
      searchKey: { type: DataTypes.STRING(searchKeyLength), allowNull: false },
      changesJson: { type: DataTypes.TEXT },
      cellsJson: { type: DataTypes.TEXT('medium'), allowNull: false },
    },
    { sequelize, modelName: 'ImportPlanRow', tableName: 'import_plan_rows', timestamps: false },
  );
}
