import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface DateFilterProps {
  label: string;
  /** Day as `YYYY-MM-DD`. */
  value: string | undefined;
  /** Latest allowed day. */
  max?: string | undefined;
  /** Earliest allowed day. */
  min?: string | undefined;
  onChange(day: string | undefined): void;
}

/** Whether the year is complete: while a user types 2026, the field has the years 2, 20 and 202. */
const isFull = (day: string) => /^(19|[2-9]\d)\d\d-\d\d-\d\d$/.test(day);

/** Filters a list by a day, 300 ms after the last key; ignores incomplete days. */
export function DateFilter({ label, value = '', min, max = '9999-12-31', onChange }: DateFilterProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  const [incomplete, setIncomplete] = useState(false);
  /** Last filtered day; the user may have typed another day since. */
  const sent = useRef(value);
  const send = useDebouncedCallback((day: string) => {
    if (day === sent.current || (day !== '' && !isFull(day))) return;
    sent.current = day;
    onChange(day || undefined);
  }, 300);
  // The URL may also change by Back or by clearing the filters.
  useEffect(() => {
    if (value !== sent.current) {
      send.cancel();
      setText(value);
      setIncomplete(false);
    }
    sent.current = value;
  }, [value, send]);
  return (
    <TextInput
      type="date"
      label={label}
      value={text}
      min={min}
      max={max}
      error={incomplete && t('audit.filter.incomplete')}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        setIncomplete(false);
        send(currentTarget.value);
      }}
      onBlur={({ currentTarget }) => {
        send.flush();
        setIncomplete(currentTarget.validity.badInput || (text !== '' && !isFull(text)));
      }}
    />
  );
}
