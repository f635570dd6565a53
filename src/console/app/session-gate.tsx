import { Center, Loader, Modal, Text } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { SetupPage } from '../setup/setup-page.js';
import { FirstPasswordPage } from '../sign-in/first-password-page.js';
import { SignInForm } from '../sign-in/sign-in-form.js';
import { SignInPage } from '../sign-in/sign-in-page.js';
import { Failed } from '../ui/states.js';
import { useSession } from './session.js';

/** Asks for setup when there are no accounts, else to sign in. */
function Entrance() {
  const setup = useApi('setupStatus', {});
  if (setup.isPending) return <Waiting />;
  return setup.data?.setupRequired ? <SetupPage /> : <SignInPage />;
}

function Waiting() {
  const { t } = useTranslation();
  return (
    <Center mih="100vh">
      <Loader aria-label={t('state.loading')} />
    </Center>
  );
}

/** Shows the pages only to who is signed in with a password of their own; the address stays for afterwards. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { state, refresh } = useSession();
  const { t } = useTranslation();
  useEffect(() => {
    if (state.kind === 'signedOut') document.title = `${t('signIn.title')} · ${t('app.name')}`;
  }, [state.kind, t]);
  if (state.kind === 'loading') return <Waiting />;
  if (state.kind === 'failed')
    return (
      <Center mih="100vh">
        <Failed error={state.error} onRetry={() => void refresh()} />
      </Center>
    );
  if (state.kind === 'signedOut') return <Entrance />;
  if (state.kind === 'signedIn' && state.session.requiresPasswordChange) return <FirstPasswordPage />;
  const { user } = state.session;
  return (
    <>
      {children}
      <Modal
        opened={state.kind === 'ended'}
        onClose={() => undefined}
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
        title={t('signIn.again')}
      >
        <Text mb="md">{t('signIn.againHint')}</Text>
        <SignInForm identifier={user.email} />
      </Modal>
    </>
  );
}
