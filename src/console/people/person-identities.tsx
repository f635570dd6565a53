import { Stack, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useApi, useChange } from '../api/queries.js';
import { IdentityList } from '../profile/identity-list.js';
import { nameOf } from '../ui/person-name.js';
import { resultOf } from '../ui/states.js';
import type { PersonListProps } from './person-enrollments.js';

/** Linked accounts of a person at the organisation; nothing if there are none. */
export function PersonIdentities({ user }: Pick<PersonListProps, 'user'>) {
  const { t } = useTranslation();
  const path = { id: user.id };
  const { data, failed } = resultOf(useApi('listUserIdentities', { path }));
  const name = useApi('showOidc', {}).data?.name;
  const remove = useChange('removeUserIdentity', ['listUserIdentities', 'listUserSessions', 'listAudit']);
  if (!data || data.identities.length === 0) return failed;
  return (
    <Stack gap="xs" maw={640}>
      <Title order={2} size="h4">
        {name ? t('profile.identities.title', { name }) : t('profile.identities.unnamed')}
      </Title>
      {failed}
      <IdentityList
        identities={data.identities}
        removeHint={(account) => t('people.identity.removeHint', { name: nameOf(user), account })}
        onRemove={(identityId) => remove.mutateAsync({ path: { ...path, identityId } })}
      />
    </Stack>
  );
}
