import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call } from '../api/client.js';
import { formatTime } from '../i18n/format.js';
import { NewPasswordForm } from '../sign-in/new-password-form.js';
import { SignInForm } from '../sign-in/sign-in-form.js';
import { SignInLayout } from '../sign-in/sign-in-layout.js';
import { CheckedLink } from './checked-link.js';
import { setToken, useLinkToken } from './link-token.js';
import { useRateLimitText } from './rate-limit-text.js';

interface SetPasswordPageProps {
  /** Leaves this page for the pages behind the sign-in. */
  onSignedIn(): void;
}

/** Sets a password by the link of an invitation or of a forgotten password; then the user signs in. */
export function SetPasswordPage({ onSignedIn }: SetPasswordPageProps) {
  const { t } = useTranslation();
  const withRateLimitText = useRateLimitText();
  const token = useLinkToken();
  /** Email of the account, once its password is set. */
  const [done, setDone] = useState<string>();
  if (done !== undefined && token === '')
    return (
      <SignInLayout title={t('links.done')} hint={t('links.doneHint')}>
        <SignInForm identifier={done} onSignedIn={onSignedIn} />
      </SignInLayout>
    );
  return (
    <CheckedLink
      title={t('links.setPassword')}
      purposes={['invite', 'reset']}
      renew={
        <Button component="a" href="/forgot-password">
          {t('links.renew')}
        </Button>
      }
    >
      {({ purpose, firstName, email, expiresAt, token: open, recheck }) => (
        <SignInLayout
          title={t(purpose === 'invite' ? 'links.welcome' : 'links.hello', { name: firstName ?? '' })}
          hint={t('links.choose', { email, when: formatTime(expiresAt) })}
        >
          <NewPasswordForm
            email={email}
            submitLabel={t('links.setPassword')}
            submit={async (newPassword) => {
              try {
                await call('setPassword', { body: { token: open, newPassword } });
              } catch (error) {
                if (error instanceof ApiError && error.code === 'LINK_INVALID') await recheck();
                throw withRateLimitText(error);
              }
              setDone(email);
              setToken('');
            }}
          />
        </SignInLayout>
      )}
    </CheckedLink>
  );
}
