import { Button, Group, Menu, Paper, Text } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useMailSetUp } from '../api/mail.js';
import { type BulkAction, bulkActions, countOf, maxAccounts, type Selected } from './bulk-actions.js';

interface SelectionBarProps {
  selected: Selected;
  /** Accounts that match the filter. */
  matching: number;
  onSelectMatching(): void;
  onClear(): void;
  onAct(action: BulkAction): void;
}

/** What is selected, and what can be done with it. */
export function SelectionBar({ selected, matching, onSelectMatching, onClear, onAct }: SelectionBarProps) {
  const { t } = useTranslation();
  const isMailSetUp = useMailSetUp();
  const count = countOf(selected);
  if (count === 0) return null;
  return (
    <Paper
      withBorder
      shadow="md"
      p="xs"
      component="section"
      aria-label={t('people.bulk.bar')}
      className="selection-bar"
    >
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text size="sm" fw={600} role="status">
            {t('people.bulk.selected', { count })}
          </Text>
          {selected.kind === 'accounts' && matching > count && matching <= maxAccounts && (
            <Button variant="subtle" size="compact-sm" onClick={onSelectMatching}>
              {t('people.bulk.selectMatching', { count: matching })}
            </Button>
          )}
          {selected.kind === 'accounts' && matching > maxAccounts && (
            <Text size="sm">{t('people.bulk.tooManyMatch', { most: maxAccounts })}</Text>
          )}
          <Button variant="subtle" size="compact-sm" onClick={onClear}>
            {t('table.clearSelection')}
          </Button>
        </Group>
        <Menu position="top-end">
          <Menu.Target>
            <Button size="sm" rightSection={<IconChevronDown size={16} aria-hidden />}>
              {t('people.bulk.actions')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {bulkActions
              .filter((action) => isMailSetUp || action !== 'invite')
              .map((action) => (
                <Menu.Item key={action} onClick={() => onAct(action)}>
                  {t(`people.bulk.action.${action}`)}
                </Menu.Item>
              ))}
          </Menu.Dropdown>
        </Menu>
      </Group>
    </Paper>
  );
}
