import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { call } from '../api/client.js';
import { useSession } from '../session/session.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { SignInLayout } from './sign-in-layout.js';

/** Asks a person imported without a phone for a phone number; the person can skip it. */
export function PhonePage({ onDone }: { onDone(): void }) {
  const { t } = useTranslation();
  const { refresh } = useSession();
  const form = useApiForm({
    initialValues: { phone: '' },
    // The service would ignore an empty phone.
    validate: ({ phone }) => (phone.trim() === '' ? { phone: t('firstPhone.required') } : {}),
    async submit(body) {
      await call('updateProfile', { body });
      onDone();
      await refresh();
    },
  });
  return (
    <SignInLayout title={t('firstPhone.title')} hint={t('firstPhone.hint')}>
      <form onSubmit={form.onSubmit} noValidate>
        <Stack>
          <FormFailure>{form.failure}</FormFailure>
          <TextInput
            {...form.field('phone')}
            type="tel"
            label={t('field.phone')}
            autoComplete="tel"
            required
            autoFocus
          />
          <Group justify="space-between">
            <Button variant="default" onClick={onDone}>
              {t('firstPhone.later')}
            </Button>
            <Button type="submit" loading={form.submitting}>
              {t('action.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </SignInLayout>
  );
}
