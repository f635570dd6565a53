import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { NewPasswordField, PasswordField } from '../ui/forms/password-field.js';

interface NewPasswordFormProps {
  /** Email of the account, for password managers. */
  email?: string;
  submitLabel: string;
  /** Same contract as `submit` of `useApiForm`. */
  submit(newPassword: string): Promise<void>;
  /** Button for something else, such as to sign out. */
  other?: ReactNode;
}

export function NewPasswordForm({ email, submitLabel, submit, other }: NewPasswordFormProps) {
  const { t } = useTranslation();
  const form = useApiForm({
    initialValues: { newPassword: '', again: '' },
    validate: (values) => (values.newPassword === values.again ? {} : { again: t('firstPassword.mismatch') }),
    submit: ({ newPassword }) => submit(newPassword),
  });
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <Stack>
        <FormFailure>{form.failure}</FormFailure>
        {email !== undefined && <input type="text" autoComplete="username" value={email} readOnly hidden />}
        <NewPasswordField {...form.field('newPassword')} label={t('field.newPassword')} autoFocus data-autofocus />
        <PasswordField
          {...form.field('again')}
          label={t('field.confirmPassword')}
          autoComplete="new-password"
          required
        />
        <Group justify={other === undefined ? 'flex-end' : 'space-between'}>
          {other}
          <Button type="submit" loading={form.submitting}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
