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
 * A mail of the outbox. Its link is made when it leaves, so that no row has a secret. Only the migration declares the generated column
 * `turn_key`, by which news take turns.
 */
export class Mail extends Model<InferAttributes<Mail>, InferCreationAttributes<Mail>> {
  declare id: string;
  /** See services/mail/kinds.ts. */
  declare kind: string;
  declare priority: number;
  /** Account whose change the news is about, or `operator`: news of different owners take turns. Null for other mails. */
  declare queueOwner: CreationOptional<string | null>;
  declare userId: string | null;
  /** Where it goes, where that isn't the account's address; once it has left, where it went. */
  declare address: string | null;
  declare courseId: string | null;
  declare importId: string | null;
  /** What somebody who has forgotten a password has typed, until the sender looks for the account. */
  declare identifier: string | null;
  /** JSON. */
  declare data: string;
  /** Of several mails with the same one only the first is queued, until it has left. */
  declare dedupeKey: string | null;
  declare state: MailState;
  declare attempts: CreationOptional<number>;
  /** Null unless it waits. */
  declare nextAt: Date | null;
  /** Why the last attempt failed; of a queued mail, why nothing leaves. */
  declare lastError: CreationOptional<string | null>;
  declare createdAt: Date;
  /** When it was sent, failed or was withdrawn. */
  declare finishedAt: CreationOptional<Date | null>;
}

export function initMail(sequelize: Sequelize): typeof Mail {
  // A subclass for each connection, because init() binds the class to one.
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
      createdAt: { ...timestamp(), allowNull: false },
      finishedAt: timestamp(),
    },
    { sequelize, modelName: 'Mail', tableName: 'mails', timestamps: false },
  );
}
