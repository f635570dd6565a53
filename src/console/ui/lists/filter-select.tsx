import { NativeSelect } from '@mantine/core';

interface FilterSelectProps<Value extends string> {
  label: string;
  /** What is chosen while nothing is filtered, such as "Any level"; without it one of the options always is. */
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
