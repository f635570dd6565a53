import {
  IconBook2,
  IconChartBar,
  IconClipboardList,
  IconFileImport,
  IconHistory,
  IconMail,
  IconSchool,
  IconUsers,
} from '@tabler/icons-react';
import type { Role } from './session.js';

/** Navigation entries of all roles, in this order. */
const entries = [
  { to: '/', label: 'nav.overview', icon: IconChartBar, roles: ['super_admin', 'trainer'] },
  { to: '/', label: 'nav.learning', icon: IconSchool, roles: ['trainee'] },
  { to: '/people', label: 'nav.people', icon: IconUsers, roles: ['super_admin'] },
  { to: '/groups', label: 'nav.groups', icon: IconSchool, roles: ['super_admin'] },
  { to: '/imports', label: 'nav.imports', icon: IconFileImport, roles: ['super_admin'] },
  { to: '/courses', label: 'nav.courses', icon: IconBook2, roles: ['super_admin', 'trainer'] },
  { to: '/catalogue', label: 'nav.catalogue', icon: IconBook2, roles: ['trainee'] },
  { to: '/enrollments', label: 'nav.enrollments', icon: IconClipboardList, roles: ['super_admin', 'trainer'] },
  { to: '/mail', label: 'nav.mail', icon: IconMail, roles: ['super_admin'] },
  { to: '/audit', label: 'nav.audit', icon: IconHistory, roles: ['super_admin'] },
] as const;

/** Returns the entries for a role. Without mail, leaves out the page of mails, which would be empty. */
export const navigationOf = (role: Role, hasMail: boolean) =>
  entries.filter(({ to, roles }) => roles.some((one) => one === role) && (to !== '/mail' || hasMail));
