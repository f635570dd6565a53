import { Anchor, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { SignInForm } from './sign-in-form.js';
import { SignInLayout } from './sign-in-layout.js';

export function SignInPage() {
  const { t } = useTranslation();
  const byMail = useApi('showForgotPassword', {});
  return (
    <SignInLayout title={t('signIn.title')}>
      <SignInForm />
      {/* Keeps the space until the text is known. */}
      <Text c="dimmed" size="sm" mt="md" style={{ visibility: byMail.isPending ? 'hidden' : 'visible' }}>
        {byMail.data?.available ? (
          <>
            {t('signIn.noPassword')}{' '}
            <Anchor href="/forgot-password" inherit underline="always">
              {t('signIn.mailLink')}
            </Anchor>
          </>
        ) : (
          t('signIn.forgot')
        )}
      </Text>
    </SignInLayout>
  );
}
