import { Button, Group, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { inputFields } from '../api/account-fields.js';
import { call, type ResponseBody } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { AccountInputs, changesBetween, valuesOf } from '../ui/forms/account-inputs.js';
import { useEditForm } from '../ui/forms/edit-form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { Time } from '../ui/time.js';

export type PersonDetails = ResponseBody<'showUser'>['user'];

type Fields = Pick<PersonDetails, (typeof inputFields.update)[number]>;

export function PersonForm({ user }: { user: PersonDetails }) {
  const { t } = useTranslation();
  const update = useChange('updateUser');
  const path = { id: user.id };
  const form = useEditForm({
    source: user,
    valuesOf: (person: PersonDetails) => valuesOf(person, inputFields.update),
    changesOf: changesBetween<Fields>,
    labelOf: (name) => t(`field.${name}`),
    read: async () => (await call('showUser', { path })).user,
    save: async (body) => (await update.mutateAsync({ path, body })).user,
  });

  return (
    <form onSubmit={form.onSubmit} noValidate>
      <Stack maw={720}>
        <FormFailure>{form.failure}</FormFailure>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <AccountInputs
            names={inputFields.update}
            field={form.field}
            more={{ email: { description: t('people.emailEnds') }, phone: { required: user.phone !== '' } }}
            others={{ role: <RoleField key="role" {...form.field('role')} user={user} /> }}
          />
        </SimpleGrid>
        <Text size="sm" c="dimmed">
          {t('field.createdAt')}: <Time at={user.createdAt} /> · {t('field.updatedAt')}: <Time at={user.updatedAt} /> ·{' '}
          {t('field.lastLogin')}: <Time at={user.lastLogin} />
        </Text>
        <Group className={form.isDirty ? 'sticky-actions' : undefined}>
          <Button type="submit" loading={form.submitting} disabled={!form.isDirty}>
            {t('action.save')}
          </Button>
          <Button variant="default" disabled={!form.isDirty || form.submitting} onClick={form.discard}>
            {t('action.discard')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Select for the role. The role of the super admin can't be changed. */
function RoleField({ user, ...input }: { user: PersonDetails }) {
  const { t } = useTranslation();
  const isSuperAdmin = user.role === 'super_admin';
  const choices = isSuperAdmin ? (['super_admin'] as const) : (['trainee', 'trainer'] as const);
  return (
    <NativeSelect
      {...input}
      label={t('field.role')}
      description={isSuperAdmin ? t('people.superAdminStays') : t('people.roleEnds')}
      disabled={isSuperAdmin}
      data={choices.map((role) => ({ value: role, label: t(`role.${role}`) }))}
    />
  );
}
