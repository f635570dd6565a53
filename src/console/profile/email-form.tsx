import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call } from '../api/client.js';
import { formatAhead } from '../i18n/format.js';
import { useUser } from '../session/session.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { PasswordField } from '../ui/forms/password-field.js';

/** Requests a change of email. Doesn't reveal whether another account has the new email. */
export function EmailForm() {
  const { t } = useTranslation();
  const { email: present } = useUser();
  const [sentTo, setSentTo] = useState<string>();
  const form = useApiForm({
    initialValues: { email: '', currentPassword: '' },
    async submit(body) {
      setSentTo(undefined);
      try {
        await call('requestEmailChange', { body });
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 429 || error.retryAfter === undefined) throw error;
        const when = formatAhead(new Date(Date.now() + error.retryAfter * 1000).toISOString());
        throw new Error(t('profile.email.tooMany', { when }));
      }
      form.reset();
      setSentTo(body.email.trim());
    },
  });
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={t('profile.email.title')}>
      <Stack maw={420}>
        <FormFailure>{form.failure}</FormFailure>
        <div role="status">
          {sentTo !== undefined && (
            <Alert color="teal" variant="light" title={t('profile.email.sent', { email: sentTo })}>
              {t('profile.email.sentHint')}
            </Alert>
          )}
        </div>
        <Text size="sm">{t('profile.email.hint')}</Text>
        {/* Tells password managers to which account the password belongs. */}
        <input type="text" autoComplete="username" value={present} readOnly hidden />
        <TextInput {...form.field('email')} type="email" label={t('profile.email.email')} autoComplete="off" required />
        <PasswordField
          {...form.field('currentPassword')}
          label={t('field.currentPassword')}
          autoComplete="current-password"
          required
        />
        <Group>
          <Button type="submit" loading={form.submitting}>
            {t('profile.email.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
