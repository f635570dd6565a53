import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { call } from '../api/client.js';
import { useSession, useSignOut } from '../session/session.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { NewPasswordForm } from './new-password-form.js';

/** Form to replace an initial password, or to sign out. */
export function FirstPasswordForm() {
  const { t } = useTranslation();
  const { refresh } = useSession();
  const signOut = useSignOut();
  return (
    <>
      <FormFailure title={t('app.signOutFailed')}>{signOut.error ?? undefined}</FormFailure>
      <NewPasswordForm
        submitLabel={t('firstPassword.submit')}
        submit={async (newPassword) => {
          await call('changeFirstPassword', { body: { newPassword } });
          await refresh();
        }}
        other={
          <Button variant="default" onClick={() => signOut.mutate()} loading={signOut.isPending}>
            {t('app.signOut')}
          </Button>
        }
      />
    </>
  );
}
