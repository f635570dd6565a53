import { Button, Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { call } from '../api/client.js';
import { useSession } from '../app/session.js';
import { SignInLayout } from '../sign-in/sign-in-layout.js';
import { useApiForm } from '../ui/form.js';
import { FormFailure } from '../ui/form-failure.js';
import { PasswordField } from '../ui/password-field.js';

/** Creates the super admin of a new installation, and signs in. */
export function SetupPage() {
  const { t } = useTranslation();
  const { signIn } = useSession();
  const form = useApiForm({
    initialValues: { firstName: '', lastName: '', email: '', phone: '', password: '' },
    async submit(values) {
      await call('setup', { body: values });
      await signIn({ identifier: values.email, password: values.password });
    },
  });
  return (
    <SignInLayout title={t('setup.title')} hint={t('setup.hint')}>
      <form onSubmit={form.onSubmit} noValidate>
        <Stack>
          <FormFailure>{form.failure}</FormFailure>
          <TextInput {...form.field('firstName')} label={t('field.firstName')} autoComplete="given-name" required />
          <TextInput {...form.field('lastName')} label={t('field.lastName')} autoComplete="family-name" required />
          <TextInput {...form.field('email')} type="email" label={t('field.email')} autoComplete="email" required />
          <TextInput {...form.field('phone')} type="tel" label={t('field.phone')} autoComplete="tel" required />
          <PasswordField {...form.field('password')} label={t('field.password')} autoComplete="new-password" required />
          <Button type="submit" loading={form.submitting}>
            {t('setup.submit')}
          </Button>
        </Stack>
      </form>
    </SignInLayout>
  );
}
