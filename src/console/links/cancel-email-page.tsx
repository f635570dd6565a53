import { Button, List, Stack, Text } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/client.js';
import { formatTime } from '../i18n/format.js';
import { SignInLayout } from '../sign-in/sign-in-layout.js';
import { CheckedLink } from './checked-link.js';
import { LinkButton } from './link-button.js';
import { useLinkToken } from './link-token.js';
import { SignInLink } from './sign-in-link.js';

interface Outcome {
  /** Previous email of the account. */
  email: string;
  restored: boolean;
}

/** Cancels a change of email that the owner of the account has not requested. */
export function CancelEmailPage() {
  const { t } = useTranslation();
  const token = useLinkToken();
  const [done, setDone] = useState<Outcome>();
  if (done && token === '') return <Cancelled {...done} />;
  return (
    <CheckedLink
      title={t('links.cancelTitle')}
      purposes={['email-cancel']}
      renew={
        <>
          <Text>{t('links.cancelRenew')}</Text>
          <RenewButton />
        </>
      }
    >
      {({ email, expiresAt, token: open, recheck }) => (
        <SignInLayout title={t('links.cancelTitle')} hint={t('links.cancelHint', { when: formatTime(expiresAt) })}>
          <LinkButton
            label={t('links.cancel')}
            recheck={recheck}
            onUse={async () => {
              const { restored } = await call('cancelEmail', { body: { token: open } });
              setDone({ email, restored });
            }}
          >
            <Effects email={email} />
            <Text>{t('links.cancelNotMine')}</Text>
          </LinkButton>
        </SignInLayout>
      )}
    </CheckedLink>
  );
}

function Effects({ email }: { email: string }) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div>
      <Text id={id} fw={600}>
        {t('links.cancelEffects')}
      </Text>
      <List aria-labelledby={id} style={{ overflowWrap: 'anywhere' }}>
        <List.Item>{t('links.cancelEmail', { email })}</List.Item>
        <List.Item>{t('links.cancelPassword')}</List.Item>
        <List.Item>{t('links.cancelSessions')}</List.Item>
        <List.Item>{t('links.cancelMail', { email })}</List.Item>
      </List>
    </div>
  );
}

function Cancelled({ email, restored }: Outcome) {
  const { t } = useTranslation();
  return (
    <SignInLayout
      title={t(restored ? 'links.cancelled' : 'links.notRestored')}
      hint={t(restored ? 'links.cancelledHint' : 'links.notRestoredHint', { email })}
    >
      <Stack>
        <Text>{t(restored ? 'links.cancelledRenew' : 'links.askPerson')}</Text>
        {restored ? <RenewButton /> : <SignInLink />}
      </Stack>
    </SignInLayout>
  );
}

function RenewButton() {
  const { t } = useTranslation();
  return (
    <Button component="a" href="/forgot-password" variant="default">
      {t('links.renew')}
    </Button>
  );
}
