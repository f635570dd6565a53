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
import { groupNameMaximum, sortKeyLength } from '../../schemas/sort-key.js';
import { id, primaryKey, timestamp } from './columns.js';

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
  /** Incremented by transactions that change the members: see services/locks/row-locks.ts. */
  declare lockVersion: CreationOptional<number>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
  /** Number of active members; absent unless `addMemberCounts` has set it. */
  declare activeMembers?: NonAttribute<number>;
  /** Whether there are more active members than this number. */
  declare activeMembersCapped?: NonAttribute<boolean>;
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
    },
    { sequelize, modelName: 'GroupMember', tableName: 'group_members', timestamps: false },
  );
}
