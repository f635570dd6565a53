import { AppError } from '../../errors.js';

export const superAdminRefusal = (): AppError =>
  new AppError('SUPER_ADMIN_PROTECTED', "The super admin can't be a member of a group.");

/** Maximum numbers of groups, of members of a group, and of groups of a person. */
export const groupLimits = { groups: 2000, members: 100_000, ofPerson: 50 };

const sentences: Readonly<Record<keyof typeof groupLimits, (most: string) => string>> = {
  groups: (most) => `There can be at most ${most} groups. Delete some first.`,
  members: (most) => `A group can have at most ${most} members.`,
  ofPerson: (most) => `A person can be in at most ${most} groups.`,
};

export function groupLimitError(limit: keyof typeof groupLimits): AppError {
  const max = groupLimits[limit];
  return new AppError('GROUP_LIMIT', sentences[limit](max.toLocaleString('en-US')), { params: { max } });
}

/** Returns the refusal of one more membership, if the person has too many groups, or the group too many members. */
export function membershipRefusal(groupsOfPerson: number, members: number): AppError | undefined {
  if (groupsOfPerson >= groupLimits.ofPerson) return groupLimitError('ofPerson');
  return members >= groupLimits.members ? groupLimitError('members') : undefined;
}
