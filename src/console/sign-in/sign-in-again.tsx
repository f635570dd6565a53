import { Modal, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { SignInForm } from './sign-in-form.js';

interface SignInAgainProps {
  opened: boolean;
  /** Of the account whose session has ended. */
  identifier: string;
}

/** Lies over the page, which stays as it is, until there is a session again. */
export function SignInAgain({ opened, identifier }: SignInAgainProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('signIn.again')}
    >
      <Text mb="md">{t('signIn.againHint')}</Text>
      <SignInForm identifier={identifier} />
    </Modal>
  );
}
