import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** For who has a password already, or needs no link. */
export function SignInLink() {
  const { t } = useTranslation();
  return (
    <Anchor href="/" size="sm">
      {t('links.signIn')}
    </Anchor>
  );
}
