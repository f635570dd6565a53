import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client.js';
import { useSession } from '../app/session.js';
import { formatRelative } from '../i18n/format.js';
import { useApiForm } from '../ui/form.js';
import { FormFailure } from '../ui/form-failure.js';

/** Email or phone and password. @param identifier filled in, for who signs in again */
export function SignInForm({ identifier = '' }: { identifier?: string }) {
  const { t } = useTranslation();
  const { signIn } = useSession();
  const [lockedUntil, setLockedUntil] = useState<string>();
  const form = useApiForm({
    initialValues: { identifier, password: '' },
    async submit(values) {
      setLockedUntil(undefined);
      try {
        await signIn(values);
      } catch (error) {
        if (error instanceof ApiError && error.status === 429 && error.retryAfter !== undefined)
          setLockedUntil(new Date(Date.now() + error.retryAfter * 1000).toISOString());
        throw error;
      }
    },
  });
  const failure =
    lockedUntil === undefined ? form.failure : new Error(t('signIn.locked', { when: formatRelative(lockedUntil) }));
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <Stack>
        <FormFailure>{failure}</FormFailure>
        <TextInput
          {...form.field('identifier')}
          label={t('field.identifier')}
          autoComplete="username"
          inputMode="email"
          required
          data-autofocus={identifier === '' ? true : undefined}
        />
        <PasswordInput
          {...form.field('password')}
          label={t('field.password')}
          autoComplete="current-password"
          required
          data-autofocus={identifier === '' ? undefined : true}
        />
        <Button type="submit" loading={form.submitting} fullWidth>
          {t('signIn.submit')}
        </Button>
      </Stack>
    </form>
  );
}
