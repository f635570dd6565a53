import { useTranslation } from 'react-i18next';
import { usePostponeSignIn } from '../session/postponed-sign-in.js';
import { useLossGuard } from '../ui/forms/unsaved.js';

/**
 * For passwords that are shown once: asks before the user leaves the page, and postpones the dialog to sign in again.
 * @param isShown also true while a password is requested: the service sets it even if nobody sees the response
 */
export function useShownOnceGuard(isShown: boolean): void {
  const { t } = useTranslation();
  useLossGuard(isShown, t('people.passwordLost'));
  usePostponeSignIn(isShown);
}
