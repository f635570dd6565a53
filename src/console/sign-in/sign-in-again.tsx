import { Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FirstPasswordForm } from './first-password-form.js';
import { SignInForm } from './sign-in-form.js';

interface SignInAgainProps {
  opened: boolean;
  /** Whether the user has signed in again, but must replace a reset password. */
  needsPassword: boolean;
  /** Email of the account whose session has ended. */
  identifier: string;
}

/** Covers the unchanged page until the user has signed in again and replaced a reset password. */
export function SignInAgain({ opened, needsPassword, identifier }: SignInAgainProps) {
  const { t } = useTranslation();
  return (
    <>
      <BlockingDialog opened={opened && !needsPassword} title={t('signIn.again')} hint={t('signIn.againHint')}>
        <SignInForm identifier={identifier} />
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
