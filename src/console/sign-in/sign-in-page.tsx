import { Anchor, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { takeOidcResult } from '../session/oidc-result.js';
import { SignInLayout } from './sign-in-layout.js';
import { currentPath, SignInWays, wantedBefore } from './sign-in-ways.js';

export function SignInPage() {
  const { t } = useTranslation();
  const byMail = useApi('showForgotPassword', {});
  const [result] = useState(() => takeOidcResult('/sign-in'));
  const failure = result === 'linked' ? undefined : result;
  return (
    <SignInLayout title={t('signIn.title')}>
      <SignInWays failure={failure} returnTo={failure === undefined ? currentPath() : wantedBefore()}>
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
      </SignInWays>
    </SignInLayout>
  );
}
