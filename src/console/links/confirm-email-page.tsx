import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { formatTime } from '../i18n/format.js';
import { SignInForm } from '../sign-in/sign-in-form.js';
import { SignInLayout } from '../sign-in/sign-in-layout.js';
import { CheckedLink } from './checked-link.js';
import { LinkButton } from './link-button.js';
import { useLinkToken } from './link-token.js';

interface ConfirmEmailPageProps {
  /** Leaves this page for the pages behind the sign-in. */
  onSignedIn(): void;
}

/** Confirms a new email by the link that was mailed to it; then the user signs in with the new email. */
export function ConfirmEmailPage({ onSignedIn }: ConfirmEmailPageProps) {
  const { t } = useTranslation();
  const token = useLinkToken();
  // Read before it is needed, so that nothing moves.
  const oidc = useApi('showOidc', {});
  /** New email of the account, once confirmed. */
  const [done, setDone] = useState<string>();
  if (done !== undefined && token === '')
    return (
      <SignInLayout title={t('links.confirmed')} hint={t('links.confirmedHint', { email: done })}>
        {oidc.data && oidc.data.name !== null ? (
          // The sign-in page has all ways to sign in: the person may have no password.
          <Button component="a" href="/" fullWidth>
            {t('signIn.submit')}
          </Button>
        ) : (
          <SignInForm identifier={done} onSignedIn={onSignedIn} />
        )}
      </SignInLayout>
    );
  return (
    <CheckedLink
      title={t('links.confirmTitle')}
      purposes={['email']}
      renew={
        <>
          <Text>{t('links.confirmRenew')}</Text>
          <Button component="a" href="/profile">
            {t('links.profile')}
          </Button>
        </>
      }
    >
      {({ email, expiresAt, token: open, recheck }) => (
        <SignInLayout
          title={t('links.confirmTitle')}
          hint={t('links.confirmHint', { email, when: formatTime(expiresAt) })}
        >
          <LinkButton
            label={t('links.confirm')}
            recheck={recheck}
            onUse={async () => setDone((await call('confirmEmail', { body: { token: open } })).email)}
          >
            <Text>{t('links.confirmNext')}</Text>
            <Text>{t('links.confirmNotMine')}</Text>
          </LinkButton>
        </SignInLayout>
      )}
    </CheckedLink>
  );
}
