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

/** A column of a file, with the recognised field. */
interface RecognisedColumn {
  /** Position in a row, from 0. */
  index: number;
  heading: string;
  /** Null if the column is not imported. */
  field: ImportField | null;
  /** Likely field of a column that is not imported, by its heading or values; null without a suggestion. */
  suggestion: ImportField | null;
  /** Whether the workbook hides the column. */
  hidden: boolean;
}

/** A column of a file, with sample values. */
export interface FileColumn extends RecognisedColumn {
  /** Values of the first rows, shortened and without passwords. */
  samples: string[];
}

/** A column of a plan, with the effect of its import. */
export interface PlannedColumn extends RecognisedColumn {
  /** The effect on people as text; null for a column that isn't imported. */
  effect: string | null;
  /** Number of people affected by the column. */
  people: number;
  /** Number of mails that contain a value of the column. */
  mailed: number;
  /** The first value that isn't blank, shortened and without passwords; null if there is none. */
  example: string | null;
}

/** Rows with the same problem: skipped, rejected, or imported without one of their courses. */
export interface PlanReason {
  outcome: Exclude<ImportRow['outcome'], 'left'>;
  code: string;
  /** Codes of further faults in the same rows. */
  otherCodes: string[];
  /** The field that must be corrected; null if the problem isn't in a single field. */
  field: ImportField | null;
  message: string;
  /** The course name in the file that means no course or several; null for other problems, and for rarer names. */
  courseQuestion: { name: string; candidates: { id: string; title: string; startDate: string | null }[] } | null;
  /** Number of rows. A rejected row counts once, whatever its number of faults. */
  count: number;
  /** Line numbers of the first rows. */
  rows: number[];
}

/** A possible mistake in a file that can be imported. */
export interface PlanWarning {
  code: WarningCode;
  /** The suspicious field; null if the warning isn't about a single field. */
  field: ImportField | null;
  message: string;
  /** Number of rows or columns. */
  count: number;
  /** Lines of the first rows; empty for a warning about columns or the file. */
  rows: number[];
  /** Some of the suspicious values. */
  examples: string[];
}

export interface IdentityChange {
  line: number;
  userId: string;
  before: Identity;
  after: Identity;
}

type Identity = Record<'firstName' | 'lastName' | 'email' | 'role', string>;

export interface WorkbookSheet {
  name: string;
  isHidden: boolean;
}

/** A possible encoding of a file, with names from the file in this encoding. */
export interface EncodingCandidate {
  encoding: Encoding;
  names: string[];
}

/** Reason why a file can't be imported with the options of a plan. */
export interface PlanProblem {
  code: string;
  message: string;
  /** Machine-readable reason of a fault in the file; absent for other problems. */
  reason?: FileProblemReason;
  /** The faulty line; absent if the problem isn't in a single line. */
  line?: number | null;
  /** Possible encodings if the encoding is uncertain, the likeliest first. */
  candidates?: readonly EncodingCandidate[];
  /** Sheets of a workbook whose chosen sheet is missing or unreadable. */
  sheets?: readonly WorkbookSheet[];
}

export interface PlanContent {
  /** Reason why the file can't be imported with these options; null if it can. */
  problem: PlanProblem | null;
  /** Format in which the file was read; null if the encoding is unknown or the file is no text. */
  file: {
    encoding: Encoding;
    delimiter: Delimiter;
    byteOrderMark: boolean;
    headerLine: number;
    /** Null for CSV. */
    workbook: { kind: 'xlsx' | 'ods'; sheet: string; sheets: readonly WorkbookSheet[] } | null;
    /** Null if the file was not read to its end. */
    lines: number | null;
    /** Up to five names of people with non-ASCII letters. */
    names: string[];
  } | null;
  columns: (FileColumn & PlannedColumn)[];
  /** Fields to which a column can be assigned. */
  fields: { name: ImportField; required: boolean }[];
  /** Null with a problem. */
  counts: (ImportCounts & { unchanged: number }) | null;
  /** Number of created accounts for each role; null with a problem. */
  createdByRole: Readonly<Record<ImportableRole, number>> | null;
  reasons: PlanReason[];
  warnings: PlanWarning[];
  identityChanges: IdentityChange[];
  identityChangesLeftOut: number;
  /** Names of the groups that the import creates. */
  newGroups: string[];
  /** Effects on the members of the group that the import synchronises; null if it is no sync. */
  roster: {
    /** Whether the import creates the group, or synchronises it for the first time: then nobody leaves. */
    isFirst: boolean;
    /** Number of members whom files added. */
    members: number;
    leaving: number;
    /** Number of accounts that become inactive. */
    deactivated: number;
    /** Set if the sync needs an approval. */
    held: { leaving: number; members: number; limit: number } | null;
  } | null;
  generatedPasswords: number;
  invitations: number;
  news: number;
  /** Words for roles in the file, with their roles. */
  roleWords: { word: string; role: ImportableRole }[];
  stopsAtLine: number | null;
  /** Reason why the plan must not be applied: more faulty rows than the options allow. */
  refusal: string | null;
}

/** Stored form of a plan. A plan with a problem contains only the known facts about the file. */
export type StoredPlan = Pick<PlanContent, 'problem' | 'file' | 'columns' | 'fields'> & Partial<PlanContent>;

/** The plan of an import over HTTP. It exists from its request until the first rows of the import are committed. */
export class ImportPlan extends Model<InferAttributes<ImportPlan>, InferCreationAttributes<ImportPlan>> {
  declare importId: string;
  /** Number of requested plans. A process that computes an older revision stops. */
  declare revision: CreationOptional<number>;
  declare rowsRead: CreationOptional<number>;
  /** The finished plan; null while it is being made. */
  declare planJson: CreationOptional<string | null>;
  /** Time when the plan was applied. The import then uses this plan until its first rows are committed. */
  declare appliedAt: CreationOptional<Date | null>;
  /** Number of leaving members that a person has approved. */
  declare allowLeaving: CreationOptional<number | null>;
  declare expiresAt: Date;

  /** The finished plan; null while it is being made. */
  get content(): NonAttribute<StoredPlan | null> {
    // Written by this program only.
    return this.planJson === null ? null : (JSON.parse(this.planJson) as StoredPlan);
  }
}

export function initImportPlan(sequelize: Sequelize): typeof ImportPlan {
  return class extends ImportPlan {}.init(
    {
      importId: { ...id(), primaryKey: true, allowNull: false },
      revision: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 1 },
      rowsRead: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      planJson: { type: DataTypes.TEXT('medium') },
      appliedAt: timestamp(),
      allowLeaving: { type: DataTypes.INTEGER },
      expiresAt: { ...timestamp(), allowNull: false },
    },
    { sequelize, modelName: 'ImportPlan', tableName: 'import_plans', timestamps: false },
  );
}
