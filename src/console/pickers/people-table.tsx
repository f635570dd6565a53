import { Box, Group, Text } from '@mantine/core';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { EmailText } from '../ui/email-text.js';
import { type Column, DataTable } from '../ui/lists/data-table.js';
import { PersonAvatar } from '../ui/person-avatar.js';
import { nameOf } from '../ui/person-name.js';

interface Person {
  id: string;
  firstName: string;
  lastName: string;
  email: string;
  avatar: string | null;
}

type PeopleTableProps<P extends Person> = Required<Pick<ComponentProps<typeof DataTable<P>>, 'selection'>> &
  Omit<ComponentProps<typeof DataTable<P>>, 'columns' | 'rowKey' | 'rowName'>;

/** Table in a dialog to select people by name, email and image. A person is two lines high in every window. */
export function PeopleTable<P extends Person>(props: PeopleTableProps<P>) {
  const { t } = useTranslation();
  const columns: readonly Column<P>[] = [
    {
      id: 'name',
      header: t('field.name'),
      fixedOrder: 'ascending',
      render: (person) => (
        <Group gap="xs" wrap="nowrap">
          <PersonAvatar person={person} />
          <Box miw={0}>
            <Text size="sm">{nameOf(person)}</Text>
            <Text size="xs" c="dimmed">
              <EmailText email={person.email} />
            </Text>
          </Box>
        </Group>
      ),
    },
  ];
  return <DataTable<P> {...props} columns={columns} rowKey={({ id }) => id} rowName={nameOf} />;
}
