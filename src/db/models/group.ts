import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';
import type { MemberSource } from '../../schemas/group.js';
import { searchKeyLength } from '../../schemas/keys.js';
import type { RosterDetails } from '../../schemas/roster.js';
import { groupNameMaximum, sortKeyLength } from '../../schemas/sort-key.js';
import { id, primaryKey, timestamp } from './columns.js';
import type { Enrollment } from './enrollment.js';

/** People who are listed, enrolled and exported together. */
export class Group extends Model<InferAttributes<Group>, InferCreationAttributes<Group>> {
  declare id: string;
  declare name: string;
  /** Unique form of the name: see `comparableTitle` in services/courses/find-course.ts. */
  declare nameKey: string;
  /** See schemas/sort-key.ts. */
  declare sortKey: string;
  declare searchKey: string;
  declare note: string | null;
  /** Options and last rejected rows of a roster: see services/groups/rosters.ts. Null for other groups. */
  declare syncJson: CreationOptional<string | null>;
  declare syncedAt: CreationOptional<Date | null>;
  /** The last sync, if it was held. */
  declare heldJson: CreationOptional<string | null>;
  /** Incremented by transactions that change the members: see services/locks/row-locks.ts. */
  declare lockVersion: CreationOptional<number>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
  /** Number of active members; absent unless `addMemberCounts` has set it. */
  declare activeMembers?: NonAttribute<number>;
  /** Whether there are more active members than this number. */
  declare activeMembersCapped?: NonAttribute<boolean>;
  /** Null for a group that was never synchronised; absent unless `addRoster` has set it. */
  declare roster?: NonAttribute<RosterDetails | null>;
}

/** Column of the name's key, in characters: capitals of a letter can be three letters. */
const nameKeyLength = 3 * groupNameMaximum;

export function initGroup(sequelize: Sequelize): typeof Group {
  return class extends Group {}.init(
    {
      id: primaryKey(),
      name: { type: DataTypes.STRING(groupNameMaximum), allowNull: false },
      nameKey: { type: DataTypes.STRING(nameKeyLength), allowNull: false },
      sortKey: { type: DataTypes.STRING(sortKeyLength(groupNameMaximum)), allowNull: false },
      searchKey: { type: DataTypes.STRING(searchKeyLength), allowNull: false },
      note: { type: DataTypes.TEXT },
      syncJson: { type: DataTypes.TEXT('medium') },
      syncedAt: timestamp(),
      heldJson: { type: DataTypes.TEXT },
      lockVersion: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
      createdAt: { ...timestamp(), allowNull: false },
      updatedAt: { ...timestamp(), allowNull: false },
    },
    { sequelize, modelName: 'Group', tableName: 'groups' },
  );
}

/** Membership of an account in a group. */
export class GroupMember extends Model<InferAttributes<GroupMember>, InferCreationAttributes<GroupMember>> {
  declare groupId: string;
  declare userId: string;
  declare source: MemberSource;
  declare addedAt: Date;
  /** Whether a sync of the group created the account. */
  declare createdAccount: CreationOptional<boolean>;
  /** The group, if it was read too. */
  declare group: NonAttribute<Group>;
}

export function initGroupMember(sequelize: Sequelize): typeof GroupMember {
  return class extends GroupMember {}.init(
    {
      groupId: { ...id(), primaryKey: true, allowNull: false },
      userId: { ...id(), primaryKey: true, allowNull: false },
      source: { type: DataTypes.STRING(10), allowNull: false },
      addedAt: { ...timestamp(), allowNull: false },
      createdAccount: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
    },
    { sequelize, modelName: 'GroupMember', tableName: 'group_members', timestamps: false },
  );
}

/** A member whom a sync took out of its group. */
export class FormerMember extends Model<InferAttributes<FormerMember>, InferCreationAttributes<FormerMember>> {
  declare groupId: string;
  declare userId: string;
  declare addedAt: Date;
  declare leftAt: Date;
  declare createdAccount: boolean;
  /** Whether the sync deactivated the account, and nobody has activated it since. */
  declare deactivated: boolean;
}

export function initFormerMember(sequelize: Sequelize): typeof FormerMember {
  return class extends FormerMember {}.init(
    {
      groupId: { ...id(), primaryKey: true, allowNull: false },
      userId: { ...id(), primaryKey: true, allowNull: false },
      addedAt: { ...timestamp(), allowNull: false },
      leftAt: { ...timestamp(), allowNull: false },
      createdAccount: { type: DataTypes.BOOLEAN, allowNull: false },
      deactivated: { type: DataTypes.BOOLEAN, allowNull: false },
    },
    { sequelize, modelName: 'FormerMember', tableName: 'former_members', timestamps: false },
  );
}

/** An enrollment that a roster has made. */
export class GroupEnrollment extends Model<InferAttributes<GroupEnrollment>, InferCreationAttributes<GroupEnrollment>> {
  declare enrollmentId: string;
  declare groupId: string;
  /** The enrollment, if it was read too. */
  declare enrollment: NonAttribute<Enrollment>;
}

export function initGroupEnrollment(sequelize: Sequelize): typeof GroupEnrollment {
  return class extends GroupEnrollment {}.init(
    {
      enrollmentId: { ...id(), primaryKey: true, allowNull: false },
      groupId: { ...id(), primaryKey: true, allowNull: false },
    },
    { sequelize, modelName: 'GroupEnrollment', tableName: 'group_enrollments', timestamps: false },
  );
}
