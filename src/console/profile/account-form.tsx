import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { call } from '../api/client.js';
import { useSession, useUser } from '../app/session.js';
import { useApiForm } from '../ui/form.js';
import { FormFailure } from '../ui/form-failure.js';
import { TextLink } from '../ui/links.js';
import { notifyDone } from '../ui/notify.js';
import { useUnsavedGuard } from '../ui/unsaved.js';

/** Name and phone number. Only a super admin can change email addresses, on the pages of people. */
export function AccountForm() {
  const { t } = useTranslation();
  const { refresh } = useSession();
  const { id, role, firstName, lastName, email, phone } = useUser();
  const form = useApiForm({
    initialValues: { firstName, lastName, phone },
    // The service leaves empty fields as they are: here that would look as if they were saved.
    validate: (values) =>
      Object.fromEntries(
        Object.entries(values)
          .filter(([, value]) => value.trim() === '')
          .map(([name]) => [name, t('profile.account.required')]),
      ),
    async submit(values) {
      await call('updateProfile', { body: values });
      await refresh();
      form.merge(values, values);
      notifyDone(t('state.saved'));
    },
  });
  useUnsavedGuard(form.isDirty && !form.submitting);
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={t('profile.account.title')}>
      <Stack maw={640}>
        <FormFailure>{form.failure}</FormFailure>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput {...form.field('firstName')} label={t('field.firstName')} autoComplete="given-name" required />
          <TextInput {...form.field('lastName')} label={t('field.lastName')} autoComplete="family-name" required />
          <TextInput {...form.field('phone')} type="tel" label={t('field.phone')} autoComplete="tel" required />
          <TextInput
            value={email}
            readOnly
            label={t('field.email')}
            description={
              role === 'super_admin' ? (
                <TextLink to="/people/$id" params={{ id }}>
                  {t('profile.account.changeEmail')}
                </TextLink>
              ) : (
                t('profile.account.emailHint')
              )
            }
            inputWrapperOrder={['label', 'input', 'description']}
          />
        </SimpleGrid>
        <Group>
          <Button type="submit" loading={form.submitting}>
            {t('action.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
