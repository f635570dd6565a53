import { Button, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useChange } from '../api/queries.js';
import { useUser } from '../session/session.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { NewPasswordField, PasswordField } from '../ui/forms/password-field.js';
import { notifyDone } from '../ui/notify.js';

/** Changes the user's own password, which ends all other sessions. */
export function PasswordForm() {
  const { t } = useTranslation();
  const { email } = useUser();
  const change = useChange('changePassword', ['listSessions']);
  const form = useApiForm({
    initialValues: { currentPassword: '', newPassword: '', again: '' },
    validate: (values) => (values.newPassword === values.again ? {} : { again: t('firstPassword.mismatch') }),
    async submit({ currentPassword, newPassword }) {
      await change.mutateAsync({ body: { currentPassword, newPassword } });
      form.reset();
      notifyDone(t('profile.password.changed'));
    },
  });
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={t('profile.password.title')}>
      <Stack maw={420}>
        <FormFailure>{form.failure}</FormFailure>
        <Text size="sm">{t('profile.password.hint')}</Text>
        {/* Tells password managers to which account the password belongs. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          {...form.field('currentPassword')}
          label={t('field.currentPassword')}
          autoComplete="current-password"
          required
        />
        <NewPasswordField {...form.field('newPassword')} label={t('field.newPassword')} />
        <PasswordField
          {...form.field('again')}
          label={t('field.confirmPassword')}
          autoComplete="new-password"
          required
        />
        <Group>
          <Button type="submit" loading={form.submitting}>
            {t('profile.password.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
