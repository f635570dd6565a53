import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';
import { accountFields, type SessionField } from '../../schemas/account-fields.js';
import type { SignInMethod } from '../../schemas/identity.js';
import { searchKeyLength } from '../../schemas/keys.js';
import type { InviteState } from '../../schemas/mail.js';
import { nameMaximum, sortKeyLength } from '../../schemas/sort-key.js';
import { attributeDefinitions, type FieldAttributes, primaryKey, timestamp } from './columns.js';
import type { LoginThrottle } from './login-throttle.js';

export interface User extends FieldAttributes<typeof accountFields> {}

/**
 * An account (specification, section 2). Its fields are in schemas/account-fields.ts. Only migrations declare the
 * generated columns: `super_admin_marker` permits one super admin, `email_domain` serves searches, and `trainer_key`
 * sorts trainers.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: init() defines the attributes that the table of fields declares
export class User extends Model<InferAttributes<User>, InferCreationAttributes<User>> {
  declare id: string;
  declare phoneKey: string | null;
  declare passwordHash: string;
  declare initialPasswordExpiresAt: CreationOptional<Date | null>;
  /** False without a password, and until an invited person has set one. */
  declare hasPassword: CreationOptional<boolean>;
  /**
   * Notes of the program about mails to the person. They never change `updatedAt`: otherwise undoing an import would
   * treat the account as changed, and keep it.
   */
  declare invitedAt: CreationOptional<Date | null>;
  declare inviteState: CreationOptional<InviteState | null>;
  /** Time when the mail server began to refuse the address. */
  declare mailFailedAt: CreationOptional<Date | null>;
  /** Time when the owner of the email has set the password by a mailed link, or has signed in at the organisation. */
  declare emailConfirmedAt: CreationOptional<Date | null>;
  /** Kinds of news that the person has turned off, separated by spaces. */
  declare mailOff: CreationOptional<string>;
  declare searchKey: string;
  /** Sort keys of the names: see schemas/sort-key.ts. */
  declare lastNameKey: string;
  declare firstNameKey: string;
  /** Incremented by transactions that rely on the account: see services/locks/row-locks.ts. */
  declare lockVersion: CreationOptional<number>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
  /** The lock in force; null for none, absent unless the query selects it. */
  declare currentLock?: NonAttribute<LoginThrottle | null>;
  /** Reason why the last invitation wasn't sent, if known; absent unless `addInviteErrors` has set it. */
  declare inviteError?: NonAttribute<string | null>;
  /** Ways in which the person can sign in; absent unless `addSignInMethods` has set them. */
  declare signsIn?: NonAttribute<readonly SignInMethod[]>;
}

export const fullName = ({ firstName, lastName }: Pick<User, 'firstName' | 'lastName'>): string =>
  `${firstName} ${lastName}`;

/** Account of a session as plain values, which are never saved. An instance of the model takes longer to build. */
export type Account = Pick<User, 'id' | 'phoneKey' | 'passwordHash' | SessionField>;

export function initUser(sequelize: Sequelize): typeof User {
  return class extends User {}.init(
    {
      id: primaryKey(),
      ...attributeDefinitions(accountFields),
      phoneKey: { type: DataTypes.STRING(50) },
      passwordHash: { type: DataTypes.STRING(72), allowNull: false },
      initialPasswordExpiresAt: timestamp(),
      hasPassword: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: true },
      invitedAt: timestamp(),
      inviteState: { type: DataTypes.STRING(10) },
      mailFailedAt: timestamp(),
      emailConfirmedAt: timestamp(),
      mailOff: { type: DataTypes.STRING(100), allowNull: false, defaultValue: '' },
      searchKey: { type: DataTypes.STRING(searchKeyLength), allowNull: false },
      lastNameKey: { type: DataTypes.STRING(sortKeyLength(nameMaximum)), allowNull: false, defaultValue: '' },
      firstNameKey: { type: DataTypes.STRING(sortKeyLength(nameMaximum)), allowNull: false, defaultValue: '' },
      lockVersion: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      createdAt: { ...timestamp(), allowNull: false },
      updatedAt: { ...timestamp(), allowNull: false },
    },
    { sequelize, modelName: 'User', tableName: 'users' },
  );
}
