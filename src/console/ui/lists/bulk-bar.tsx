import { ActionIcon, Button, CloseButton, Group, Menu, Paper, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormFailure } from '../forms/form-failure.js';
import type { PageInfo } from './pager.js';
import { maxSelected } from './selection.js';

interface BulkAction {
  key: string;
  label: string;
  /** Whether the action is separated from the others. */
  isDangerous?: boolean;
  isWorking?: boolean;
  onClick(): void;
}

interface BulkBarProps {
  count: number;
  /** Contains the number of matching rows. */
  pagination: PageInfo | undefined;
  /** The first two are buttons, the others are in a menu. */
  actions: readonly BulkAction[];
  onSelectAll(): Promise<void>;
  onClear(): void;
  /** Messages about the selection. */
  children?: ReactNode;
}

/** Bar of actions for the selected rows of a list; stays at the bottom of the window. */
export function BulkBar({ count, pagination, actions, onSelectAll, onClear, children }: BulkBarProps) {
  const { t } = useTranslation();
  const [reading, setReading] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const { totalItems = 0, totalItemsCapped = false } = pagination ?? {};
  const isTooMany = totalItems > maxSelected || totalItemsCapped;
  const ordinary = actions.filter(({ isDangerous }) => !isDangerous);
  const inMenu = ordinary.slice(2);
  const dangerous = actions.filter(({ isDangerous }) => isDangerous);

  async function selectAll(): Promise<void> {
    setReading(true);
    setFailure(undefined);
    await onSelectAll().catch(setFailure);
    setReading(false);
  }
  if (count === 0 && !children) return null;
  return (
    <Paper
      withBorder
      shadow="md"
      p="xs"
      component="section"
      aria-label={t('table.selection')}
      className="selection-bar"
    >
      <FormFailure>{failure}</FormFailure>
      <Group justify="space-between" gap="xs">
        <Group gap={6}>
          <CloseButton aria-label={t(count > 0 ? 'table.clearSelection' : 'action.close')} onClick={onClear} />
          <div role="status">
            {children}
            {count > 0 && (
              <Text size="sm" fw={600}>
                {t('table.selected', { count })}
              </Text>
            )}
            {count === 1 && (
              <Text size="xs" c="dimmed" visibleFrom="md">
                {t('table.selectRange')}
              </Text>
            )}
          </div>
          {totalItems > count && isTooMany && <Text size="sm">{t('table.tooManyMatch', { most: maxSelected })}</Text>}
          {totalItems > count && count > 0 && !isTooMany && (
            <Button variant="subtle" size="compact-sm" loading={reading} onClick={() => void selectAll()}>
              {t('table.selectMatching', { count: totalItems })}
            </Button>
          )}
        </Group>
        <Group gap={6}>
          {ordinary.slice(0, 2).map(({ key, label, isWorking = false, onClick }, index) => (
            <Button
              key={key}
              size="xs"
              px="xs"
              variant={index > 0 ? 'default' : 'filled'}
              loading={isWorking}
              onClick={onClick}
            >
              {label}
            </Button>
          ))}
          {inMenu.length + dangerous.length > 0 && (
            <Menu position="top-end">
              <Menu.Target>
                <ActionIcon size={30} variant="default" aria-label={t('action.more')}>
                  <IconDots size={18} aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                {inMenu.map(({ key, label, onClick }) => (
                  <Menu.Item key={key} onClick={onClick}>
                    {label}
                  </Menu.Item>
                ))}
                {inMenu.length > 0 && dangerous.length > 0 && <Menu.Divider />}
                {dangerous.map(({ key, label, onClick }) => (
                  <Menu.Item key={key} c="var(--mantine-color-error)" onClick={onClick}>
                    {label}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
        </Group>
      </Group>
    </Paper>
  );
}
