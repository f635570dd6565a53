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

/** Data in the ledger with which a row can be undone. */
export interface UndoNote {
  /** Old values of the changed fields of an updated account. */
  before?: Partial<Pick<AccountValues, AccountInputField<'import'> | 'requiresPasswordChange'>> & {
    passwordHash?: string;
    hasPassword?: boolean;
    initialPasswordExpiresAt?: string | null;
    updatedAt: string;
  };
  /** Time of the update. Undoing keeps accounts that have changed since. */
  updatedAt?: string;
  /**
   * An earlier row of the import created the account. Undoing keeps or removes the account together with this row's
   * enrollments.
   */
  ofCreated?: true;
  /** Ids of the created enrollments. */
  enrollments?: string[];
  /** Ids of the groups to which the row added the person. */
  groups?: string[];
  /** Ids of the groups that the row created. */
  newGroups?: string[];
  /** Memberships that the row renewed, as they were when the person had left. */
  rejoined?: { groupId: string; addedAt: string; leftAt: string; deactivated: boolean }[];
  /** Existing enrollments that the row assigned to its roster. */
  claims?: { groupId: string; enrollmentIds: string[] };
  /** The roster that a member left, and the enrollments that it had made. `revived` has those that were cancelled. */
  left?: { groupId: string; enrollmentIds: string[] };
  /** Cancelled or waiting enrollments that the row enrolled again, with their old values. */
  revived?: (Pick<EnrollmentValues, 'status' | 'cancelReason' | 'reply' | 'replyBy'> & {
    id: string;
    waitingNumber: number | null;
    enrolledAt: string;
    replyAt: string | null;
    updatedAt: string;
  })[];
}

/** Returns the parsed note of a ledger row; `undefined` for a row without a note. */
export function parseUndoNote(text: string | null): UndoNote | undefined {
  // Written by this program only.
  return text === null ? undefined : (JSON.parse(text) as UndoNote);
}

/** Entry of the ledger: the outcome of one row of an imported file. */
export class ImportRow extends Model<InferAttributes<ImportRow>, InferCreationAttributes<ImportRow>> {
  declare importId: string;
  /** Number of the row's first line in the file, from 1. Negative for members who leave, who have no row. */
  declare line: number;
  declare outcome: 'created' | 'updated' | 'skipped' | 'rejected' | 'left';
  declare code: string | null;
  /** Codes of further faults of the row, each between spaces; null if there are none. */
  declare otherCodes: string | null;
  declare userId: string | null;
  declare reason: string | null;
  /** Search key from the cells of a rejected row. Other rows are found by their accounts. */
  declare searchKey: CreationOptional<string | null>;
  declare undoJson: string | null;
  declare undoOutcome: 'removed' | 'restored' | 'kept' | null;
  declare undoCode: string | null;
}

export function initImportRow(sequelize: Sequelize): typeof ImportRow {
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
