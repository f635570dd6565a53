import { Center, Loader } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { useIsSignInPostponed } from '../session/postponed-sign-in.js';
import { useSession } from '../session/session.js';
import { lazyDialog, lazyPart } from '../ui/lazy.js';
import { programmeName } from '../ui/programme.js';
import { Failed } from '../ui/states.js';

/** Shown until the session and the code of the page are loaded. Looks like the shell of index.html, which it replaces. */
export function PageLoader() {
  const { t } = useTranslation();
  return (
    <main className="shell" aria-busy>
      <div className="shell-header" dir="auto">
        {programmeName}
      </div>
      <Loader role="status" aria-label={t('state.loading')} />
    </main>
  );
}

const SetupPage = lazyPart(async () => (await import('../setup/setup-page.js')).SetupPage, <PageLoader />);
const SignInPage = lazyPart(async () => (await import('../sign-in/sign-in-page.js')).SignInPage, <PageLoader />);
const FirstPasswordPage = lazyPart(
  async () => (await import('../sign-in/first-password-page.js')).FirstPasswordPage,
  <PageLoader />,
);
const PhonePage = lazyPart(async () => (await import('../sign-in/phone-page.js')).PhonePage, <PageLoader />);
const SignInAgain = lazyDialog(async () => (await import('../sign-in/sign-in-again.js')).SignInAgain, 'opened');

export const SignedIn = lazyPart(async () => (await import('./signed-in.js')).SignedInPages, <PageLoader />);

/** Setup page if there are no accounts, otherwise the sign-in page. */
function SetupOrSignIn() {
  const setup = useApi('setupStatus', {});
  // Read before the sign-in page appears, which would move when its button is added.
  const oidc = useApi('showOidc', {});
  if (setup.data?.setupRequired) return <SetupPage />;
  return setup.isPending || oidc.isPending ? <PageLoader /> : <SignInPage />;
}

/**
 * Shows the pages to users who have signed in and replaced an initial password; others sign in first. The URL stays, so the
 * requested page opens afterwards.
 */
export function SessionGate() {
  const { state } = useSession();
  const isPostponed = useIsSignInPostponed();
  /** Whether pages were shown. They stay mounted with typed text until the user signs out. */
  const [opened, setOpened] = useState(false);
  const needsPassword = state.kind === 'signedIn' && state.session.requiresPasswordChange;
  /** Whether to ask for a phone after the first password change: a person may be imported without a phone. */
  const [asksPhone, setAsksPhone] = useState(false);
  if (needsPassword && !asksPhone && state.session.user.phone === '') setAsksPhone(true);
  const isBlocked = needsPassword || asksPhone;
  const opens = state.kind === 'signedIn' ? opened || !isBlocked : opened && state.kind === 'ended';
  if (opens !== opened) setOpened(opens);
  if (state.kind === 'loading') return <PageLoader />;
  if (state.kind === 'failed')
    return (
      <Center mih="100vh">
        <div>
          <h1>{programmeName}</h1>
          <Failed error={state.error} onRetry={state.retry} />
        </div>
      </Center>
    );
  if (state.kind === 'signedOut') return <SetupOrSignIn />;
  return (
    <>
      {opened && <SignedIn />}
      {!opened && (needsPassword ? <FirstPasswordPage /> : <PhonePage onDone={() => setAsksPhone(false)} />)}
      <SignInAgain
        opened={(needsPassword ? opened : state.kind === 'ended') && !isPostponed}
        needsPassword={needsPassword}
        session={state.session}
      />
    </>
  );
}
