import { Button, CloseButton, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { lazyPart } from '../ui/lazy.js';
import { TextLink } from '../ui/links.js';
import type { PersonDetails } from './person-form.js';

const AddToGroupDialog = lazyPart(async () => (await import('./add-to-group-dialog.js')).AddToGroupDialog);
const RemoveFromGroupDialog = lazyPart(
  async () => (await import('./remove-from-group-dialog.js')).RemoveFromGroupDialog,
);

type GroupName = ResponseBody<'showUser'>['groups'][number];

/** Groups of a person as chips, with buttons to leave and to add groups. */
export function PersonGroups({ user, groups }: { user: PersonDetails; groups: readonly GroupName[] }) {
  const { t } = useTranslation();
  const [adding, setAdding] = useState(false);
  const [left, setLeft] = useState<GroupName>();
  const selected = new Map([[user.id, user]]);
  return (
    <Group gap="xs" component="ul" className="plain-list" aria-label={t('nav.groups')}>
      {groups.map((group) => (
        <li key={group.id} className="chip">
          <TextLink to="/groups/$id" params={{ id: group.id }}>
            {group.name}
          </TextLink>
          <CloseButton
            size={24}
            aria-label={t('people.groups.remove', { group: group.name })}
            onClick={() => setLeft(group)}
          />
        </li>
      ))}
      <li>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => setAdding(true)}
        >
          {t('people.bulk.action.add_to_group')}
        </Button>
      </li>
      {adding && <AddToGroupDialog selected={selected} onClose={() => setAdding(false)} />}
      {left && <RemoveFromGroupDialog group={left} selected={selected} onClose={() => setLeft(undefined)} />}
    </Group>
  );
}
