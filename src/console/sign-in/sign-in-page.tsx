import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Entrance } from './entrance.js';
import { SignInForm } from './sign-in-form.js';

export function SignInPage() {
  const { t } = useTranslation();
  return (
    <Entrance title={t('signIn.title')}>
      <SignInForm />
      <Text c="dimmed" size="sm" mt="md">
        {t('signIn.forgot')}
      </Text>
    </Entrance>
  );
}
