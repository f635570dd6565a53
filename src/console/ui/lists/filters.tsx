import { Button, Group, NativeSelect } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';

interface FiltersProps {
  /** Search field, visible in every window. */
  search?: ReactNode;
  /** Number of filters in use, for the button that shows them in a narrow window. Absent for a single filter, which is always visible. */
  active?: number;
  /** `flex-end` if some fields have labels above them. */
  align?: 'center' | 'flex-end';
  children: ReactNode;
}

/** Search field and filters of a list. On a narrow screen they fill each line. */
export function Filters({ search, active, align = 'center', children }: FiltersProps) {
  return (
    <Group component="search" className="filters" align={align} gap="sm">
      {search}
      {active === undefined ? (
        children
      ) : (
        <FoldedFilters active={active} align={align}>
          {children}
        </FoldedFilters>
      )}
    </Group>
  );
}

/** Filters that a narrow window shows only after a press of a button. */
function FoldedFilters({ active, align, children }: Required<Omit<FiltersProps, 'search'>>) {
  const { t } = useTranslation();
  const [opened, { toggle }] = useDisclosure();
  const id = useId();
  return (
    <>
      <Button
        variant="default"
        hiddenFrom="md"
        leftSection={<IconFilter size={16} aria-hidden />}
        aria-expanded={opened}
        aria-controls={id}
        onClick={toggle}
      >
        {active === 0 ? t('action.filters') : t('action.filtersInUse', { count: active })}
      </Button>
      <Group id={id} className="folded-filters" align={align} gap="sm" {...(!opened && { visibleFrom: 'md' })}>
        {children}
      </Group>
    </>
  );
}

interface FilterSelectProps<Value extends string> {
  label: string;
  /** Label for no choice, such as "Any level"; if absent, an option is always chosen. */
  any?: string;
  options: readonly { value: Value; label: string }[];
  value: Value | undefined;
  onChange(value: Value | undefined): void;
}

export function FilterSelect<Value extends string>({ label, any, options, value, onChange }: FilterSelectProps<Value>) {
  return (
    <NativeSelect
      aria-label={label}
      data={[...(any === undefined ? [] : [{ value: '', label: any }]), ...options]}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(options.find((option) => option.value === currentTarget.value)?.value)}
    />
  );
}
