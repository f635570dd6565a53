import { useTranslation } from 'react-i18next';
import { FirstPasswordForm } from './first-password-form.js';
import { SignInLayout } from './sign-in-layout.js';

export function FirstPasswordPage() {
  const { t } = useTranslation();
  return (
    <SignInLayout title={t('firstPassword.title')} hint={t('firstPassword.hint')}>
      <FirstPasswordForm />
    </SignInLayout>
  );
}
