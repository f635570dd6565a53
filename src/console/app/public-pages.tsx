import type { ComponentType } from 'react';
import { loadTranslations } from '../i18n/i18n.js';
import { lazyPart } from '../ui/lazy.js';
import { useFocusRecovery } from './focus.js';
import { PageLoader, SessionGate } from './session-gate.js';

interface PublicPageProps {
  /** Shows what a session opens in place of the page. */
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

/** The page of the address, which everybody sees, also who is signed in as somebody else. */
export function PublicPage({ onSignedIn }: PublicPageProps) {
  useFocusRecovery();
  // The code of a certificate is a part of its address.
  const Page = pages[window.location.pathname.replace(/^(\/certificates)\/.*/, '$1')];
  function leave(): void {
    window.history.replaceState(null, '', '/');
    onSignedIn();
  }
  return Page ? <Page onSignedIn={leave} /> : <SessionGate />;
}
