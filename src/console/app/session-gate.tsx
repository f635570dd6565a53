import { Center, Loader } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { lazyDialog, lazyPart } from '../ui/lazy.js';
import { Failed } from '../ui/states.js';
import { useIsSignInPostponed } from './postponed-sign-in.js';
import { useSession } from './session.js';

function Waiting() {
  const { t } = useTranslation();
  return (
    <Center mih="100vh">
      <Loader aria-label={t('state.loading')} />
    </Center>
  );
}

const SetupPage = lazyPart(async () => (await import('../setup/setup-page.js')).SetupPage, <Waiting />);
const SignInPage = lazyPart(async () => (await import('../sign-in/sign-in-page.js')).SignInPage, <Waiting />);
const FirstPasswordPage = lazyPart(
  async () => (await import('../sign-in/first-password-page.js')).FirstPasswordPage,
  <Waiting />,
);
const SignInAgain = lazyDialog(async () => (await import('../sign-in/sign-in-again.js')).SignInAgain, 'opened');

/** The frame and its pages. */
export const SignedIn = lazyPart(async () => (await import('./signed-in.js')).SignedInPages, <Waiting />);

/** Asks for setup when there are no accounts, else to sign in. */
function Entrance() {
  const setup = useApi('setupStatus', {});
  if (setup.isPending) return <Waiting />;
  return setup.data?.setupRequired ? <SetupPage /> : <SignInPage />;
}

/** Shows the pages only to who is signed in with a password of their own; the address stays for afterwards. */
export function SessionGate() {
  const { state } = useSession();
  const isPostponed = useIsSignInPostponed();
  if (state.kind === 'loading') return <Waiting />;
  if (state.kind === 'failed')
    return (
      <Center mih="100vh">
        <Failed error={state.error} onRetry={state.retry} />
      </Center>
    );
  if (state.kind === 'signedOut') return <Entrance />;
  if (state.kind === 'signedIn' && state.session.requiresPasswordChange) return <FirstPasswordPage />;
  return (
    <>
      <SignedIn />
      <SignInAgain opened={state.kind === 'ended' && !isPostponed} identifier={state.session.user.email} />
    </>
  );
}
