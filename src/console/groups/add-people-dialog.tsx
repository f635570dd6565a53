import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { useApi, useChange } from '../api/queries.js';
import type { Outcome } from '../people/bulk-actions.js';
import { Outcomes } from '../people/bulk-outcomes.js';
import { maxMemberChanges, outcomesOfAdding } from '../people/memberships.js';
import { PasteEmails } from '../pickers/paste-emails.js';
import { PeopleTable } from '../pickers/people-table.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';
import { applySearchChange, type ListSearch } from '../ui/lists/list-search.js';
import { SearchField } from '../ui/lists/search-field.js';
import { useNarrowWindow } from '../ui/narrow-window.js';
import { notifyDone } from '../ui/notify.js';
import type { GroupDetails } from './group-form-dialog.js';

type Person = ResponseBody<'findUsersByEmail'>['users'][number];

interface AddPeopleDialogProps {
  group: GroupDetails;
  opened: boolean;
  onClose(): void;
}

/** Adds people to a group: selected ones of a list, or those with pasted emails. */
export function AddPeopleDialog({ group, opened, onClose }: AddPeopleDialogProps) {
  const { t } = useTranslation();
  const isNarrow = useNarrowWindow();
  const [dirty, setDirty] = useState(false);
  function close(): void {
    setDirty(false);
    onClose();
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="xl"
      fullScreen={isNarrow}
      closeOnClickOutside={!dirty}
      closeOnEscape={!dirty}
      title={t('groups.add.title', { name: group.name })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <AddPeople group={group} isOpen={opened} onDirty={() => setDirty(true)} onClose={close} />
    </Modal>
  );
}

interface AddPeopleProps extends Omit<AddPeopleDialogProps, 'opened'> {
  isOpen: boolean;
  /** Called when the user selects or types something. */
  onDirty(): void;
}

function AddPeople({ group, isOpen, onDirty, onClose }: AddPeopleProps) {
  const { t } = useTranslation();
  const [selected, setSelected] = useState<ReadonlyMap<string, Person>>(new Map());
  const [result, setResult] = useState<readonly Outcome[]>();
  const change = useChange('changeMembers');
  const lookup = useChange('findUsersByEmail', []);
  const form = useApiForm({
    initialValues: {},
    async submit() {
      const ids = [...selected.keys()];
      const outcomes: Outcome[] = [];
      for (let begin = 0; begin < ids.length; begin += maxMemberChanges) {
        const body = { add: ids.slice(begin, begin + maxMemberChanges) };
        const response = await change.mutateAsync({ path: { id: group.id }, body });
        outcomes.push(...outcomesOfAdding(response.outcomes, t));
      }
      const count = outcomes.filter(({ outcome }) => outcome === 'done').length;
      if (count > 0) notifyDone(t('people.groups.added', { count, group: group.name }));
      if (count === outcomes.length) onClose();
      else setResult(outcomes);
    },
  });
  const count = selected.size;
  useUnsavedGuard(isOpen && count > 0 && !change.isSuccess, [t('table.selected', { count })]);

  async function find(emails: readonly string[]) {
    const { users, unknown } = await lookup.mutateAsync({ body: { emails: [...emails] } });
    setSelected((before) => new Map([...before, ...users.map((one) => [one.id, one] as const)]));
    return { found: users.length, unknown };
  }
  if (result)
    return (
      <Stack>
        <Outcomes outcomes={result} label={t('people.bulk.result')} tense="past" />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('action.close')}</Button>
        </Group>
      </Stack>
    );
  return (
    <form onSubmit={form.onSubmit} onChange={onDirty} noValidate>
      <Stack>
        <FormFailure>{form.failure}</FormFailure>
        <PasteEmails onFind={find} unknownText={(unknown) => t('groups.add.unknown', { count: unknown })} />
        <Everybody selected={selected} onChange={setSelected} />
        <Group justify="space-between" className="sticky-actions">
          <Text size="sm" c="dimmed" role="status">
            {count > 0 && t('table.selected', { count })}
          </Text>
          <Group>
            <Button variant="default" onClick={onClose} disabled={form.submitting}>
              {t('action.cancel')}
            </Button>
            <Button type="submit" loading={form.submitting} disabled={count === 0}>
              {t('enrollments.assign.submit', { count })}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

interface EverybodyProps {
  selected: ReadonlyMap<string, Person>;
  onChange(selected: ReadonlyMap<string, Person>): void;
}

function Everybody({ selected, onChange }: EverybodyProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useState<ListSearch>({ limit: 10 });
  const { page, limit, search: text } = search;
  const query = useApi(
    'listUsers',
    { query: { search: text, sortBy: 'lastName', sortOrder: 'ASC', page, limit } },
    { keepPrevious: true },
  );
  return (
    <Stack gap="xs">
      <SearchField
        label={t('groups.add.search')}
        value={text}
        onSearch={(next) => setSearch((before) => applySearchChange<ListSearch>(before, { search: next }))}
      />
      <PeopleTable<Person>
        label={t('groups.add.people')}
        query={query}
        rows={query.data?.users}
        pagination={query.data?.pagination}
        search={search}
        onSearch={(next) => setSearch((before) => applySearchChange(before, next))}
        selection={{ selected, onChange }}
        filtered={text !== undefined}
        onClearFilters={() => setSearch((before) => applySearchChange<ListSearch>(before, { search: undefined }))}
      />
    </Stack>
  );
}
