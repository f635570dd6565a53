import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Operations } from '../../../examples/api-types.js';
import { useMailSetUp } from '../api/mail.js';
import { useSignInWays } from '../api/sign-in-ways.js';
import { GroupFilter } from '../pickers/group-filter.js';
import { FilterSelect, Filters } from '../ui/lists/filters.js';
import { booleanOf, countFilters, type ListSearch, oneOf, type SearchChange } from '../ui/lists/list-search.js';
import { SearchField } from '../ui/lists/search-field.js';

export type PeopleSearch = ListSearch<
  'role' | 'isActive' | 'requiresPasswordChange' | 'locked' | 'invited' | 'signsIn' | 'group' | 'create'
>;

const roles = ['super_admin', 'trainer', 'trainee'] as const;
const waysToSignIn = ['password', 'oidc', 'none'] as const;
const invitations = ['no', 'queued', 'sent', 'failed', 'accepted'] as const;

export type PeopleFilter = Omit<NonNullable<Operations['exportUsers']['parameters']['query']>, 'format' | 'fields'>;

/** Converts the filters of the URL to parameters of the service. */
export function filterOf({
  search,
  role,
  isActive,
  requiresPasswordChange,
  locked,
  invited,
  signsIn,
  group,
}: PeopleSearch): PeopleFilter {
  const all = {
    search,
    role: oneOf(roles, role),
    isActive: booleanOf(isActive),
    requiresPasswordChange: booleanOf(requiresPasswordChange),
    locked: booleanOf(locked),
    invited: oneOf(invitations, invited),
    signsIn: oneOf(waysToSignIn, signsIn),
    group,
  };
  // Removes undefined values. The cast is safe, because the keys stay.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as PeopleFilter;
}

export const noFilters = {
  search: undefined,
  role: undefined,
  isActive: undefined,
  requiresPasswordChange: undefined,
  locked: undefined,
  invited: undefined,
  signsIn: undefined,
  group: undefined,
};

interface PeopleFiltersProps {
  /** Whether all listed people are members of one group. */
  inGroup: boolean;
  search: PeopleSearch;
  onSearch(change: SearchChange<PeopleSearch>): void;
  filtered: boolean;
}

export function PeopleFilters({ inGroup, search, onSearch, filtered }: PeopleFiltersProps) {
  const { t } = useTranslation();
  const isMailSetUp = useMailSetUp();
  const { name: organisation } = useSignInWays();
  const yesOrNo = (yes: string, no: string) => [
    { value: 'true', label: yes },
    { value: 'false', label: no },
  ];
  return (
    <Filters
      active={countFilters({ ...filterOf(search), search: undefined })}
      search={
        <SearchField
          label={t('people.searchLabel')}
          value={search.search}
          onSearch={(text) => onSearch({ search: text })}
        />
      }
    >
      <FilterSelect
        label={t('field.role')}
        value={search.role}
        any={t('people.any.role')}
        options={roles.map((role) => ({ value: role, label: t(`role.${role}`) }))}
        onChange={(role) => onSearch({ role })}
      />
      <FilterSelect
        label={t('people.filter.active')}
        value={search.isActive}
        any={t('people.any.active')}
        options={yesOrNo(t('people.state.active'), t('people.state.inactive'))}
        onChange={(isActive) => onSearch({ isActive })}
      />
      <FilterSelect
        label={t('people.filter.password')}
        value={search.requiresPasswordChange}
        any={t('people.any.password')}
        options={yesOrNo(t('people.state.initialPassword'), t('people.state.ownPassword'))}
        onChange={(requiresPasswordChange) => onSearch({ requiresPasswordChange })}
      />
      <FilterSelect
        label={t('people.filter.locked')}
        value={search.locked}
        any={t('people.any.locked')}
        options={yesOrNo(t('people.state.locked'), t('people.state.notLocked'))}
        onChange={(locked) => onSearch({ locked })}
      />
      {!inGroup && (
        <GroupFilter
          placeholder={t('people.any.group')}
          value={search.group}
          onChange={(group) => onSearch({ group })}
        />
      )}
      {(isMailSetUp || search.invited !== undefined) && (
        <FilterSelect
          label={t('people.invitation.title')}
          value={search.invited}
          any={t('people.any.invited')}
          options={invitations.map((invited) => ({ value: invited, label: t(`people.filter.invited.${invited}`) }))}
          onChange={(invited) => onSearch({ invited })}
        />
      )}
      {(organisation !== null || search.signsIn !== undefined) && (
        <FilterSelect
          label={t('people.filter.signsIn')}
          value={search.signsIn}
          any={t('people.any.signsIn')}
          options={waysToSignIn.map((way) => ({ value: way, label: t(`people.filter.signsInBy.${way}`) }))}
          onChange={(signsIn) => onSearch({ signsIn })}
        />
      )}
      {filtered && (
        <Button variant="subtle" onClick={() => onSearch(noFilters)}>
          {t('action.clear')}
        </Button>
      )}
    </Filters>
  );
}
