import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { SignInForm } from './sign-in-form.js';
import { SignInLayout } from './sign-in-layout.js';

export function SignInPage() {
  const { t } = useTranslation();
  return (
    <SignInLayout title={t('signIn.title')}>
      <SignInForm />
      <Text c="dimmed" size="sm" mt="md">
        {t('signIn.forgot')}
      </Text>
    </SignInLayout>
  );
}
