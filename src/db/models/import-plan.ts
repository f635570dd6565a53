import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';
import type { Delimiter, Encoding, FileProblemReason } from '../../schemas/file-format.js';
import type { ImportableRole, ImportField, WarningCode } from '../../schemas/import.js';
import { id, timestamp } from './columns.js';
import type { ImportCounts } from './import.js';
import type { ImportRow } from './import-row.js';

/** A column of a file as it is understood. */
interface RecognizedColumn {
  /** Its place in a row, from 0. */
  index: number;
  heading: string;
  /** null: it is not imported. */
  field: ImportField | null;
  /** What it may be that is not imported, by its heading or its values; null where nothing is suggested. */
  suggestion: ImportField | null;
  /** Whether a workbook hides it. */
  hidden: boolean;
}

/** A column of a file with values. */
export interface FileColumn extends RecognizedColumn {
  /** Values of its first rows, shortened, without passwords. */
  samples: string[];
}

/** A column of a plan: what importing it does. */
export interface PlannedColumn extends RecognizedColumn {
  /** The effect on people, in words; null for a column that isn't imported. */
  effect: string | null;
  /** People on whom its values have an effect. */
  people: number;
  /** Mails that have its values. */
  mailed: number;
  /** The first value that isn't blank, shortened and without passwords; null where there is none. */
  example: string | null;
}

/** Rows that are not imported as they are for the same reason: skipped, rejected, or without one of their courses. */
export interface PlanReason {
  outcome: ImportRow['outcome'];
  code: string;
  /** Codes of further faults of the same rows. */
  otherCodes: string[];
  /** The field that must be corrected; null when it isn't one. */
  field: ImportField | null;
  message: string;
  /** Rows; a rejected row counts once, with all its faults. */
  count: number;
  /** The lines of the first rows. */
  rows: number[];
}

/** What looks wrong in a file that can be imported. */
export interface PlanWarning {
  code: WarningCode;
  /** The field that it is about; null when it isn't one. */
  field: ImportField | null;
  message: string;
  /** Rows or columns. */
  count: number;
  /** The lines of the first rows; empty for a warning about columns or the file. */
  rows: number[];
  /** Some of the values. */
  examples: string[];
}

/** An update that changes who an account is: its name, its email or its role. */
export interface IdentityChange {
  line: number;
  userId: string;
  before: Identity;
  after: Identity;
}

type Identity = Record<'firstName' | 'lastName' | 'email' | 'role', string>;

/** A sheet of a workbook. */
export interface WorkbookSheet {
  name: string;
  isHidden: boolean;
}

/** An encoding that a file may have, and what names of the file are then. */
export interface EncodingCandidate {
  encoding: Encoding;
  names: string[];
}

/** Why a file can't be imported with the options of a plan. */
export interface PlanProblem {
  code: string;
  message: string;
  /** What programs know a fault of the file by; absent in other problems. */
  reason?: FileProblemReason;
  /** The line that it is about; absent where it isn't one. */
  line?: number | null;
  /** Where the encoding isn't certain: what it may be, the likeliest first. */
  candidates?: readonly EncodingCandidate[];
  /** Of a workbook whose sheet can't be read, or isn't there. */
  sheets?: readonly WorkbookSheet[];
}

/** A finished plan. */
export interface PlanContent {
  /** Why the file can't be imported with these options; null when it can. */
  problem: PlanProblem | null;
  /** How the file was read; null when its encoding is unknown, or it is no text. */
  file: {
    encoding: Encoding;
    delimiter: Delimiter;
    byteOrderMark: boolean;
    headerLine: number;
    /** null for CSV. */
    workbook: { kind: 'xlsx' | 'ods'; sheet: string; sheets: readonly WorkbookSheet[] } | null;
    /** Null when it was not read to its end. */
    lines: number | null;
    /** Up to five names of people with letters beyond ASCII. */
    names: string[];
  } | null;
  columns: (FileColumn & PlannedColumn)[];
  /** What a column can be. */
  fields: { name: ImportField; required: boolean }[];
  /** null with a problem. */
  counts: (ImportCounts & { unchanged: number }) | null;
  /** The roles of the accounts that are created; null with a problem. */
  createdByRole: Readonly<Record<ImportableRole, number>> | null;
  reasons: PlanReason[];
  warnings: PlanWarning[];
  identityChanges: IdentityChange[];
  identityChangesLeftOut: number;
  generatedPasswords: number;
  invitations: number;
  news: number;
  /** Words of the file that were read as roles. */
  roleWords: { word: string; role: ImportableRole }[];
  stopsAtLine: number | null;
  /** Why the plan must not be applied: more bad rows than the options allow. */
  refusal: string | null;
}

/** What is stored of a plan: with a problem, what is known of the file. */
export type StoredPlan = Pick<PlanContent, 'problem' | 'file' | 'columns' | 'fields'> & Partial<PlanContent>;

/** The plan of an import over HTTP, from its request until rows of the import are committed. */
export class ImportPlan extends Model<InferAttributes<ImportPlan>, InferCreationAttributes<ImportPlan>> {
  declare importId: string;
  /** Counts the plans that were asked for: a process that makes an earlier one stops. */
  declare revision: CreationOptional<number>;
  declare rowsRead: CreationOptional<number>;
  /** The finished plan; null while it is being made. */
  declare planJson: CreationOptional<string | null>;
  /** From then on the import is bound to the plan, until its first rows are committed. */
  declare appliedAt: CreationOptional<Date | null>;
  declare expiresAt: Date;

  /** The finished plan; null while it is being made. */
  get content(): NonAttribute<StoredPlan | null> {
    // Written by this program only.
    return this.planJson === null ? null : (JSON.parse(this.planJson) as StoredPlan);
  }
}

export function initImportPlan(sequelize: Sequelize): typeof ImportPlan {
  // A subclass for each connection, because init() binds the class to one.
  return class extends ImportPlan {}.init(
    {
      importId: { ...id(), primaryKey: true, allowNull: false },
      revision: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 1 },
      rowsRead: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      planJson: { type: DataTypes.TEXT('medium') },
      appliedAt: timestamp(),
      expiresAt: { ...timestamp(), allowNull: false },
    },
    { sequelize, modelName: 'ImportPlan', tableName: 'import_plans', timestamps: false },
  );
}
