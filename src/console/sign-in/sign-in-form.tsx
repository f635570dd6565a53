import { Button, Stack, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client.js';
import { formatAhead } from '../i18n/format.js';
import { useSession } from '../session/session.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { PasswordField } from '../ui/forms/password-field.js';

interface SignInFormProps {
  /** Initial email or phone, for signing in again. */
  identifier?: string;
  /** Whether the first empty field gets the focus, outside of a dialog that opens. */
  autoFocus?: boolean;
  /** Look of the button, below a more prominent way to sign in. */
  variant?: 'filled' | 'default';
  onSignedIn?(): void;
}

export function SignInForm({
  identifier = '',
  autoFocus = identifier === '',
  variant = 'filled',
  onSignedIn,
}: SignInFormProps) {
  const { t } = useTranslation();
  const { signIn } = useSession();
  /** End of the lock of sign-in; null after that time. */
  const [lockedUntil, setLockedUntil] = useState<string | null>();
  useEffect(() => {
    if (!lockedUntil) return undefined;
    const timer = setTimeout(() => setLockedUntil(null), Date.parse(lockedUntil) - Date.now());
    return () => clearTimeout(timer);
  }, [lockedUntil]);
  const form = useApiForm({
    initialValues: { identifier, password: '' },
    async submit(values) {
      setLockedUntil(undefined);
      try {
        await signIn(values);
        onSignedIn?.();
      } catch (error) {
        if (error instanceof ApiError && error.status === 429 && error.retryAfter !== undefined)
          setLockedUntil(new Date(Date.now() + error.retryAfter * 1000).toISOString());
        throw error;
      }
    },
  });
  // Replaces the form's failure, which would still say "later" after the lock has ended.
  const lock = lockedUntil ? new Error(t('signIn.locked', { when: formatAhead(lockedUntil) })) : undefined;
  const failure = lockedUntil === undefined ? form.failure : lock;
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
          autoFocus={autoFocus && identifier === ''}
        />
        <PasswordField
          {...form.field('password')}
          label={t('field.password')}
          autoComplete="current-password"
          required
          autoFocus={autoFocus && identifier !== ''}
          data-autofocus={identifier === '' ? undefined : true}
        />
        <Button type="submit" loading={form.submitting} fullWidth variant={variant}>
          {t('signIn.submit')}
        </Button>
      </Stack>
    </form>
  );
}
