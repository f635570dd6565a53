import { Group } from '@mantine/core';
import type { TFunction } from 'i18next';
import { EmailText } from '../ui/email-text.js';
import { TextLink } from '../ui/links.js';
import type { Column } from '../ui/lists/data-table.js';
import { PersonAvatar } from '../ui/person-avatar.js';
import { nameOf } from '../ui/person-name.js';
import { Time } from '../ui/time.js';
import { type Account, AccountState } from './account-state.js';

export const sortKeys = ['createdAt', 'lastName', 'firstName', 'email', 'lastLogin'] as const;

export function peopleColumns(t: TFunction): Column<Account>[] {
  return [
    {
      id: 'name',
      header: t('field.name'),
      sortKey: 'lastName',
      render: (account) => (
        <Group gap="xs" wrap="nowrap">
          <PersonAvatar person={account} />
          <TextLink to="/people/$id" params={{ id: account.id }} data-opens-row>
            {nameOf(account)}
          </TextLink>
        </Group>
      ),
    },
    { id: 'email', header: t('field.email'), sortKey: 'email', render: ({ email }) => <EmailText email={email} /> },
    { id: 'phone', header: t('field.phone'), optional: true, render: ({ phone }) => <bdi dir="ltr">{phone}</bdi> },
    { id: 'role', header: t('field.role'), render: ({ role }) => t(`role.${role}`) },
    { id: 'state', header: t('field.status'), render: (account) => <AccountState account={account} /> },
    {
      id: 'lastLogin',
      header: t('field.lastLogin'),
      sortKey: 'lastLogin',
      render: ({ lastLogin }) => <Time at={lastLogin} relative />,
    },
    {
      id: 'invitedAt',
      header: t('people.state.invited'),
      optional: true,
      render: ({ invitedAt }) => <Time at={invitedAt} relative />,
    },
    {
      id: 'createdAt',
      header: t('field.createdAt'),
      sortKey: 'createdAt',
      optional: true,
      render: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      id: 'updatedAt',
      header: t('field.updatedAt'),
      optional: true,
      render: ({ updatedAt }) => <Time at={updatedAt} />,
    },
  ];
}
