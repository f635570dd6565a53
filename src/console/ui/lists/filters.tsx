import { Group, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';

/**
 * Search field and filters of a list. On a narrow screen they fill each line.
 * @param align `flex-end` if some fields have labels above them
 */
export function Filters({ align = 'center', children }: { align?: 'center' | 'flex-end'; children: ReactNode }) {
  return (
    <Group component="search" className="filters" align={align} gap="sm">
      {children}
    </Group>
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
