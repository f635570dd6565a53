import { formatNumber } from '../i18n/format.js';

/** Number of active members of a group. The service counts at most 1,000; `1,000+` means more. */
export const memberCount = (group: { activeMembers: number; activeMembersCapped?: true }): string =>
  `${formatNumber(group.activeMembers)}${group.activeMembersCapped ? '+' : ''}`;
