import { Alert, Button, Group, List, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Answer, call } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { useApiForm } from '../ui/form.js';
import { FormFailure } from '../ui/form-failure.js';
import { notifyDone } from '../ui/notify.js';
import { Time } from '../ui/time.js';
import { useUnsavedGuard } from '../ui/unsaved.js';

export type PersonDetails = Answer<'showUser'>['user'];

const fields = ['firstName', 'lastName', 'email', 'phone', 'role'] as const;
type Fields = Pick<PersonDetails, (typeof fields)[number]>;

const fieldsOf = ({ firstName, lastName, email, phone, role }: Fields): Fields => ({
  firstName,
  lastName,
  email,
  phone,
  role,
});

const differing = (one: Fields, other: Fields) => fields.filter((field) => one[field] !== other[field]);

/** Edits an account. What somebody else has changed in the meantime is shown before anything is overwritten. */
export function PersonForm({ user }: { user: PersonDetails }) {
  const { t } = useTranslation();
  const update = useChange('updateUser');
  /** What the form began with: only what differs from it is sent. */
  const [base, setBase] = useState(() => fieldsOf(user));
  /** What the service has now, when it isn't what the form began with. */
  const [theirs, setTheirs] = useState<PersonDetails>();

  const form = useApiForm<Fields>({
    initialValues: base,
    async submit(values) {
      const { user: current } = await call('showUser', { path: { id: user.id } });
      if (differing(base, fieldsOf(current)).length > 0) {
        setTheirs(current);
        return;
      }
      const body = Object.fromEntries(differing(base, values).map((field) => [field, values[field]]));
      const { user: saved } = await update.mutateAsync({ path: { id: user.id }, body });
      continueFrom(saved, values);
      notifyDone(t('state.saved'));
    },
  });
  useUnsavedGuard(form.isDirty);

  function begin(from: Fields): void {
    setBase(fieldsOf(from));
    setTheirs(undefined);
    form.restart(fieldsOf(from));
  }

  /** Continues from other values: what the user has changed stays. @param since what it was changed from */
  function continueFrom(from: Fields, since?: Fields): void {
    setBase(fieldsOf(from));
    setTheirs(undefined);
    form.merge(fieldsOf(from), since);
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: looks at each answer once
  useEffect(() => {
    // Read again after saving: these are no changes of somebody else.
    if (form.submitting) return;
    if (differing(base, user).length === 0) setTheirs(undefined);
    else if (form.isDirty) setTheirs(user);
    else begin(user);
  }, [user]);

  return (
    <form onSubmit={form.onSubmit} noValidate>
      <Stack maw={720}>
        <FormFailure>{form.failure}</FormFailure>
        {theirs && (
          <Conflict base={base} theirs={theirs} onTheirs={() => begin(theirs)} onMine={() => continueFrom(theirs)} />
        )}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput {...form.field('firstName')} label={t('field.firstName')} autoComplete="off" required />
          <TextInput {...form.field('lastName')} label={t('field.lastName')} autoComplete="off" required />
          <TextInput {...form.field('email')} type="email" label={t('field.email')} autoComplete="off" required />
          <TextInput {...form.field('phone')} type="tel" label={t('field.phone')} autoComplete="off" required />
          <RoleField {...form.field('role')} user={user} />
        </SimpleGrid>
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {t('field.createdAt')}: <Time at={user.createdAt} /> · {t('field.updatedAt')}: <Time at={user.updatedAt} />{' '}
            · {t('field.lastLogin')}: <Time at={user.lastLogin} />
          </Text>
          <Group>
            <Button variant="default" disabled={!form.isDirty || form.submitting} onClick={() => begin(theirs ?? base)}>
              {t('action.discard')}
            </Button>
            <Button type="submit" loading={form.submitting} disabled={!form.isDirty || theirs !== undefined}>
              {t('action.save')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

/** The role; there is one super admin, whose role stays. */
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

interface ConflictProps {
  base: Fields;
  theirs: PersonDetails;
  onTheirs(): void;
  onMine(): void;
}

function Conflict({ base, theirs, onTheirs, onMine }: ConflictProps) {
  const { t } = useTranslation();
  const show = (field: keyof Fields, { role, ...texts }: Fields) =>
    field === 'role' ? t(`role.${role}`) : texts[field];
  return (
    <Alert color="orange" variant="light" role="alert">
      <Stack gap="sm">
        <Text fw={600}>{t('people.conflict')}</Text>
        <List size="sm">
          {differing(base, theirs).map((field) => (
            <List.Item key={field}>
              {t('people.conflictField', {
                field: t(`field.${field}`),
                before: show(field, base),
                after: show(field, theirs),
              })}
            </List.Item>
          ))}
        </List>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onTheirs}>
            {t('people.takeTheirs')}
          </Button>
          <Button size="xs" variant="default" onClick={onMine}>
            {t('people.keepMine')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
