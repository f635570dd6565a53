import { Combobox, Loader, Modal, Text, TextInput, useCombobox, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormFailure } from '../ui/forms/form-failure.js';
import { useResults } from './results.js';

interface FindDialogProps {
  opened: boolean;
  onClose(): void;
}

/** Dialog that finds people, courses, pages and actions. */
export function FindDialog({ opened, onClose }: FindDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('find.title')}
      size="lg"
      yOffset="8dvh"
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <FindResults onClose={onClose} />
    </Modal>
  );
}

function FindResults({ onClose }: { onClose(): void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const [searched] = useDebouncedValue(text, 250);
  const { groups, isPending, error } = useResults(text, searched);
  const combobox = useCombobox({ opened: true });
  /** Id of the first result while it is selected without a key. */
  const [firstId, setFirstId] = useState<string>();
  const results = groups.flatMap((group) => group.results);
  const keys = results.map(({ key }) => key).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each list of results
  useEffect(() => setFirstId(combobox.selectFirstOption() ?? undefined), [keys]);

  function choose(key: string): void {
    const target = results.find((one) => one.key === key)?.target;
    if (!target) return;
    onClose();
    void navigate(target);
  }
  const summary = isPending ? t('state.loading') : t('find.count', { count: results.length });
  return (
    <Combobox store={combobox} onOptionSubmit={choose}>
      <Combobox.EventsTarget withExpandedAttribute {...(firstId !== undefined && { 'aria-activedescendant': firstId })}>
        <TextInput
          data-autofocus
          aria-label={t('find.label')}
          placeholder={t('find.label')}
          leftSection={<IconSearch size={18} aria-hidden />}
          rightSection={isPending && <Loader size={16} />}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={({ key }: KeyboardEvent) => {
            if (key === 'ArrowDown' || key === 'ArrowUp') setFirstId(undefined);
            // The list has no dropdown that Escape could close first.
            if (key === 'Escape') onClose();
          }}
        />
      </Combobox.EventsTarget>
      <FormFailure>{error}</FormFailure>
      <VisuallyHidden role="status">{summary}</VisuallyHidden>
      <Combobox.Options aria-label={t('find.results')} className="find-results">
        {groups.map((group) => (
          <Combobox.Group key={group.key} label={t(`find.group.${group.key}`)}>
            {group.results.map(({ key, label, hint, icon: Icon }) => (
              <Combobox.Option key={key} value={key}>
                <Icon size={18} aria-hidden />
                <span>
                  {label}
                  {hint !== undefined && <span className="option-hint">{hint}</span>}
                </span>
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
      </Combobox.Options>
      {results.length === 0 && !isPending && (
        <Text c="dimmed" size="sm" ta="center" py="lg">
          {t('state.noMatchOf', { text })}
        </Text>
      )}
    </Combobox>
  );
}
