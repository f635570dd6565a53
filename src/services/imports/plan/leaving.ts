import { Op, type Transaction } from 'sequelize';
import type { Enrollment } from '../../../db/models/enrollment.js';
import type { GroupMember } from '../../../db/models/group.js';
import type { User } from '../../../db/models/user.js';
import { openStatuses } from '../../../schemas/enrollment-statuses.js';
import type { ImportOptions } from '../../../schemas/import.js';
import type { Core } from '../../core.js';

/** A member of a roster who is no longer in its file, with the effects of leaving. */
export interface Leaving {
  user: User;
  /** Open enrollments that only this roster has made: they are cancelled. */
  ended: readonly Enrollment[];
  /** Ids of all enrollments that the roster has made. */
  made: readonly string[];
  /** Whether the account becomes inactive. */
  isDeactivated: boolean;
}

/**
 * Returns the effects of leaving a roster on members whom files added. Others of the given people stay, and aren't returned.
 * @param transaction transaction that has locked the accounts and the group; absent for a plan
 */
export async function readLeaving(
  core: Core,
  groupId: string,
  userId: readonly string[],
  { onLeave }: Pick<ImportOptions, 'onLeave'>,
  transaction?: Transaction,
): Promise<Leaving[]> {
  const { Enrollment, GroupEnrollment, GroupMember, User } = core.database.models;
  const within = transaction ? { transaction } : {};
  const read = async (): Promise<Leaving[]> => {
    const members = await GroupMember.findAll({ where: { groupId, userId: [...userId], source: 'file' }, ...within });
    const ids = members.map((member) => member.userId);
    const users = await User.findAll({ where: { id: ids }, order: ['id'], ...within });
    const enrollments = await Enrollment.findAll({
      where: { userId: ids, status: openStatuses },
      order: ['id'],
      ...within,
      ...(transaction && { lock: transaction.LOCK.UPDATE }),
    });
    const made = await GroupEnrollment.findAll({
      where: { groupId },
      include: { model: Enrollment, as: 'enrollment', attributes: ['userId'], required: true, where: { userId: ids } },
      ...within,
    });
    const enrollmentId = made.map((one) => one.enrollmentId);
    const madeByOthers = await GroupEnrollment.findAll({
      where: { enrollmentId, groupId: { [Op.ne]: groupId } },
      ...within,
    });
    const otherGroups = await GroupMember.findAll({
      attributes: ['userId'],
      where: { userId: ids, groupId: { [Op.ne]: groupId } },
      ...within,
    });
    const isKept = new Set(madeByOthers.map((one) => one.enrollmentId));
    const isMade = new Set(enrollmentId);
    const isElsewhere = new Set(otherGroups.map((one) => one.userId));
    const byUser = new Map(members.map((member) => [member.userId, member]));
    return users.map((user) => {
      const open = enrollments.filter((one) => one.userId === user.id);
      const ended = open.filter(({ id }) => isMade.has(id) && !isKept.has(id));
      const isNeeded = isElsewhere.has(user.id) || ended.length < open.length;
      return {
        user,
        ended,
        made: made.flatMap((one) => (one.enrollment.userId === user.id ? [one.enrollmentId] : [])),
        isDeactivated: onLeave === 'deactivate' && !isNeeded && mayDeactivate(user, byUser.get(user.id)),
      };
    });
  };
  return transaction ? read() : core.database.read(read);
}

/** Whether the roster created the account, and the account is an active trainee's. */
const mayDeactivate = ({ role, isActive }: User, member: GroupMember | undefined): boolean =>
  member?.createdAccount === true && role === 'trainee' && isActive;
