import { Button, Group, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { call } from '../api/client.js';
import { useSession, useSignOut } from '../session/session.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { PasswordField } from '../ui/forms/password-field.js';

/** A password of one's own in place of an initial one, or signing out. */
export function FirstPasswordForm() {
  const { t } = useTranslation();
  const { refresh } = useSession();
  const signOut = useSignOut();
  const form = useApiForm({
    initialValues: { newPassword: '', again: '' },
    validate: (values) => (values.newPassword === values.again ? {} : { again: t('firstPassword.mismatch') }),
    async submit({ newPassword }) {
      await call('changeFirstPassword', { body: { newPassword } });
      await refresh();
    },
  });
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <Stack>
        <FormFailure>{form.failure}</FormFailure>
        <FormFailure title={t('app.signOutFailed')}>{signOut.error ?? undefined}</FormFailure>
        <PasswordField
          {...form.field('newPassword')}
          label={t('field.newPassword')}
          autoComplete="new-password"
          required
          data-autofocus
        />
        <PasswordField
          {...form.field('again')}
          label={t('field.confirmPassword')}
          autoComplete="new-password"
          required
        />
        <Group justify="space-between">
          <Button variant="default" onClick={() => signOut.mutate()} loading={signOut.isPending}>
            {t('app.signOut')}
          </Button>
          <Button type="submit" loading={form.submitting}>
            {t('firstPassword.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
