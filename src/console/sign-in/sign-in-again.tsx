import { Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FirstPasswordForm } from './first-password-form.js';
import { SignInForm } from './sign-in-form.js';

interface SignInAgainProps {
  opened: boolean;
  /** Whether the session is there again, but with a password that was reset. */
  needsPassword: boolean;
  /** Of the account whose session has ended. */
  identifier: string;
}

/** Lies over the page, which stays as it is, until there is a session again, and a password of one's own. */
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

/** A dialog that nothing closes but its form. */
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
