import { Button, Group, Stack } from '@mantine/core';
import { IconSchool } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, type ResponseBody } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { PeopleTable } from '../pickers/people-table.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { applySearchChange, type ListSearch } from '../ui/lists/list-search.js';
import { SearchField } from '../ui/lists/search-field.js';
import { readAll } from '../ui/lists/selection.js';
import { memberCount } from '../ui/member-count.js';
import { Empty } from '../ui/states.js';

export type Trainee = ResponseBody<'listAvailableTrainees'>['trainees'][number];
export type SelectedTrainees = ReadonlyMap<string, Trainee>;
type ListedGroup = ResponseBody<'listGroups'>['groups'][number];

interface AvailableTraineesProps {
  courseId: string;
  selected: SelectedTrainees;
  onChange(selected: SelectedTrainees): void;
}

/** Trainees who can be added to a course. The search finds groups, too: one press selects all members who can be added. */
export function AvailableTrainees({ courseId, selected, onChange }: AvailableTraineesProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useState<ListSearch>({ limit: 10 });
  const [group, setGroup] = useState<ListedGroup>();
  const { page, limit, search: text } = search;
  const query = useApi(
    'listAvailableTrainees',
    { query: { courseId, group: group?.id, search: text, page, limit } },
    { keepPrevious: true },
  );

  const find = (next: string | undefined) =>
    setSearch((before) => applySearchChange<ListSearch>(before, { search: next }));

  function showGroup(next: ListedGroup | undefined): void {
    setGroup(next);
    find(undefined);
  }
  return (
    <Stack gap="xs">
      <SearchField label={t('enrollments.assign.search')} value={text} onSearch={find} />
      <Groups
        courseId={courseId}
        text={text}
        pressed={group}
        onPress={(next, members) => {
          showGroup(next);
          onChange(new Map([...selected, ...members]));
        }}
        onRelease={(members) => {
          showGroup(undefined);
          onChange(new Map([...selected].filter(([id]) => !members.has(id))));
        }}
      />
      <PeopleTable<Trainee>
        label={t('enrollments.assign.available')}
        query={query}
        rows={query.data?.trainees}
        pagination={query.data?.pagination}
        search={search}
        onSearch={(change) => setSearch((before) => applySearchChange(before, change))}
        selection={{ selected, onChange }}
        filtered={text !== undefined}
        onClearFilters={() => find(undefined)}
        empty={
          <Empty
            message={group ? t('enrollments.assign.noneOf', { group: group.name }) : t('enrollments.assign.none')}
          />
        }
      />
    </Stack>
  );
}

/** Groups above the list. A search finds the others. */
const shownGroups = 6;

interface GroupsProps {
  courseId: string;
  text: string | undefined;
  pressed: ListedGroup | undefined;
  /** @param members all members who can be added */
  onPress(group: ListedGroup, members: SelectedTrainees): void;
  /** @param members members that the press selected */
  onRelease(members: SelectedTrainees): void;
}

function Groups({ courseId, text, pressed, onPress, onRelease }: GroupsProps) {
  const { t } = useTranslation();
  const [members, setMembers] = useState<SelectedTrainees>(new Map());
  const [loading, setLoading] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  const query = useApi('listGroups', { query: { search: text, limit: shownGroups } }, { keepPrevious: true });
  const found = query.data?.groups.filter(({ id, activeMembers }) => activeMembers > 0 && id !== pressed?.id) ?? [];
  const groups = pressed ? [pressed, ...found] : found;

  async function press(group: ListedGroup): Promise<void> {
    setFailure(undefined);
    if (group.id === pressed?.id) {
      onRelease(members);
      return;
    }
    setLoading(group.id);
    try {
      const read = await readAll(
        async (following) =>
          (await call('listAvailableTrainees', { query: { courseId, group: group.id, ...following } })).trainees,
      );
      setMembers(read);
      onPress(group, read);
    } catch (error) {
      setFailure(error);
    } finally {
      setLoading(undefined);
    }
  }
  if (groups.length === 0) return null;
  return (
    <>
      <FormFailure>{failure}</FormFailure>
      <Group gap="xs" role="group" aria-label={t('enrollments.assign.groups')}>
        {groups.map((group) => (
          <Button
            key={group.id}
            size="xs"
            radius="xl"
            className="wrapping"
            variant={group.id === pressed?.id ? 'filled' : 'default'}
            aria-pressed={group.id === pressed?.id}
            leftSection={<IconSchool size={16} aria-hidden />}
            loading={loading === group.id}
            disabled={loading !== undefined && loading !== group.id}
            onClick={() => void press(group)}
          >
            {t('enrollments.assign.group', { name: group.name, members: memberCount(group) })}
          </Button>
        ))}
      </Group>
    </>
  );
}
