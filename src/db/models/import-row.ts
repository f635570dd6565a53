import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type Sequelize,
} from 'sequelize';
import type { AccountInputField, AccountValues } from '../../schemas/account-fields.js';
import type { EnrollmentValues } from '../../schemas/enrollment-fields.js';
import { searchKeyLength } from '../../schemas/keys.js';
import { id } from './columns.js';

/** What the ledger keeps of a row so that it can be undone. */
export interface UndoNote {
  /** The changed fields of an updated account, with their old values. */
  before?: Partial<Pick<AccountValues, AccountInputField<'import'> | 'requiresPasswordChange'>> & {
    passwordHash?: string;
    hasPassword?: boolean;
    initialPasswordExpiresAt?: string | null;
    updatedAt: string;
  };
  /** When the account was updated: one that has changed since is kept as it is. */
  updatedAt?: string;
  /** An earlier row of the import created the account: it is kept or removed together with this row's enrollments. */
  ofCreated?: true;
  /** Ids of the enrollments that were created. */
  enrollments?: string[];
  /** The enrollments of those who had left, or waited, and were enrolled, with their old values. */
  revived?: (Pick<EnrollmentValues, 'status' | 'cancelReason' | 'reply' | 'replyBy'> & {
    id: string;
    waitingNumber: number | null;
    enrolledAt: string;
    replyAt: string | null;
    updatedAt: string;
  })[];
}

/** The note of a row of the ledger; `undefined` for a row without one. */
export function parseUndoNote(text: string | null): UndoNote | undefined {
  // Written by this program only.
  return text === null ? undefined : (JSON.parse(text) as UndoNote);
}

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
