import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';
import type { ImportOptions, ImportStatus } from '../../schemas/import.js';
import { id, primaryKey, timestamp } from './columns.js';
import type { User } from './user.js';

/** Number of rows of a file by outcome, planned or applied. */
export interface ImportCounts {
  rows: number;
  created: number;
  updated: number;
  skipped: number;
  rejected: number;
  enrolled: number;
  /** Places on waiting lists. */
  waiting: number;
  /** Enrollments that were not made, because the course or its waiting list was full. */
  leftOut: number;
  /** Members who leave the group that the import synchronises. */
  left: number;
}

/** An import of a file and its progress. The outcomes of its rows are {@link ImportRow}s. */
export class Import extends Model<InferAttributes<Import>, InferCreationAttributes<Import>> {
  declare id: string;
  /** Number shown to people: 1 for the first import, then ascending. */
  declare number: number;
  declare status: ImportStatus;
  declare origin: 'cli' | 'http';
  declare fileName: string;
  declare filePath: string;
  declare fileSha256: string;
  declare optionsJson: string;
  declare planId: CreationOptional<string | null>;
  declare formatJson: CreationOptional<string | null>;
  declare rowsDone: CreationOptional<number>;
  declare rowsTotal: CreationOptional<number | null>;
  declare createdCount: CreationOptional<number>;
  declare updatedCount: CreationOptional<number>;
  declare skippedCount: CreationOptional<number>;
  declare rejectedCount: CreationOptional<number>;
  declare enrolledCount: CreationOptional<number>;
  declare waitingCount: CreationOptional<number>;
  declare leftOutCount: CreationOptional<number>;
  declare leftCount: CreationOptional<number>;
  declare credentialsFile: CreationOptional<string | null>;
  declare credentialsBytes: CreationOptional<number>;
  declare credentialsDigest: CreationOptional<string | null>;
  declare rejectsFile: CreationOptional<string | null>;
  declare rejectsBytes: CreationOptional<number>;
  declare rejectsDigest: CreationOptional<string | null>;
  declare credentialsFetchedAt: CreationOptional<Date | null>;
  declare cancelRequested: CreationOptional<boolean>;
  declare errorCode: CreationOptional<string | null>;
  declare errorMessage: CreationOptional<string | null>;
  declare createdBy: CreationOptional<string | null>;
  declare createdAt: Date;
  declare startedAt: CreationOptional<Date | null>;
  declare finishedAt: CreationOptional<Date | null>;
  declare undoneAt: CreationOptional<Date | null>;
  /** Time when the ledger was closed. It is then exported and deleted: see services/maintenance/ledger-retention.ts. */
  declare ledgerClosedAt: CreationOptional<Date | null>;
  /** Maximum number of accounts that an import of a trainer creates. */
  declare invitesReserved: CreationOptional<number>;
  /** Time of the reservation; null before, and for imports of the super admin. */
  declare invitesReservedAt: CreationOptional<Date | null>;
  /** The account of {@link trainerId}; null if it was deleted. Loaded separately. */
  declare trainer?: NonAttribute<Pick<User, 'id' | 'firstName' | 'lastName'> | null>;

  /** The trainer who imports; null for imports of the super admin. */
  get trainerId(): NonAttribute<string | null> {
    // Written by this program only.
    const { trainerId = null } = JSON.parse(this.optionsJson) as Pick<ImportOptions, 'trainerId'>;
    return trainerId;
  }

  get counts(): NonAttribute<ImportCounts> {
    return countsOf(this);
  }

  /**
   * Whether the import has generated passwords that can still be fetched over HTTP. They can be fetched only a single
   * time.
   */
  get hasCredentials(): NonAttribute<boolean> {
    const isFilled = this.credentialsFile !== null && Number(this.credentialsBytes) > 0;
    return this.origin === 'http' && isFilled && this.credentialsFetchedAt === null;
  }

  /** Whether the import has rejected rows that can be fetched over HTTP. */
  get hasRejects(): NonAttribute<boolean> {
    return this.origin === 'http' && this.rejectsFile !== null && Number(this.rejectsBytes) > 0;
  }
}

const count = () => ({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 });
const byteCount = () => ({ type: DataTypes.BIGINT, allowNull: false, defaultValue: 0 });

/** Returns the numbers of finished rows by outcome. */
export function countsOf({
  rowsDone: rows,
  createdCount: created,
  updatedCount: updated,
  skippedCount: skipped,
  rejectedCount: rejected,
  enrolledCount: enrolled,
  waitingCount: waiting,
  leftOutCount: leftOut,
  leftCount: left,
}: Pick<
  Import,
  | ('rowsDone' | 'createdCount' | 'updatedCount' | 'skippedCount' | 'rejectedCount')
  | ('enrolledCount' | 'waitingCount' | 'leftOutCount' | 'leftCount')
>): ImportCounts {
  return { rows, created, updated, skipped, rejected, enrolled, waiting, leftOut, left };
}

export function initImport(sequelize: Sequelize): typeof Import {
  return class extends Import {}.init(
    {
      id: primaryKey(),
      // Equals the default in the table. The import gets its number when it is created.
      number: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      status: { type: DataTypes.STRING(20), allowNull: false },
      origin: { type: DataTypes.STRING(10), allowNull: false },
      fileName: { type: DataTypes.STRING(255), allowNull: false },
      filePath: { type: DataTypes.STRING(1000), allowNull: false },
      fileSha256: { type: DataTypes.STRING(64), allowNull: false },
      optionsJson: { type: DataTypes.TEXT('medium'), allowNull: false },
      planId: { type: DataTypes.STRING(16) },
      formatJson: { type: DataTypes.TEXT },
      rowsDone: count(),
      rowsTotal: { type: DataTypes.INTEGER },
      createdCount: count(),
      updatedCount: count(),
      skippedCount: count(),
      rejectedCount: count(),
      enrolledCount: count(),
      waitingCount: count(),
      leftOutCount: count(),
      leftCount: count(),
      credentialsFile: { type: DataTypes.STRING(1000) },
      credentialsBytes: byteCount(),
      credentialsDigest: { type: DataTypes.STRING(64) },
      rejectsFile: { type: DataTypes.STRING(1000) },
      rejectsBytes: byteCount(),
      rejectsDigest: { type: DataTypes.STRING(64) },
      credentialsFetchedAt: timestamp(),
      cancelRequested: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
      errorCode: { type: DataTypes.STRING(40) },
      errorMessage: { type: DataTypes.TEXT },
      createdBy: id(),
      createdAt: { ...timestamp(), allowNull: false },
      startedAt: timestamp(),
      finishedAt: timestamp(),
      undoneAt: timestamp(),
      ledgerClosedAt: timestamp(),
      invitesReserved: count(),
      invitesReservedAt: timestamp(),
    },
    { sequelize, modelName: 'Import', tableName: 'imports', timestamps: false },
  );
}
