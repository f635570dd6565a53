import { Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import type { Session } from '../session/session.js';
import { useHasLosses } from '../ui/forms/guards.js';
import { FirstPasswordForm } from './first-password-form.js';
import { currentPath, SignInWays } from './sign-in-ways.js';

interface SignInAgainProps {
  opened: boolean;
  /** Whether the user has signed in again, but must replace a reset password. */
  needsPassword: boolean;
  /** Session that has ended. */
  session: Session;
}

/** Covers the unchanged page until the user has signed in again and replaced a reset password. */
export function SignInAgain({ opened, needsPassword, session }: SignInAgainProps) {
  const { t } = useTranslation();
  const asks = opened && !needsPassword;
  const oidc = useApi('showOidc', {}, { enabled: asks });
  const hasLosses = useHasLosses();
  return (
    <>
      {/* Opens with all ways to sign in: the focus goes to the one that was used before. */}
      <BlockingDialog opened={asks && !oidc.isPending} title={t('signIn.again')} hint={t('signIn.againHint')}>
        <SignInWays returnTo={currentPath()} ended={session} inNewTab={hasLosses} />
      </BlockingDialog>
      <BlockingDialog opened={opened && needsPassword} title={t('firstPassword.title')} hint={t('firstPassword.hint')}>
        <FirstPasswordForm />
      </BlockingDialog>
    </>
  );
}

/** Dialog that closes only when its form succeeds. */
function BlockingDialog({
  opened,
  title,
  hint,
  children,
}: {
  opened: boolean;
  title: string;
  hint: string;
  children: ReactNode;
}) {
  return (
    <Modal
      opened={opened}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={title}
    >
      <Text mb="md">{hint}</Text>
      {children}
    </Modal>
  );
}
