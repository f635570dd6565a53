import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** For people who have a password already, or need no link. */
export function SignInLink() {
  const { t } = useTranslation();
  return (
    <Anchor href="/" size="sm">
      {t('links.signIn')}
    </Anchor>
  );
}
