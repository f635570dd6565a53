import { useTranslation } from 'react-i18next';
import { usePostponedSignIn } from '../session/postponed-sign-in.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';

/**
 * Protects passwords that are shown once from leaving the page and from the dialog to sign in again.
 * @param isShown true also while they are requested: the service sets them even if nobody sees the response
 */
export function useShownOnceGuard(isShown: boolean): void {
  const { t } = useTranslation();
  useUnsavedGuard(isShown, t('people.passwordLost'));
  usePostponedSignIn(isShown);
}
