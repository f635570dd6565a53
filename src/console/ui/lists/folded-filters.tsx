import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';

/** Filters that a narrow screen shows only after a press of a button. @param active number of filters in use */
export function FoldedFilters({ active, children }: { active: number; children: ReactNode }) {
  const { t } = useTranslation();
  const [opened, { toggle }] = useDisclosure();
  const id = useId();
  return (
    <>
      <Button
        variant="default"
        hiddenFrom="sm"
        leftSection={<IconFilter size={16} aria-hidden />}
        aria-expanded={opened}
        aria-controls={id}
        onClick={toggle}
      >
        {active === 0 ? t('action.filters') : t('action.filtersInUse', { count: active })}
      </Button>
      <Group id={id} className="folded-filters" gap="sm" {...(!opened && { visibleFrom: 'sm' })}>
        {children}
      </Group>
    </>
  );
}
