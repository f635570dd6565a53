import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type Sequelize,
} from 'sequelize';
import type { MailState } from '../../schemas/mail.js';
import { id, primaryKey, timestamp } from './columns.js';

/**
 * A mail of the outbox. Its link is created when the mail is sent, so no row contains a secret. Only the migration
 * declares the generated column `turn_key`, which orders news by owner.
 */
export class Mail extends Model<InferAttributes<Mail>, InferCreationAttributes<Mail>> {
  declare id: string;
  /** See services/mail/kinds.ts. */
  declare kind: string;
  declare priority: number;
  /**
   * Account whose change caused the news, or `operator`. News of different owners are sent alternately. Null for other
   * mails.
   */
  declare queueOwner: CreationOptional<string | null>;
  declare userId: string | null;
  /** Recipient if different from the account's address. After sending, the address that was used. */
  declare address: string | null;
  declare courseId: string | null;
  declare importId: string | null;
  /** Identifier entered for a password reset; kept until the sender looks up the account. */
  declare identifier: string | null;
  declare data: string;
  /** Only the first of several mails with the same key is queued until it is sent. */
  declare dedupeKey: string | null;
  declare state: MailState;
  declare attempts: CreationOptional<number>;
  /** Null unless the mail waits to be sent. */
  declare nextAt: Date | null;
  /** Reason why the last attempt failed; for a queued mail, reason why no mail can be sent. */
  declare lastError: CreationOptional<string | null>;
  /** Whether the last error means that the address doesn't exist. */
  declare addressUnknown: CreationOptional<boolean>;
  declare createdAt: Date;
  /** Time when the mail was sent, failed or was withdrawn. */
  declare finishedAt: CreationOptional<Date | null>;
}

export function initMail(sequelize: Sequelize): typeof Mail {
  return class extends Mail {}.init(
    {
      id: primaryKey(),
      kind: { type: DataTypes.STRING(20), allowNull: false },
      priority: { type: DataTypes.INTEGER, allowNull: false },
      queueOwner: { type: DataTypes.STRING(36) },
      userId: id(),
      address: { type: DataTypes.STRING(254) },
      courseId: id(),
      importId: id(),
      identifier: { type: DataTypes.STRING(254) },
      data: { type: DataTypes.TEXT, allowNull: false },
      dedupeKey: { type: DataTypes.STRING(100) },
      state: { type: DataTypes.STRING(10), allowNull: false },
      attempts: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      nextAt: timestamp(),
      lastError: { type: DataTypes.STRING(500) },
      addressUnknown: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
      createdAt: { ...timestamp(), allowNull: false },
      finishedAt: timestamp(),
    },
    { sequelize, modelName: 'Mail', tableName: 'mails', timestamps: false },
  );
}
