import { Group, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';

/**
 * What a list is searched and filtered by. On a narrow screen each line of them is as wide as the page.
 * @param align where some have labels above them, `flex-end` aligns the fields
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
  /** Label of no choice, such as "Any level"; without it, one of the options is always chosen. */
  any?: string;
  options: readonly { value: Value; label: string }[];
  value: Value | undefined;
  onChange(value: Value | undefined): void;
}

/** Filters a list by one of a few values. */
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
