import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface SearchFieldProps {
  label: string;
  value: string | undefined;
  onSearch(text: string | undefined): void;
}

/** Search field; calls `onSearch` 300 ms after the last key. */
export function SearchField({ label, value = '', onSearch }: SearchFieldProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  /** Last searched text; the user may have typed more since. */
  const sent = useRef(value);
  const search = useDebouncedCallback((next: string) => {
    sent.current = next.trim();
    onSearch(sent.current || undefined);
  }, 300);
  // The URL may also change by Back or by clearing the filters.
  useEffect(() => {
    if (value !== sent.current) {
      search.cancel();
      setText(value);
    }
    sent.current = value;
  }, [value, search]);
  const input = useRef<HTMLInputElement>(null);

  function clear(): void {
    search.cancel();
    setText('');
    // The focused button disappears, so the input gets the focus.
    input.current?.focus();
    if (sent.current === '') return;
    sent.current = '';
    onSearch(undefined);
  }

  return (
    <TextInput
      ref={input}
      type="search"
      aria-keyshortcuts="/"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text !== '' && <CloseButton size={24} aria-label={t('action.clearOne', { name: label })} onClick={clear} />
      }
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        search(currentTarget.value);
      }}
      miw={220}
    />
  );
}
