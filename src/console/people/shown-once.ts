import { useTranslation } from 'react-i18next';
import { usePostponedSignIn } from '../session/postponed-sign-in.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';

/**
 * For passwords that are shown once: neither leaving the page nor the end of the session takes them away unasked.
 * @param isShown also while they are asked for: the service sets them whether or not anybody sees the response
 */
export function useShownOnceGuard(isShown: boolean): void {
  const { t } = useTranslation();
  useUnsavedGuard(isShown, t('people.passwordLost'));
  usePostponedSignIn(isShown);
}
