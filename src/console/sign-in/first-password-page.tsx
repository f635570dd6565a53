import { useTranslation } from 'react-i18next';
import { Entrance } from './entrance.js';
import { FirstPasswordForm } from './first-password-form.js';

/** The forced change of an initial password. */
export function FirstPasswordPage() {
  const { t } = useTranslation();
  return (
    <Entrance title={t('firstPassword.title')} hint={t('firstPassword.hint')}>
      <FirstPasswordForm />
    </Entrance>
  );
}
