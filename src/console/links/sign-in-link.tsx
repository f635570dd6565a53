import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Link to the sign-in page, for people who already have a password. */
export function SignInLink() {
  const { t } = useTranslation();
  return (
    <Anchor href="/" size="sm">
      {t('links.signIn')}
    </Anchor>
  );
}
