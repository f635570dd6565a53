import type { ComponentType } from 'react';
import { loadTranslations } from '../i18n/i18n.js';
import { lazyPart } from '../ui/lazy.js';
import { useFocusRecovery } from './focus.js';
import { PageLoader, SessionGate } from './session-gate.js';

interface PublicPageProps {
  /** Leaves this page for the pages behind the sign-in. */
  onSignedIn(): void;
}

const publicPage = (load: () => Promise<ComponentType<PublicPageProps>>) =>
  lazyPart(async () => (await Promise.all([load(), loadTranslations('links')]))[0], <PageLoader />);

const pages: Record<string, ComponentType<PublicPageProps>> = {
  '/set-password': publicPage(async () => (await import('../links/set-password-page.js')).SetPasswordPage),
  '/forgot-password': publicPage(async () => (await import('../links/forgot-password-page.js')).ForgotPasswordPage),
  '/confirm-email': publicPage(async () => (await import('../links/confirm-email-page.js')).ConfirmEmailPage),
  '/certificates': publicPage(async () => (await import('../links/certificate-page.js')).CertificatePage),
  '/cancel-email': publicPage(async () => (await import('../links/cancel-email-page.js')).CancelEmailPage),
};

/** Public page of the current URL, for everybody, signed in or not. */
export function PublicPage({ onSignedIn }: PublicPageProps) {
  useFocusRecovery();
  // The URL of a certificate ends with its code.
  const Page = pages[window.location.pathname.replace(/^(\/certificates)\/.*/, '$1')];
  function leave(): void {
    window.history.replaceState(null, '', '/');
    onSignedIn();
  }
  return Page ? <Page onSignedIn={leave} /> : <SessionGate />;
}
